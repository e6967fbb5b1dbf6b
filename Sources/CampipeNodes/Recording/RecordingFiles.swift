import CampipeKit
import CampipeMedia
import CampipeStore
import Glibc

/// The files of a recording: makes and ends the one at hand, and tells of those that are complete.
///
/// Touched in the sink's turns, on its own thread; it blocks while the disk does.
struct RecordingFiles {
    /// A file that is complete.
    private struct Clip {
        var path: String
        var start: WallTime
        var length: Duration
        var picture: Packet?
    }

    private let settings: RecordingSettings
    private let surroundings: RecordingSurroundings
    private let folder: RecordingFolder
    private let plain: PlainMaker?
    private var ledger: RecordingLedger
    /// Whether the disk was there: before, nothing is written to it, not even a list.
    private var isPrepared = false
    /// The file at hand.
    private(set) var recording: (any Recording)?
    /// When the file at hand began, how long the one is that ended last, and what is told of it.
    private var start = WallTime(microseconds: 0)
    private var length = Duration.zero
    private var isAnnounced = false
    /// What sound the file at hand has.
    private var sound: PacketFormat?
    /// The sound that was said to be left out.
    private var refusedSound: PacketFormat?
    /// The odd size that was told of last.
    private var cut: Size?
    /// Those that are being made plain.
    private var pending: [Clip] = []
    /// When it is looked next whether the disk of single pictures is there.
    private var nextMountLook = Instant.distantPast
    /// What the pause at hand is to who is told of it.
    private var pauseID = ""

    private var clock: any PipelineClock { surroundings.clock }
    private var log: Log { surroundings.log }

    init(_ settings: RecordingSettings, _ surroundings: RecordingSurroundings) {
        self.settings = settings
        self.surroundings = surroundings
        folder = RecordingFolder(settings.pattern, fields: settings.fields)
        ledger = RecordingLedger(
            folder, policy: settings.retention, before: settings.preRoll, after: settings.postRoll,
            clock: surroundings.clock, log: surroundings.log)
        plain =
            settings.isMadePlain && settings.kind == .mp4
            ? PlainMaker(folder, disk: surroundings.disk, log: surroundings.log, waker: surroundings.waker) : nil
    }

    // MARK: The disk

    /// Looks after what earlier runs left, before anything is written.
    mutating func prepare() {
        isPrepared = true
        RecordingRepair.mend(folder, settings.kind, log: log)
        ledger.start(removesPartials: settings.kind == .jpg || settings.isMadePlain, tells: surroundings.lists)
    }

    /// The recording's `when` became true or false.
    mutating func gate(_ change: GateChange) { ledger.gate(change) }

    /// Something happened in what is recorded.
    mutating func take(_ event: Event) { ledger.take(event) }

    /// Whether the disk is there that must be.
    var isDiskThere: Bool { !settings.requiresMount || MountCheck.isMounted(settings.pattern.rootFolder) }

    private struct DiskMissing: Error {}

    /// What is told of an error beside the reason of the pause, which says all of a disk that is missing.
    static func shown(_ error: any Error) -> (any Error)? { error is DiskMissing ? nil : error }

    /// Why a recording pauses after an error; nil where it failed.
    static func pauseCause(_ error: any Error) -> RecordingPause.Cause? {
        if error is DiskMissing { return .missing }
        let number = (error as? CampipeError)?.context.first { $0.key == "errno" }?.value
        return number == String(ENOSPC) || number == String(EDQUOT) ? .full : nil
    }

    /// Whether what made the recording pause is over; makes room first where recordings may go.
    ///
    /// - Parameter bytes: What waits to be written.
    mutating func canGoOn(after cause: RecordingPause.Cause, with bytes: Int) -> Bool {
        guard isDiskThere else { return false }
        if cause == .missing { return true }
        ledger.sweep()
        guard let volume = try? folder.volume() else { return false }
        // A fiftieth of the disk, so that a pause is not followed by the next at once.
        return volume.free >= max(min(64 << 20, volume.capacity / 50), 2 * bytes)
    }

    mutating func tellPause(_ cause: RecordingPause.Cause, _ error: (any Error)?) {
        let reason = reason(of: cause)
        surroundings.trouble.tell(pause: reason)
        if let error {
            log.error("\(reason): the recording pauses", ["path": settings.pattern.text, "cause": error])
        } else {
            log.error("\(reason): the recording pauses", ["path": settings.pattern.text])
        }
        let now = clock.now
        pauseID = "\(surroundings.id)-\(cause.rawValue)-\(clock.wallTime.microseconds / 1000)"
        tell(EventKind(rawValue: cause.rawValue), id: pauseID, .began, at: now, ["path": .text(settings.pattern.text)])
    }

    private func reason(of cause: RecordingPause.Cause) -> String {
        switch cause {
        case .full: "the disk is full"
        case .missing: "no disk is mounted for \(settings.pattern.rootFolder)"
        }
    }

    /// - Parameter isOver: Whether it goes on; not where the recording ended in the pause.
    mutating func tellPauseOver(_ cause: RecordingPause.Cause, lost: Int, isOver: Bool = true) {
        surroundings.trouble.tell(pause: nil)
        if isOver {
            log.warning("the recording goes on", ["lost": lost])
        } else if lost > 0 {
            log.error(
                "pictures were not recorded",
                ["count": lost, "path": settings.pattern.text, "cause": reason(of: cause)])
        }
        tell(
            EventKind(rawValue: cause.rawValue), id: pauseID, .ended, at: clock.now,
            ["path": .text(settings.pattern.text), "lost": .number(Double(lost))])
    }

    private func tell(
        _ kind: EventKind, id: String, _ phase: Event.Phase, at instant: Instant, _ payload: [String: EventValue],
        picture: Packet? = nil
    ) {
        var event = Event(
            kind, id: id, phase: phase, captured: instant, node: surroundings.id, payload: payload)
        event = event.at(clock.wallTime)
        surroundings.events.tell(picture.map(event.showing) ?? event)
    }

    // MARK: The file at hand

    /// Whether sound belongs into another file: it came, or is another now.
    func isHeard(_ sound: PacketFormat?) -> Bool { sound != nil && sound != self.sound && sound != refusedSound }

    /// Begins a file with the picture that it begins with.
    mutating func begin(_ packet: Packet, sound: PacketFormat?) throws {
        guard isDiskThere else { throw DiskMissing() }
        start = surroundings.time(of: packet.captured)
        let file = try OutputFile.create(
            settings.pattern, at: start, fields: settings.fields, disk: surroundings.disk)
        ledger.began(file.path, start: start, at: packet.captured)
        isAnnounced = false
        guard let container = settings.kind.container else {
            recording = MJPEGRecording(file, fragment: settings.fragment)
            return
        }
        let isTranscoded = packet.format.coding == .jpeg && settings.kind.recodesJPEG && !settings.copiesVideo
        if isTranscoded, let size = packet.format.size { tellCut(size) }
        let coder = makeSound(sound, container)
        self.sound = coder?.input
        recording = ContainerRecording(
            file, container, fragment: settings.fragment, creationTime: start,
            transcoder: isTranscoded
                ? JPEGTranscoder(quality: settings.crf, pool: surroundings.pool, clock: clock, log: log) : nil,
            sound: coder)
    }

    mutating func write(_ packet: Packet) throws {
        guard let recording else { return }
        try recording.write(packet)
        ledger.reached(packet.captured, decoded: packet.dts.duration)
        announce(recording)
    }

    /// - Throws: When somebody deleted the file at hand.
    func checkPresence() throws { if let recording, recording.isDeleted { throw Self.deleted(recording) } }

    private static func deleted(_ recording: any Recording) -> CampipeError {
        CampipeError(.failed, "\(recording.path) was deleted while it was recorded")
    }

    /// Writes a single picture.
    mutating func write(picture: Bytes, at captured: Instant) throws {
        if settings.requiresMount, clock.now >= nextMountLook {
            guard isDiskThere else { throw DiskMissing() }
            nextMountLook = clock.now + .seconds(1)
        }
        let time = surroundings.time(of: captured)
        let path = try WholeFile.write(
            picture.array, settings.pattern, at: time, fields: settings.fields, disk: surroundings.disk)
        ledger.wrote(path, start: time, at: captured)
        log.debug("wrote a picture", ["path": path])
    }

    /// Says once of a file that it is there: when there is something to play.
    private mutating func announce(_ recording: any Recording) {
        guard !isAnnounced, recording.isPlayable else { return }
        isAnnounced = true
        log.info("recording", ["path": recording.path])
    }

    /// For the sound that there is now; of what cannot be recorded it is said once that it is left out.
    private mutating func makeSound(_ format: PacketFormat?, _ container: Container) -> SoundCoder? {
        guard let format, format != refusedSound else { return nil }
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

    // MARK: Ends

    /// Gives up the file at hand, if there is one, with what the disk took.
    mutating func giveUp() -> (path: String, lost: Int)? {
        guard let recording else { return nil }
        self.recording = nil
        let lost = recording.lost
        recording.abandon()
        ledger.ended(recording.path)
        return (recording.path, lost)
    }

    /// Ends the file at hand, if there is one.
    ///
    /// - Returns: How that went, and how many pictures are lost where it did not go well.
    mutating func close() -> (recording: any Recording, result: Result<Void, any Error>, lost: Int)? {
        guard let recording else { return nil }
        self.recording = nil
        let isDeleted = recording.isDeleted
        var result = Result { try recording.close() }
        if isDeleted { result = .failure(Self.deleted(recording)) }
        // Whether it went well or not, what is there now is all of it.
        length = ledger.ended(recording.path)
        return (recording, result, isDeleted ? recording.taken : max(1, recording.pending))
    }

    /// A file is complete: it may become a plain one, and is told of.
    mutating func complete(_ recording: any Recording, picture: Packet?) {
        announce(recording)
        guard recording.isPlayable else { return }
        log.debug("a recording is complete", ["path": recording.path])
        let clip = Clip(path: recording.path, start: start, length: length, picture: picture)
        if let plain {
            pending.append(clip)
            plain.make(clip.path, start: clip.start, length: clip.length)
        } else {
            tellReady(clip)
        }
        ledger.sweep()
    }

    private func tellReady(_ clip: Clip) {
        var payload: [String: EventValue] = [
            "path": .text(clip.path), "start": .number(Double(clip.start.microseconds / 1000) / 1000),
            "duration": .number((clip.length.seconds * 1000).rounded() / 1000),
        ]
        if clip.picture != nil { payload["picture"] = .text(SidePicture.path(of: clip.path)) }
        tell(
            .clipReady, id: "\(surroundings.id)-\(clip.start.microseconds / 1000)", .happened, at: clock.now, payload,
            picture: clip.picture)
    }

    /// Looks whether something is due, or was done elsewhere.
    mutating func look() {
        for path in plain?.takeDone() ?? [] {
            SidePicture.stamp(of: path)
            guard let index = pending.firstIndex(where: { $0.path == path }) else { continue }
            tellReady(pending.remove(at: index))
        }
        if isPrepared { ledger.sweepIfDue() }
    }

    /// Waits for what is being done elsewhere.
    mutating func finish() {
        plain?.wait()
        look()
    }

    func tellRest() { if isPrepared { ledger.tellRest() } }
}
