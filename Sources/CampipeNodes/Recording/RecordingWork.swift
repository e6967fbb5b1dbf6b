import CampipeKit
import CampipeMedia
import CampipeStore

/// What the `file` sink does with packets: keeps them for the next clip, writes them, begins and ends files.
///
/// Touched in the sink's turns, on its own thread; it blocks while the disk does.
struct RecordingWork {
    private let settings: RecordingSettings
    private let surroundings: RecordingSurroundings
    private let isGated: Bool
    private var window: ClipWindow
    private var order: SoundOrder
    /// What is in order, and was not looked at yet.
    private var ready: [Packet] = []
    private var history: PreRoll
    private var segmenter: Segmenter
    private var files: RecordingFiles
    private var pause = RecordingPause()
    private var picture = EventPicture()
    /// The size of the pictures of the file at hand, where it is known.
    private var size: Size?
    private var losses: RecordingLosses
    private var nextPicture = Instant.distantPast
    /// When it is looked next whether the file at hand is still there.
    private var nextLook = Instant.distantPast

    private var clock: any PipelineClock { surroundings.clock }

    init(_ settings: RecordingSettings, isGated: Bool, _ surroundings: RecordingSurroundings) {
        self.settings = settings
        self.surroundings = surroundings
        self.isGated = isGated
        window = ClipWindow(isGated: isGated, postRoll: settings.postRoll)
        let wait = settings.kind.container == nil ? nil : settings.soundWait
        order = SoundOrder(wait: wait ?? .zero, hasSound: wait != nil)
        history = PreRoll(settings.preRoll, limit: settings.preRollLimit)
        segmenter = Segmenter(length: settings.segment, limit: settings.segmentSize, isAligned: settings.isAligned)
        files = RecordingFiles(settings, surroundings)
        losses = RecordingLosses(settings.pattern.text, clock: surroundings.clock, log: surroundings.log)
    }

    /// Looks after what earlier runs left, before anything is written.
    mutating func start() {
        guard files.isDiskThere else { return begin(pause: .missing, cause: nil) }
        files.prepare()
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
        files.gate(change)
        picture.take(change.event)
        if settings.isPictureOfEvent { return try writeEventPicture(change) }
        guard window.gate(isOpen: change.isOpen, at: change.at) else { return }
        guard !pause.isWaiting else { return }
        try write(history.take(before: change.at))
    }

    /// Something happened in what is recorded.
    mutating func take(_ event: Event) { files.take(event) }

    private mutating func write(_ packets: [Packet]) throws {
        for (index, packet) in packets.enumerated() {
            try write(packet, more: Self.pictures(in: packets[(index + 1)...]))
        }
    }

    /// Takes a picture, or a packet of its sound.
    mutating func take(_ packet: Packet) throws {
        guard !packet.format.isAudio || settings.kind.container != nil else { return }
        ready += order.add(packet)
        try handle()
        files.look()
    }

    /// Something that was begun elsewhere may be done.
    mutating func look() { files.look() }

    private mutating func handle() throws {
        while !ready.isEmpty {
            let packet = ready.removeFirst()
            if settings.isPictureOfEvent {
                if packet.isKeyframe { nextEventPicture = packet }
                continue
            }
            switch window.decide(packet.captured) {
            case .record: try write(packet)
            case .close:
                try close()
                keep(packet)
            case .keep: keep(packet)
            }
        }
    }

    /// - Parameter more: Pictures that go with this one, and are lost with it.
    private mutating func write(_ packet: Packet, more: Int = 0) throws {
        if pause.isWaiting { return try passPause(packet) }
        do {
            if settings.kind == .jpg { try writePicture(packet) } else { try record(packet) }
            if pause.isTrying, settings.kind == .jpg || files.recording?.isPlayable == true { endPause() }
        } catch {
            let given = files.giveUp()
            let lostHere = given?.lost ?? 1
            if let cause = RecordingFiles.pauseCause(error) {
                begin(pause: cause, cause: RecordingFiles.shown(error))
                return pause.miss(lostHere)
            }
            // What is held goes too: a failure ends this instance.
            let held = Self.pictures(in: ready[...]) + Self.pictures(in: order.flush()[...])
            ready = []
            let count = lostHere + more + held
            losses.lost(count, at: given?.path, error)
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
            try files.recording?.write(sound: packet)
            return
        }
        // Of a JPEG its own head says it, whatever stands around it.
        let size = packet.format.coding == .jpeg ? try? JPEGHeader(packet.data).size : packet.format.size
        if let recording = files.recording, packet.isKeyframe {
            let time = surroundings.time(of: packet.captured)
            let isDue = segmenter.isDue(at: packet.captured, time, size: recording.size)
            // Sound that came, or is another now, is in the next file; no file holds two sizes: nothing is scaled to fit.
            if isDue || files.isHeard(order.sound) || (size != nil && self.size != nil && size != self.size) {
                try close()
                // The disk was full for its end: nothing begins then.
                if pause.isWaiting { return try passPause(packet) }
            }
        }
        if files.recording == nil || self.size == nil { self.size = size }
        var packet = packet
        if let size, packet.format.size != size {
            var format = packet.format
            format.size = size
            packet = packet.replacing(packet.data, format: format)
        }
        // A file begins with what decodes alone.
        guard files.recording != nil || packet.isKeyframe else { return }
        if files.recording == nil {
            segmenter.begin(at: packet.captured, surroundings.time(of: packet.captured))
            try files.begin(packet, sound: order.sound)
        }
        if isGated { picture.look(at: packet) }
        try files.write(packet)
        guard clock.now >= nextLook else { return }
        nextLook = clock.now + .seconds(1)
        try files.checkPresence()
    }

    private mutating func writePicture(_ packet: Packet) throws {
        guard packet.captured >= nextPicture else { return }
        if let every = settings.every {
            let next = nextPicture + every
            nextPicture = nextPicture == .distantPast || next <= packet.captured ? packet.captured + every : next
        }
        try files.write(picture: packet.data, at: packet.captured)
    }

    // MARK: Pictures of events

    /// The newest picture, for an event that brings none.
    private var nextEventPicture: Packet?

    /// Writes one picture an event: the one that shows it best, once it is over.
    private mutating func writeEventPicture(_ change: GateChange) throws {
        guard !change.isOpen else { return }
        defer { picture.forget() }
        guard let data = try picture.jpeg(pool: surroundings.pool) ?? nextEventPicture?.data else { return }
        let packet = Packet(
            data, format: PacketFormat(.jpeg), captured: change.at, pts: MediaTime(change.at - .zero))
        try write(packet)
    }

    /// Puts the picture of its events beside a clip that is complete, if there is one.
    ///
    /// - Returns: The picture.
    private mutating func showing(_ recording: any Recording) -> Packet? {
        defer { picture.forget() }
        do {
            guard picture.isThere, let jpeg = try picture.jpeg(pool: surroundings.pool) else { return nil }
            if try SidePicture.write(jpeg.array, beside: recording.path, disk: surroundings.disk) == nil {
                surroundings.log.warning(
                    "a file has the name of a clip's picture, which is not written", ["path": recording.path])
            }
            return Packet(jpeg, format: PacketFormat(.jpeg), captured: clock.now, pts: MediaTime(clock.now - .zero))
        } catch {
            surroundings.log.warning("cannot write a clip's picture", ["path": recording.path, "cause": error])
            return nil
        }
    }

    // MARK: Pauses

    private mutating func begin(pause cause: RecordingPause.Cause, cause error: (any Error)?) {
        if pause.begin(cause, at: clock.now) { files.tellPause(cause, error) }
    }

    /// Keeps what belongs to no clip yet.
    private mutating func keep(_ packet: Packet) {
        history.append(packet)
        if isDiskBack() { endPause() }
    }

    /// Keeps what comes while nothing can be recorded; looks now and then whether it can again, and tries to go on with
    /// what is kept.
    private mutating func passPause(_ packet: Packet) throws {
        if !packet.format.isAudio { pause.miss(1) }
        history.append(packet)
        guard isDiskBack() else { return }
        let packets = history.take(before: packet.captured)
        pause.attempt(with: Self.pictures(in: packets[...]))
        try write(packets)
    }

    /// Looks now and then whether what made it pause is over.
    private mutating func isDiskBack() -> Bool {
        guard let cause = pause.cause, pause.isDue(at: clock.now),
            files.canGoOn(after: cause, with: history.byteCount)
        else { return false }
        if cause == .missing { files.prepare() }
        return true
    }

    private mutating func endPause() {
        guard let cause = pause.cause else { return }
        let lost = pause.end(at: clock.now)
        if lost > 0 { surroundings.removals.count(.failed, lost) }
        files.tellPauseOver(cause, lost: lost)
    }

    // MARK: Ends

    /// Takes what is held, and ends the file at hand.
    mutating func finish() throws {
        ready += order.flush()
        try handle()
        try close()
        files.finish()
        guard let cause = pause.cause else { return }
        let lost = pause.end(at: clock.now)
        files.tellPauseOver(cause, lost: lost, isOver: false)
        guard lost > 0 else { return }
        throw Self.counted(CampipeError(.exhausted, "the recording paused up to the end"), lost)
    }

    /// Says what there was no time to say yet: nothing more comes.
    func tellRest() {
        losses.tellRest()
        files.tellRest()
    }

    /// Ends the file at hand, if there is one.
    private mutating func close() throws {
        guard let ending = files.close() else { return }
        if case .failure(let error) = ending.result {
            if RecordingFiles.pauseCause(error) == .full {
                begin(pause: .full, cause: error)
                return pause.miss(ending.lost)
            }
            losses.lost(ending.lost, at: ending.recording.path, error)
            throw Self.counted(error, ending.lost)
        }
        if pause.isTrying, ending.recording.isPlayable { endPause() }
        files.complete(ending.recording, picture: ending.recording.isPlayable ? showing(ending.recording) : nil)
    }
}
