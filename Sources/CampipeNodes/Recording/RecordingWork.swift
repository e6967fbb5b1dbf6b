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
    private let captureTime: CaptureTime
    /// What a stream begins at that is not live and does not know its own time.
    private let started: WallTime
    private var window: ClipWindow
    private var history: PreRoll
    private var recording: (any Recording)?
    private var isAnnounced = false
    private var lostNote = RecurringNote()
    /// When the file at hand began.
    private var begun = Instant.zero
    private var nextPicture = Instant.distantPast
    private var lastSweep = Instant.distantPast

    init(_ settings: Settings, isGated: Bool, time: CaptureTime, clock: any PipelineClock, log: Log, pool: FramePool) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.pool = pool
        captureTime = time
        started = clock.wallTime
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
        let packets = history.take(before: instant)
        for (index, packet) in packets.enumerated() { try write(packet, more: packets.count - index - 1) }
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

    /// - Parameter more: Pictures that go with this one, and are lost with it.
    private mutating func write(_ packet: Packet, more: Int = 0) throws {
        do {
            if settings.kind == .jpg { try writePicture(packet) } else { try record(packet) }
        } catch {
            let recording = recording
            self.recording = nil
            lost(max(1, recording?.pending ?? 1) + more, at: recording?.path, error)
            // What comes next begins a file of its own.
            recording?.abandon()
            throw error
        }
    }

    private mutating func record(_ packet: Packet) throws {
        if let segment = settings.segment, packet.isKeyframe, recording != nil, packet.captured - begun >= segment {
            try close()
        }
        // A file begins with what decodes alone.
        guard recording != nil || packet.isKeyframe else { return }
        let recording = try recording ?? makeRecording(packet)
        self.recording = recording
        try recording.write(packet)
        announce(recording)
    }

    /// Says once of a file that it is there: when there is something to play.
    private mutating func announce(_ recording: any Recording) {
        guard !isAnnounced, recording.isPlayable else { return }
        isAnnounced = true
        log.info("recording", ["path": recording.path])
    }

    /// Says at most once a second what did not get to the disk.
    private mutating func lost(_ count: Int, at path: String?, _ error: any Error) {
        guard let count = lostNote.happened(count, at: clock.now) else { return }
        log.error(
            "pictures were not recorded", ["count": count, "path": path ?? settings.pattern.text, "cause": error])
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
        isAnnounced = false
        guard let container = settings.kind.container else { return MJPEGRecording(file) }
        // Players know no JPEG in the other containers.
        let isTranscoded = packet.format.coding == .jpeg && container != .mkv
        return ContainerRecording(
            file, container, fragment: settings.fragment, creationTime: time,
            transcoder: isTranscoded ? JPEGTranscoder(quality: settings.crf, pool: pool, clock: clock, log: log) : nil)
    }

    /// Ends the file at hand, if there is one.
    mutating func close() throws {
        guard let recording else { return }
        self.recording = nil
        do {
            try recording.close()
        } catch {
            lost(max(1, recording.pending), at: recording.path, error)
            throw error
        }
        announce(recording)
        if recording.isPlayable { log.debug("a recording is complete", ["path": recording.path]) }
        sweep()
    }

    private func time(of captured: Instant) -> WallTime {
        captureTime.wallTime(at: captured, unknown: started)
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
