import CampipeKit
import CampipeMedia
import Glibc

/// Reads pictures and sound from files: any container, MJPEG back to back, one JPEG, a folder of JPEGs, a pattern of
/// names.
struct FileSource: Source {
    static let name = "file"
    static let summary = "Reads video files with their sound, MJPEG, and pictures."
    static let execution = Execution.ownThread
    static let audio = Out<Packet>("audio", format: .packets(PacketFormat(.aac)))
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.any)), audio]

    @Option("A file, a folder of JPEGs, or a pattern such as shots/*.jpg.", example: "shots/*.jpg") var path: String
    @Option(0.01...1000, "Pictures a second of what has no times itself: pictures, MJPEG.") var fps = 25.0
    @Option("As fast as it goes, or in real time as a camera.") var speed = FileSpeed.max
    @Option("Begins anew at the end.") var loop = false

    /// From how long on a picture is said to come later than others.
    private static let hole = Duration.milliseconds(500)

    private var pacing = FilePacing()
    private var reading: FileReading?
    private var refusals: FileRefusals?
    private var notes: FileNotes?
    private var clock: (any PipelineClock)?
    private var ahead = FileAhead()
    private var isOver = false
    /// Why it is over; thrown behind what was read before.
    private var failure: (any Error)?

    var isLive: Bool { speed == .realtime }

    var format: Format? {
        let name = path.lowercased()
        let endings = [".jpg", ".jpeg", ".jpe", ".mjpeg", ".mjpg"]
        return endings.contains(where: name.hasSuffix) || PictureList.isList(path) ? .packets(.jpeg) : nil
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        let place = path.key("path")
        let scheme = CameraScheme.scheme(of: self.path)
        if self.path.isEmpty {
            faults.append(Fault(.invalidValue, at: place, "the path is empty", fix: "write shots/*.jpg, or your own"))
        } else if self.path.contains("://"), scheme != "file" {
            faults.append(
                Fault(
                    .invalidValue, at: place, "this is a URL of \(scheme.prefix(20)), and no path of a file",
                    fix: "write type: camera, and url: in the place of path:"))
        } else if let fault = HomePath.fault(self.path, at: place) {
            faults.append(fault)
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        pacing = FilePacing(start: isLive ? context.clock.now : .zero)
        refusals = FileRefusals(path, log: context.log)
        notes = FileNotes(path, log: context.log)
        let reader = try makeReader()
        reading = FileReading(reader)
        if let began = reader.creationTime ?? Self.modified(reader.file) { context.origin.set(began) }
    }

    private func makeReader() throws -> any PacketReader {
        if PictureList.isList(path) || PictureList.isPicture(path) { return try PictureReader(path, fps: fps) }
        return try MediaReader(path: path, rate: fps)
    }

    /// When the file was last written, for what does not say itself when it was recorded.
    private static func modified(_ path: String) -> WallTime? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return WallTime(microseconds: Int64(facts.st_mtim.tv_sec) * 1_000_000 + Int64(facts.st_mtim.tv_nsec) / 1000)
    }

    mutating func next(to output: inout Output) throws -> Next {
        // What is live may be asked for its sound at any time.
        let isHeard = isLive || output.isWanted(Self.audio)
        reading?.select(sound: isHeard)
        // Several in one turn, as long as nothing has to wait.
        for _ in 0..<(isLive ? 1 : 8) {
            readAhead()
            if isLive, let clock, let due = ahead.due, due > clock.now {
                // A hole in the file's times is no stall.
                if due - clock.now > Self.hole { output.rest(until: due) }
                notes?.waits(due - clock.now)
                return .waitUntil(due)
            }
            guard let step = ahead.take() else {
                if let failure { throw failure }
                guard let refusals, !pacing.hasBegun else { return .ended }
                throw refusals.nothing
            }
            switch step {
            case .refused(let packet, let reason, let file, let cause):
                output.gap(Gap(reason, at: packet.captured))
                refusals?.refused(reason, in: file, cause)
            case .packet(let packet) where packet.format.isAudio:
                if output.isWanted(Self.audio) { output.emit(packet, on: Self.audio) }
            case .packet(let packet):
                if packet.isDamaged { refusals?.damaged += 1 }
                output.emit(packet)
            }
        }
        return .more
    }

    private mutating func readAhead() {
        let now = isLive ? clock?.now : nil
        while !isOver, ahead.wantsMore(at: now, hasSound: reading?.hasSound == true) {
            do {
                if let step = try read() { ahead.add(step) } else { isOver = true }
            } catch {
                failure = error
                isOver = true
            }
        }
    }

    /// The next step, at its place on the pipeline's line; nil at the end.
    private mutating func read() throws -> FileStep? {
        if let step = try reading?.next() {
            if let jump = reading?.jump { notes?.jumped(jump) }
            return place(step)
        }
        if let reading, notes?.isEndKnown == false { notes?.ended(reading.cut, at: pacing.end) }
        guard loop, pacing.hasBegun else { return nil }
        var again = FileReading(try makeReader())
        again.select(sound: reading?.isHeard == true)
        reading = again
        pacing.beginAgain()
        return try reading?.next().map { place($0) }
    }

    private mutating func place(_ step: FileStep) -> FileStep {
        switch step {
        case .packet(let packet): .packet(pacing.place(packet, isUsed: !packet.format.isAudio))
        case .refused(let packet, let reason, let file, let cause):
            .refused(pacing.place(packet, isUsed: false), reason, file: file, cause: cause)
        }
    }

    mutating func finish() throws {
        refusals?.tell()
        reading = nil
        ahead.removeAll()
    }
}

/// Whether time passes for a file.
enum FileSpeed: String, OptionChoice {
    /// As fast as it is taken; nothing is lost. Not live.
    case max
    /// Each packet when it is due. Live.
    case realtime
}
