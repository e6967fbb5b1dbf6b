import CampipeKit
import CampipeMedia
import CampipeStore

/// What the `file` sink does with packets: keeps them for the next clip, writes them, begins and ends files.
///
/// Touched in the sink's turns, on its own thread; it blocks while the disk does.
struct RecordingWork {
    struct Settings {
        var kind: RecordingFormat
        var pattern: FileNamePattern
        var fields: [String: String]
        var preRoll: Duration
        var preRollLimit: ByteCount
        var postRoll: Duration
        var segment: Duration?
        var every: Duration?
        var fragment: Duration
        var crf: Int
        var retention: RetentionPolicy
    }

    /// What may stand in braces in a name.
    static let fieldNames = ["source", "camera", "id"]

    private let settings: Settings
    private let clock: any PipelineClock
    private let log: Log
    private let pool: FramePool
    /// What turns `captured` into the world's time: of what is live the clock; of a file, when it was begun.
    private let started: WallTime?
    private var window: ClipWindow
    private var history: PreRoll
    private var recording: (any Recording)?
    /// When the file at hand began.
    private var begun = Instant.zero
    private var nextPicture = Instant.distantPast
    private var lastSweep = Instant.distantPast

    init(_ settings: Settings, isGated: Bool, isLive: Bool, clock: any PipelineClock, log: Log, pool: FramePool) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.pool = pool
        started = isLive ? nil : clock.wallTime
        window = ClipWindow(isGated: isGated, postRoll: settings.postRoll)
        history = PreRoll(settings.preRoll, limit: settings.preRollLimit)
    }

    /// The stream's format begins or changes: no file holds two.
    mutating func begin() throws {
        history.removeAll()
        try close()
    }

    mutating func gate(isOpen: Bool, at instant: Instant) throws {
        guard window.gate(isOpen: isOpen, at: instant) else { return }
        for packet in history.take(before: instant) { try write(packet) }
    }

    mutating func take(_ packet: Packet) throws {
        switch window.decide(packet.captured) {
        case .record: try write(packet)
        case .close:
            try close()
            history.append(packet)
        case .keep: history.append(packet)
        }
    }

    private mutating func write(_ packet: Packet) throws {
        if settings.kind == .jpg { return try writePicture(packet) }
        if let segment = settings.segment, packet.isKeyframe, recording != nil, packet.captured - begun >= segment {
            try close()
        }
        // A file begins with what decodes alone.
        guard recording != nil || packet.isKeyframe else { return }
        let recording = try recording ?? makeRecording(packet)
        self.recording = recording
        try recording.write(packet)
    }

    private mutating func writePicture(_ packet: Packet) throws {
        guard packet.captured >= nextPicture else { return }
        if let every = settings.every {
            let next = nextPicture + every
            nextPicture = nextPicture == .distantPast || next <= packet.captured ? packet.captured + every : next
        }
        let path = try WholeFile.write(
            packet.data.array, settings.pattern, at: time(of: packet.captured), fields: settings.fields)
        log.debug("wrote a picture", ["path": path])
        sweepIfDue(packet.captured)
    }

    private mutating func makeRecording(_ packet: Packet) throws -> any Recording {
        begun = packet.captured
        let time = time(of: packet.captured)
        let file = try OutputFile.create(settings.pattern, at: time, fields: settings.fields)
        log.info("recording", ["path": file.path])
        guard let container = settings.kind.container else { return MJPEGRecording(file) }
        return ContainerRecording(
            file, container, format: packet.format, fragment: settings.fragment, creationTime: time,
            quality: settings.crf, pool: pool)
    }

    /// Ends the file at hand, if there is one.
    mutating func close() throws {
        guard let recording else { return }
        self.recording = nil
        try recording.close()
        log.debug("a recording is complete", ["path": recording.path])
        sweep()
    }

    private func time(of captured: Instant) -> WallTime {
        started.map { $0 + (captured - .zero) } ?? clock.wallTime(at: captured)
    }

    private mutating func sweepIfDue(_ now: Instant) {
        guard now - lastSweep >= .seconds(60) || now < lastSweep else { return }
        lastSweep = now
        sweep()
    }

    /// Deletes what is to be kept no longer.
    func sweep() {
        let policy = settings.retention
        guard policy.maxAge != nil || policy.maxTotal != nil || policy.minFree != nil else { return }
        do {
            let folder = RecordingFolder(settings.pattern, fields: settings.fields)
            let open = recording.map { Set([$0.path]) } ?? []
            let swept = try folder.sweep(policy, open: open, now: clock.wallTime, log: log)
            if !swept.deleted.isEmpty { log.info("deleted old recordings", ["count": swept.deleted.count]) }
        } catch {
            log.warning("cannot look after old recordings", ["cause": error])
        }
    }
}
