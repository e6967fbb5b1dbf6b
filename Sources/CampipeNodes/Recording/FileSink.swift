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
    static let tells: [EventKind] =
        [.clipReady] + [RecordingPause.Cause.full, .missing].map { EventKind(rawValue: $0.rawValue) }
    static let inputs: [any AnyPort] = [
        In<Packet>("input", taste: .complete, accepts: [.packets(.jpeg), .packets(.h264), .packets(.h265)]), audio,
        events,
    ]
    /// The sound of the same camera, for containers.
    static let audio = In<Packet>("audio", optional: true, taste: .complete, accepts: .sound)
    /// What happens in the recording, for `with_event`; of a `when` its events come by themselves.
    static let events = In<Event>("events", optional: true, many: true, taste: .complete)
    /// How long a live picture waits for its sound.
    private static let soundWait = Duration.milliseconds(500)
    /// As long, in time of the stream, where nothing is live: files keep sound a while away from its pictures.
    private static let fileSoundWait = Duration.seconds(10)

    @Option(
        "The files' name with strftime, %f for microseconds, {source}, {camera} and {id}; its end says the format.",
        example: "recordings/%H%M%S.mp4", hasFields: true)
    var path: String
    @Option("What is written, where the name does not say it.") var format: RecordingFormat? = nil
    @Option("How much of before an event belongs to it: a clip begins there, or is kept for it.") var preRoll:
        Duration = .seconds(5)
    @Option("How long after an event belongs to it.") var postRoll: Duration = .seconds(5)
    @Option(.kibibytes(1)...(.gibibytes(1024)), "How much of before the event is kept at most.")
    var preRollLimit = ByteCount.mebibytes(64)
    @Option(.milliseconds(1)...(.seconds(31_536_000)), "Begins a new file after so long, at a keyframe.")
    var segment: Duration? = nil
    @Option(.kibibytes(1)...(.gibibytes(1024)), "Begins a new file before it is larger, at a keyframe.")
    var segmentSize: ByteCount? = nil
    @Option("Where segments end: so long after their start, or by the clock, as 10:00, 10:10 of segment: 10m.")
    var align: SegmentAlignment = .start
    @Option(
        .milliseconds(1)...(.seconds(31_536_000)),
        "Of pictures: one each so often; left out, each one, or with a when the best of each event.")
    var every: Duration? = nil
    @Option(.milliseconds(1)...(.seconds(3600)), "The most that is lost when the power goes.")
    var fragment: Duration = .seconds(1)
    @Option("Makes a plain file of an MP4 once it is complete, its index at the front, as +faststart of ffmpeg does.")
    var faststart = false
    @Option("Records only while the path is on a disk that is mounted, never on the root's.") var requireMount = false
    @Option(1...51, "Rate factor of x264 where JPEGs become H.264: less is better and larger.") var crf = 23
    @Option("What becomes of JPEGs: auto encodes H.264 where players know none, copy writes them as they come.")
    var video = VideoHandling.auto
    @Option("How long recordings are kept; only what this node wrote is deleted, whole and oldest first.")
    var retention = RetentionOptions()

    private var work: RecordingWork?
    private var trouble: RecordingTrouble?

    var want: Want? {
        switch kind {
        case .mjpeg, .jpg: Want(.packets(.jpeg), maxRate: every.map { 1 / $0.seconds })
        // Frames come as H.264: as fine, to a few steps, as JPEGs would be made.
        default: crf == 23 ? .all : Want(quality: min(100, max(1, (55 - crf) * 5 / 2)))
        }
    }
    var recodes: [Coding: Coding] { kind?.recodesJPEG == true && video == .auto ? [.jpeg: .h264] : [:] }
    var writesEachItem: Bool { kind == .jpg && every == nil }
    var resources: [NodeResource] { [NodeResource(.filePattern, path, option: "path")] }

    /// What is written, by the option or the name's end.
    private var kind: RecordingFormat? { format ?? RecordingFormat(path: path) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        _ = FileNamePattern(self.path, fields: RecordingSettings.fieldNames, at: path.key("path"), into: &faults)
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
        if kind == .ts, video == .copy {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("video"), "a transport stream has no place for JPEGs",
                    fix: "end the path with .mp4 or .mkv, or leave video out"))
        }
        if align == .clock, segment == nil {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("align"), "align is about segment, and there is none",
                    fix: "add segment: 10m, or leave align out", part: .key))
        }
        if every != nil, let kind, kind != .jpg {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("every"), "every is for pictures", fix: "end the path with .jpg",
                    part: .key))
        }
    }

    /// Warns of what the format has no use for.
    private func checkUnused(at path: FaultPath, into faults: inout [Fault]) {
        guard let kind else { return }
        let isPicture = kind == .jpg
        let given = [
            ("crf", kind.container == nil && _crf.isGiven), ("fragment", isPicture && _fragment.isGiven),
            ("segment", isPicture && segment != nil), ("segment_size", isPicture && segmentSize != nil),
            ("faststart", kind != .mp4 && faststart), ("video", !kind.recodesJPEG && _video.isGiven),
        ]
        for (key, _) in given.filter(\.1) {
            faults.append(
                Fault(
                    .noEffect, at: path.key(key), "\"\(key)\" does nothing here: \(kind.rawValue) has none",
                    fix: "delete it, or end the path with .mp4", part: .key, severity: .warning))
        }
    }

    func check(inputs: [String: [String]], at path: FaultPath, into faults: inout [Fault]) {
        guard inputs["when"]?.isEmpty ?? true else { return checkPictureOfEvent(at: path, into: &faults) }
        let isTold = !(inputs[Self.events.name]?.isEmpty ?? true)
        let given = [
            ("pre_roll", !isTold && _preRoll.isGiven), ("post_roll", !isTold && _postRoll.isGiven),
            ("pre_roll_limit", _preRollLimit.isGiven),
        ]
        for (key, _) in given.filter(\.1) {
            faults.append(
                Fault(
                    .noEffect, at: path.key(key), "\"\(key)\" does nothing here: no \"when\" says what an event is",
                    fix: "add when: with the id of what gives events, or delete it", part: .key, severity: .warning))
        }
        // Without a max_age it is wrong anyway, which is said once.
        if retention.isEventSensible, !isTold {
            faults.append(
                Fault(
                    .noEffect, at: path.key("retention").key("with_event"),
                    "\"with_event\" does nothing here: nobody tells this recording of events",
                    fix: "add events: with the id of what gives them, or delete it", part: .key, severity: .warning))
        }
    }

    /// Warns of what one picture an event has no use for.
    private func checkPictureOfEvent(at path: FaultPath, into faults: inout [Fault]) {
        guard kind == .jpg, every == nil else { return }
        let given = [
            ("pre_roll", _preRoll.isGiven), ("post_roll", _postRoll.isGiven), ("pre_roll_limit", _preRollLimit.isGiven),
        ]
        for (key, _) in given.filter(\.1) {
            faults.append(
                Fault(
                    .noEffect, at: path.key(key), "\"\(key)\" does nothing here: each event is one picture",
                    fix: "delete it, or end the path with .mp4", part: .key, severity: .warning))
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        var faults: [Fault] = []
        guard let kind,
            let pattern = FileNamePattern(path, fields: RecordingSettings.fieldNames, at: .root, into: &faults)
        else { throw CampipeError(.configuration, faults.first?.sentence ?? "the name does not say the format") }
        let (source, camera, id) = (context.source, context.camera, context.id)
        var settings = RecordingSettings(
            kind: kind, pattern: pattern, fields: ["source": source, "camera": camera ?? source, "id": id],
            preRoll: preRoll, preRollLimit: preRollLimit, postRoll: postRoll, segment: segment,
            segmentSize: segmentSize, isAligned: align == .clock, every: every, fragment: fragment,
            isMadePlain: faststart, crf: crf, copiesVideo: video == .copy, retention: retention.policy,
            requiresMount: requireMount,
            soundWait: !context.connected.contains(Self.audio.name)
                ? nil : context.isLive ? Self.soundWait : Self.fileSoundWait)
        let isGated = context.isGated
        settings.isPictureOfEvent = isGated && kind == .jpg && every == nil
        let trouble = RecordingTrouble(context.trouble, clock: context.clock, log: context.log)
        self.trouble = trouble
        let surroundings = RecordingSurroundings(
            id: id, clock: context.clock, log: context.log, pool: context.pool, captureTime: context.captureTime,
            started: context.clock.wallTime, trouble: trouble, events: context.events,
            removals: context.removals, waker: context.waker,
            lists: try? context.service((any RecordingLists).self))
        var work = RecordingWork(settings, isGated: isGated, surroundings)
        trouble.watched { work.start() }
        self.work = work
    }

    mutating func begin(_ input: Format) throws { try trouble?.watched { try work?.begin() } }

    mutating func consume(_ packet: consuming Packet) throws -> Next {
        let packet = packet
        try trouble?.watched { try work?.take(packet) }
        return .more
    }

    mutating func consume<T: Item>(_ item: consuming T, on port: In<T>) throws -> Next {
        if T.kind == .event {
            let event = Event(storage: item.storage)
            trouble?.watched { work?.take(event) }
        } else {
            let packet = Packet(storage: item.storage)
            try trouble?.watched { try work?.take(packet) }
        }
        return .more
    }

    mutating func wake() throws -> Next {
        trouble?.watched { work?.look() }
        return .more
    }

    mutating func gap(_ gap: Gap) { if gap.isLost { work?.interrupt() } }

    mutating func gate(_ change: GateChange) throws { try trouble?.watched { try work?.gate(change) } }

    mutating func finish() throws {
        defer {
            work?.tellRest()
            work = nil
        }
        try trouble?.watched { try work?.finish() }
    }
}

/// Where segments end.
enum SegmentAlignment: String, OptionChoice {
    case start, clock
}

/// What becomes of video that a container's players do not know.
enum VideoHandling: String, OptionChoice {
    case auto, copy
}

/// How long recordings are kept.
struct RetentionOptions: OptionGroup {
    @Option(.seconds(1)...(.seconds(3_153_600_000)), "Older files are deleted.") var maxAge: Duration? = nil
    @Option(
        .seconds(1)...(.seconds(3_153_600_000)),
        "In the place of max_age for files in which something happened; for space these go last.")
    var withEvent: Duration? = nil
    @Option(
        ByteCount(bytes: 1)...(.gibibytes(1 << 20)),
        "All files of this node together take at most this; the newest one stays.")
    var maxTotal: ByteCount? = nil
    @Option("So much of the disk stays free: 10% or 5GiB; the newest file stays.") var minFree: FreeSpace? = nil

    var policy: RetentionPolicy {
        RetentionPolicy(maxAge: maxAge, withEvent: withEvent, maxTotal: maxTotal, minFree: minFree)
    }

    /// Whether `with_event` is there, and in its right place.
    var isEventSensible: Bool {
        guard let withEvent, let maxAge else { return false }
        return withEvent >= maxAge
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        guard let withEvent else { return }
        guard let maxAge else {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("with_event"), "with_event is there without max_age",
                    fix: "add max_age: how long files are kept in which nothing happened"))
            return
        }
        guard withEvent < maxAge else { return }
        faults.append(
            Fault(
                .invalidValue, at: path.key("with_event"), "with_event is less than max_age",
                fix: "give it more, or leave it out"))
    }
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
