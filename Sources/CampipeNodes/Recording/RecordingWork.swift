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
        /// How long a picture waits for its sound; nil where none can come.
        var soundWait: Duration?
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
    private var order: SoundOrder
    /// What is in order, and was not looked at yet.
    private var ready: [Packet] = []
    /// What sound the file at hand has.
    private var sound: PacketFormat?
    /// The sound that was said to be left out.
    private var refusedSound: PacketFormat?
    private var history: PreRoll
    private var ledger: RecordingLedger
    private var recording: (any Recording)?
    /// The size of the pictures of the file at hand, where it is known.
    private var size: Size?
    private var isAnnounced = false
    private var lostNote = RecurringNote()
    private var lastLoss: (path: String, error: any Error)?
    /// When the file at hand began.
    private var begun = Instant.zero
    private var nextPicture = Instant.distantPast
    /// The odd size that was told of last.
    private var cut: Size?
    /// When it is looked next whether the file at hand is still there.
    private var nextLook = Instant.distantPast

    init(_ settings: Settings, isGated: Bool, time: CaptureTime, clock: any PipelineClock, log: Log, pool: FramePool) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.pool = pool
        captureTime = time
        started = clock.wallTime
        window = ClipWindow(isGated: isGated, postRoll: settings.postRoll)
        let wait = settings.kind.container == nil ? nil : settings.soundWait
        order = SoundOrder(wait: wait ?? .zero, hasSound: wait != nil)
        history = PreRoll(settings.preRoll, limit: settings.preRollLimit)
        ledger = RecordingLedger(
            RecordingFolder(settings.pattern, fields: settings.fields), policy: settings.retention,
            before: settings.preRoll, after: settings.postRoll, clock: clock, log: log)
    }

    /// Looks after what earlier runs left, before anything is written.
    mutating func start(tells lists: (any RecordingLists)?) {
        ledger.start(removesPartials: settings.kind == .jpg, tells: lists)
    }

    /// The stream's format begins or changes: no file holds two.
    mutating func begin() throws {
        interrupt()
        try handle()
        history.removeAll()
        try close()
    }

    /// The camera was lost: nothing waits for what follows.
    mutating func interrupt() { ready += order.interrupt() }

    mutating func gate(_ change: GateChange) throws {
        ledger.gate(change)
        guard window.gate(isOpen: change.isOpen, at: change.at) else { return }
        let packets = history.take(before: change.at)
        for (index, packet) in packets.enumerated() {
            try write(packet, more: Self.pictures(in: packets[(index + 1)...]))
        }
    }

    /// Something happened in what is recorded.
    mutating func take(_ event: Event) { ledger.take(event) }

    /// Takes a picture, or a packet of its sound.
    mutating func take(_ packet: Packet) throws {
        guard !packet.format.isAudio || settings.kind.container != nil else { return }
        ready += order.add(packet)
        try handle()
        ledger.sweepIfDue()
    }

    private mutating func handle() throws {
        while !ready.isEmpty {
            let packet = ready.removeFirst()
            switch window.decide(packet.captured) {
            case .record: try write(packet)
            case .close:
                try close()
                history.append(packet)
            case .keep: history.append(packet)
            }
        }
    }

    /// - Parameter more: Pictures that go with this one, and are lost with it.
    private mutating func write(_ packet: Packet, more: Int = 0) throws {
        do {
            if settings.kind == .jpg { try writePicture(packet) } else { try record(packet) }
        } catch {
            let recording = recording
            self.recording = nil
            // What is held goes too: a failure ends this instance.
            let held = Self.pictures(in: ready[...]) + Self.pictures(in: order.flush()[...])
            ready = []
            let count = (recording?.lost ?? 1) + more + held
            lost(count, at: recording?.path, error)
            // What comes next begins a file of its own.
            if let recording {
                recording.abandon()
                ledger.ended(recording.path)
            }
            // A file that could not be ended before this picture has told of its own.
            throw Self.counted(error, count + ((error as? CampipeError)?.lostItems ?? 0))
        }
    }

    private static func pictures(in packets: ArraySlice<Packet>) -> Int { packets.count { !$0.format.isAudio } }

    /// The error with what was lost by it.
    private static func counted(_ error: any Error, _ count: Int) -> CampipeError {
        var counted = error as? CampipeError ?? CampipeError(.failed, "\(error)")
        counted.lostItems = count
        return counted
    }

    private mutating func record(_ packet: Packet) throws {
        if packet.format.isAudio {
            try recording?.write(sound: packet)
            return
        }
        // Of a JPEG its own head says it, whatever stands around it.
        let size = packet.format.coding == .jpeg ? try? JPEGHeader(packet.data).size : packet.format.size
        if recording != nil, packet.isKeyframe {
            let isDue = settings.segment.map { packet.captured - begun >= $0 } ?? false
            // Sound that came, or is another now, is in the next file.
            let isHeard = order.sound != nil && order.sound != sound && order.sound != refusedSound
            // No file holds two sizes: nothing is scaled to fit.
            if isDue || isHeard || (size != nil && self.size != nil && size != self.size) { try close() }
        }
        if recording == nil || self.size == nil { self.size = size }
        var packet = packet
        if let size, packet.format.size != size {
            var format = packet.format
            format.size = size
            packet = packet.replacing(packet.data, format: format)
        }
        // A file begins with what decodes alone.
        guard recording != nil || packet.isKeyframe else { return }
        let recording = try recording ?? makeRecording(packet)
        self.recording = recording
        try recording.write(packet)
        ledger.reached(packet.captured)
        announce(recording)
        guard clock.now >= nextLook else { return }
        nextLook = clock.now + .seconds(1)
        if recording.isDeleted { throw Self.deleted(recording) }
    }

    private static func deleted(_ recording: any Recording) -> CampipeError {
        CampipeError(.failed, "\(recording.path) was deleted while it was recorded")
    }

    /// Says once of a file that it is there: when there is something to play.
    private mutating func announce(_ recording: any Recording) {
        guard !isAnnounced, recording.isPlayable else { return }
        isAnnounced = true
        log.info("recording", ["path": recording.path])
    }

    /// Says at most once a second what did not get to the disk.
    private mutating func lost(_ count: Int, at path: String?, _ error: any Error) {
        lastLoss = (path ?? settings.pattern.text, error)
        if let count = lostNote.happened(count, at: clock.now) { tellLost(count) }
    }

    private func tellLost(_ count: Int) {
        guard let lastLoss else { return }
        log.error(
            "pictures were not recorded", ["count": count, "path": lastLoss.path, "cause": lastLoss.error])
    }

    /// Says what there was no time to say yet: nothing more comes.
    func tellRest() {
        if lostNote.untold > 0 { tellLost(lostNote.untold) }
        ledger.tellRest()
    }

    private mutating func writePicture(_ packet: Packet) throws {
        guard packet.captured >= nextPicture else { return }
        if let every = settings.every {
            let next = nextPicture + every
            nextPicture = nextPicture == .distantPast || next <= packet.captured ? packet.captured + every : next
        }
        let time = time(of: packet.captured)
        let path = try WholeFile.write(packet.data.array, settings.pattern, at: time, fields: settings.fields)
        ledger.wrote(path, start: time, at: packet.captured)
        log.debug("wrote a picture", ["path": path])
    }

    private mutating func makeRecording(_ packet: Packet) throws -> any Recording {
        begun = packet.captured
        let time = time(of: packet.captured)
        let file = try OutputFile.create(settings.pattern, at: time, fields: settings.fields)
        ledger.began(file.path, start: time, at: packet.captured)
        isAnnounced = false
        guard let container = settings.kind.container else { return MJPEGRecording(file) }
        let isTranscoded = packet.format.coding == .jpeg && settings.kind.recodesJPEG
        if isTranscoded, let size = packet.format.size { tellCut(size) }
        let coder = makeSound(container)
        sound = coder?.input
        return ContainerRecording(
            file, container, fragment: settings.fragment, creationTime: time,
            transcoder: isTranscoded ? JPEGTranscoder(quality: settings.crf, pool: pool, clock: clock, log: log) : nil,
            sound: coder)
    }

    /// For the sound that there is now; of what cannot be recorded it is said once that it is left out.
    private mutating func makeSound(_ container: Container) -> SoundCoder? {
        guard let format = order.sound, format != refusedSound else { return nil }
        do throws(CampipeError) {
            return try SoundCoder(format, holds: container.holds)
        } catch {
            refusedSound = format
            log.warning("recorded without the sound", ["cause": error])
            return nil
        }
    }

    /// Says of each odd size once, one after the other, that H.264 has none.
    private mutating func tellCut(_ size: Size) {
        guard size.width % 2 == 1 || size.height % 2 == 1, size != cut else { return }
        cut = size
        log.warning(
            "H.264 has even sides only: the last column or row of the pictures is not recorded",
            [
                "size": size, "recorded": Size(size.width / 2 * 2, size.height / 2 * 2),
                "fix": "record to .mkv or .mjpeg",
            ])
    }

    /// Takes what is held, and ends the file at hand.
    mutating func finish() throws {
        ready += order.flush()
        try handle()
        try close()
    }

    /// Ends the file at hand, if there is one.
    mutating func close() throws {
        guard let recording else { return }
        self.recording = nil
        let isDeleted = recording.isDeleted
        var ending = Result { try recording.close() }
        if isDeleted { ending = .failure(Self.deleted(recording)) }
        // Whether it went well or not, what is there now is all of it.
        ledger.ended(recording.path)
        if case .failure(let error) = ending {
            let count = isDeleted ? recording.taken : max(1, recording.pending)
            lost(count, at: recording.path, error)
            throw Self.counted(error, count)
        }
        announce(recording)
        if recording.isPlayable { log.debug("a recording is complete", ["path": recording.path]) }
        ledger.sweep()
    }

    private func time(of captured: Instant) -> WallTime {
        captureTime.wallTime(at: captured, unknown: started)
    }
}
