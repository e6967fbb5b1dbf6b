import CampipeKit
import CampipeMedia
import Glibc

/// Reads pictures from files: any container, MJPEG back to back, one JPEG, a folder of JPEGs, a pattern of names.
struct FileSource: Source {
    static let name = "file"
    static let summary = "Reads video files, MJPEG, and pictures."
    static let execution = Execution.ownThread
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.any))]

    @Option("A file, a folder of JPEGs, or a pattern such as shots/*.jpg.", example: "shots/*.jpg") var path: String
    @Option(0.01...1000, "Pictures a second of what has no times itself: pictures, MJPEG.") var fps = 25.0
    @Option("As fast as it goes, or in real time as a camera.") var speed = FileSpeed.max
    @Option("Begins anew at the end.") var loop = false

    private var pacing = FilePacing()
    private var reader: (any PacketReader)?
    private var clock: (any PipelineClock)?
    /// Read, but not due yet.
    private var ahead: Packet?

    var isLive: Bool { speed == .realtime }

    var format: Format? {
        let name = path.lowercased()
        let endings = [".jpg", ".jpeg", ".jpe", ".mjpeg", ".mjpg"]
        return endings.contains(where: name.hasSuffix) || PictureList.isList(path) ? .packets(.jpeg) : nil
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if self.path.isEmpty { faults.append(Fault(.invalidValue, at: path.key("path"), "the path is empty")) }
    }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        pacing = FilePacing(start: isLive ? context.clock.now : .zero)
        let reader = try makeReader()
        self.reader = reader
        if let began = (reader as? MediaReader)?.creationTime ?? Self.modified(path) { context.origin.set(began) }
    }

    private func makeReader() throws -> any PacketReader {
        if PictureList.isList(path) { return try PictureReader(path, fps: fps) }
        return try MediaReader(path: path, rate: fps)
    }

    /// When the file was last written, for what does not say itself when it was recorded.
    private static func modified(_ path: String) -> WallTime? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        return WallTime(microseconds: Int64(facts.st_mtim.tv_sec) * 1_000_000 + Int64(facts.st_mtim.tv_nsec) / 1000)
    }

    mutating func next(to output: inout Output) throws -> Next {
        // Several in one turn, as long as nothing has to wait.
        for _ in 0..<(isLive ? 1 : 8) {
            guard let packet = try takeAhead() else { return .ended }
            if isLive, let clock, packet.captured > clock.now {
                ahead = packet
                return .waitUntil(packet.captured)
            }
            output.emit(packet)
        }
        return .more
    }

    /// The next packet, at its place on the pipeline's line; nil at the end.
    private mutating func takeAhead() throws -> Packet? {
        if let packet = ahead {
            ahead = nil
            return packet
        }
        if let packet = try reader?.next() { return pacing.place(packet) }
        guard loop, pacing.hasBegun else { return nil }
        reader = try makeReader()
        pacing.beginAgain()
        return try reader?.next().map { pacing.place($0) }
    }

    mutating func finish() throws {
        reader = nil
        ahead = nil
    }
}

/// Whether time passes for a file.
enum FileSpeed: String, OptionChoice {
    /// As fast as it is taken; nothing is lost. Not live.
    case max
    /// Each packet when it is due. Live.
    case realtime
}

/// What packets are read from.
protocol PacketReader: AnyObject {
    /// The next packet; nil at the end.
    func next() throws -> Packet?
}

extension MediaReader: PacketReader {}
