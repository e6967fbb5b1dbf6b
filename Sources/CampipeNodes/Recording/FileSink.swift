import CampipeKit
import CampipeMedia
import CampipeStore

/// Records: clips with sound in containers, JPEGs back to back, or single pictures.
struct FileSink: Sink {
    typealias Input = Packet
    static let name = "file"
    static let summary = "Records clips or pictures to files."
    static let execution = Execution.ownThread
    static let keepsHistory = true
    static let inputs: [any AnyPort] = [
        In<Packet>("input", taste: .complete, accepts: [.packets(.jpeg), .packets(.h264), .packets(.h265)]), audio,
    ]
    /// The sound of the same camera, for containers.
    static let audio = In<Packet>("audio", optional: true, taste: .complete, accepts: .sound)
    /// How long a live picture waits for its sound.
    private static let soundWait = Duration.milliseconds(500)
    /// As long, in time of the stream, where nothing is live: files keep sound a while away from its pictures.
    private static let fileSoundWait = Duration.seconds(10)

    @Option(
        "The files' name with strftime, %f for microseconds, {source}, {camera} and {id}; its end says the format.",
        example: "recordings/%H%M%S.mp4", hasFields: true)
    var path: String
    @Option("What is written, where the name does not say it.") var format: RecordingFormat? = nil
    @Option("How much of before the event a clip begins with; with when only.") var preRoll: Duration = .seconds(5)
    @Option("How long a clip goes on after the event; with when only.") var postRoll: Duration = .seconds(5)
    @Option(.kibibytes(1)...(.gibibytes(1024)), "How much of before the event is kept at most.")
    var preRollLimit = ByteCount.mebibytes(64)
    @Option(.milliseconds(1)...(.seconds(31_536_000)), "Begins a new file after so long, at a keyframe.")
    var segment: Duration? = nil
    @Option(.milliseconds(1)...(.seconds(31_536_000)), "Of pictures: one each so often; left out, each one.")
    var every: Duration? = nil
    @Option(.milliseconds(1)...(.seconds(3600)), "The most that is lost when the power goes.")
    var fragment: Duration = .seconds(1)
    @Option(1...51, "Rate factor of x264 where JPEGs become H.264: less is better and larger.") var crf = 23
    @Option("How long recordings are kept; only what this node wrote is deleted, whole and oldest first.")
    var retention = RetentionOptions()

    private var work: RecordingWork?

    var want: Want? {
        switch kind {
        case .mjpeg, .jpg: Want(.packets(.jpeg), maxRate: every.map { 1 / $0.seconds })
        // Frames come as H.264: as fine, to a few steps, as JPEGs would be made.
        default: crf == 23 ? .all : Want(quality: min(100, max(1, (55 - crf) * 5 / 2)))
        }
    }
    var recodes: [Coding: Coding] { kind?.recodesJPEG == true ? [.jpeg: .h264] : [:] }
    var resources: [NodeResource] { [NodeResource(.filePattern, path, option: "path")] }

    /// What is written, by the option or the name's end.
    private var kind: RecordingFormat? { format ?? RecordingFormat(path: path) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        _ = FileNamePattern(self.path, fields: RecordingWork.fieldNames, at: path.key("path"), into: &faults)
        if kind == nil {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("path"), "the name does not say the format",
                    fix: "end it with .mp4, .mkv, .ts, .mjpeg or .jpg, or set format"))
        }
        if let format, let named = RecordingFormat(path: self.path), named != format {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("format"),
                    "format is \(format.rawValue), and the path ends as \(named.rawValue) does",
                    fix: "leave format out, or end the path with .\(format.rawValue)"))
        }
        if let fault = HomePath.fault(self.path, at: path.key("path")) { faults.append(fault) }
        checkUnused(at: path, into: &faults)
        if every != nil, let kind, kind != .jpg {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("every"), "every is for pictures", fix: "end the path with .jpg",
                    part: .key))
        }
    }

    /// Warns of what the format has no use for.
    private func checkUnused(at path: FaultPath, into faults: inout [Fault]) {
        guard let kind, kind.container == nil else { return }
        let given = [
            ("crf", _crf.isGiven), ("fragment", _fragment.isGiven), ("segment", kind == .jpg && segment != nil),
        ]
        for (key, _) in given.filter(\.1) {
            faults.append(
                Fault(
                    .noEffect, at: path.key(key), "\"\(key)\" does nothing here: \(kind.rawValue) has none",
                    fix: "delete it, or end the path with .mp4", part: .key, severity: .warning))
        }
    }

    func check(inputs: [String: [String]], at path: FaultPath, into faults: inout [Fault]) {
        guard inputs["when"]?.isEmpty ?? true else { return }
        let given = [
            ("pre_roll", _preRoll.isGiven), ("post_roll", _postRoll.isGiven), ("pre_roll_limit", _preRollLimit.isGiven),
        ]
        for (key, _) in given.filter(\.1) {
            faults.append(
                Fault(
                    .noEffect, at: path.key(key), "\"\(key)\" does nothing here: no \"when\" says what an event is",
                    fix: "add when: with the id of what gives events, or delete it", part: .key, severity: .warning))
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        var faults: [Fault] = []
        guard let kind, let pattern = FileNamePattern(path, fields: RecordingWork.fieldNames, at: .root, into: &faults)
        else { throw CampipeError(.configuration, faults.first?.sentence ?? "the name does not say the format") }
        let (source, camera, id) = (context.source, context.camera, context.id)
        work = RecordingWork(
            RecordingWork.Settings(
                kind: kind, pattern: pattern, fields: ["source": source, "camera": camera ?? source, "id": id],
                preRoll: preRoll, preRollLimit: preRollLimit, postRoll: postRoll, segment: segment, every: every,
                fragment: fragment, crf: crf, retention: retention.policy,
                soundWait: !context.connected.contains(Self.audio.name)
                    ? nil : context.isLive ? Self.soundWait : Self.fileSoundWait),
            isGated: context.isGated, time: context.captureTime, clock: context.clock, log: context.log,
            pool: context.pool
        )
        work?.start()
    }

    mutating func begin(_ input: Format) throws { try work?.begin() }

    mutating func consume(_ packet: consuming Packet) throws -> Next {
        try work?.take(packet)
        return .more
    }

    mutating func consume<T: Item>(_ item: consuming T, on port: In<T>) throws -> Next {
        try work?.take(Packet(storage: item.storage))
        return .more
    }

    mutating func gap(_ gap: Gap) { if gap.isLost { work?.interrupt() } }

    mutating func gate(_ change: GateChange) throws { try work?.gate(isOpen: change.isOpen, at: change.at) }

    mutating func finish() throws {
        defer {
            work?.tellRest()
            work = nil
        }
        try work?.finish()
    }
}

/// How long recordings are kept.
struct RetentionOptions: OptionGroup {
    @Option(.seconds(1)...(.seconds(3_153_600_000)), "Older files are deleted.") var maxAge: Duration? = nil
    @Option(
        ByteCount(bytes: 1)...(.gibibytes(1 << 20)),
        "All files of this node together take at most this; the newest one stays.")
    var maxTotal: ByteCount? = nil
    @Option("So much of the disk stays free: 10% or 5GiB; the newest file stays.") var minFree: FreeSpace? = nil

    var policy: RetentionPolicy { RetentionPolicy(maxAge: maxAge, maxTotal: maxTotal, minFree: minFree) }
}

/// What a recording is.
enum RecordingFormat: String, OptionChoice {
    case mp4, mkv, ts
    /// JPEGs back to back.
    case mjpeg
    /// One file a picture.
    case jpg

    /// By a name's end; nil when it says nothing.
    init?(path: String) {
        let name = path.lowercased()
        if [".jpg", ".jpeg"].contains(where: name.hasSuffix) {
            self = .jpg
        } else if [".mjpeg", ".mjpg"].contains(where: name.hasSuffix) {
            self = .mjpeg
        } else if let container = Container(path: path) {
            self.init(rawValue: container.rawValue)
        } else {
            return nil
        }
    }

    var container: Container? { Container(rawValue: rawValue) }

    /// Whether JPEGs become H.264: players know none in these containers.
    var recodesJPEG: Bool { self == .mp4 || self == .ts }
}
