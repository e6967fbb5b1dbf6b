import CampipeKit
import CampipeStore

/// The books of one recording: which files it wrote and when, what happened in them, and which are to go.
///
/// Whatever goes wrong here is said in the log; no recording is given up for it, and nothing is deleted by it. Touched
/// in the sink's turns, on its own thread; it blocks while the disk does.
struct RecordingLedger {
    private let folder: RecordingFolder
    private let policy: RetentionPolicy
    /// Whether the policy is what holds where the file says nothing.
    private let isStandard: Bool
    private let clock: any PipelineClock
    private let log: Log
    private var marks: EventMarks
    private var guarding = ClockGuard()
    /// The file at hand.
    private var open:
        (path: String, start: WallTime, begun: Instant, newest: Instant, decoded: Duration?, step: Duration)?
    private var unlistedNote = RecurringNote()
    private var unlistedCause: CampipeError?
    /// Whether a limit that cannot be kept was told of.
    private var isShort = false
    /// Whether it was told that recordings are too old by a clock that is not believed.
    private var isRefusing = false
    private var nextSweep = Instant.distantPast
    private var nextNote = Instant.distantPast
    /// So often it is looked what has to go, whatever is recorded.
    private static let sweepInterval = Duration.seconds(60)
    /// So often the list remembers what the clock says.
    private static let noteInterval = Duration.seconds(600)

    /// - Parameters:
    ///   - policy: What it says; one that limits nothing stands for the standard.
    ///   - before: So long before an event belongs to it.
    ///   - after: So long after it too.
    init(
        _ folder: RecordingFolder, policy: RetentionPolicy, before: Duration, after: Duration,
        clock: any PipelineClock, log: Log
    ) {
        self.folder = folder
        isStandard = !policy.limitsAnything
        self.policy = isStandard ? .standard : policy
        self.clock = clock
        self.log = log
        marks = EventMarks(before: before, after: after)
    }

    /// Looks after what earlier runs left, before anything is written.
    mutating func start(removesPartials: Bool, tells lists: (any RecordingLists)?) {
        lists?.add(folder.list)
        if isStandard {
            log.info(
                "10% of the disk stays free: then the oldest recordings are deleted",
                ["fix": "set retention for another limit"])
        }
        do {
            if removesPartials { folder.removePartials() }
            try folder.takeStock()
            let strangers = try folder.strangers()
            if strangers.count > 0 {
                log.warning(
                    "files that this node did not write have the names of its recordings; they are never deleted",
                    ["count": strangers.count, "bytes": ByteCount(bytes: strangers.bytes)])
            }
        } catch {
            log.warning("cannot look after old recordings", ["cause": error])
        }
        sweep()
        nextSweep = .distantPast
    }

    /// A file begins.
    ///
    /// - Parameters:
    ///   - start: When its first picture was, in the world's time.
    ///   - begun: The same on the pipeline's line.
    mutating func began(_ path: String, start: WallTime, at begun: Instant) {
        open = (path, start, begun, begun, nil, .zero)
        list { (folder) throws(CampipeError) in try folder.began(path, at: start) }
        write(marks.began(path, at: begun))
    }

    /// The file at hand got a picture.
    ///
    /// - Parameter decoded: Its decoding time, by which one follows the other also where pictures come out of order.
    mutating func reached(_ instant: Instant, decoded: Duration) {
        if let last = open?.decoded, decoded > last { open?.step = decoded - last }
        open?.decoded = decoded
        guard let newest = open?.newest, instant > newest else { return }
        open?.newest = instant
    }

    /// The file at hand ended, well or not: what is there now is all of it.
    ///
    /// - Returns: How long it is.
    @discardableResult
    mutating func ended(_ path: String) -> Duration {
        // The last picture is about as long as the one before it.
        let length = open.map { $0.newest - $0.begun + $0.step }
        let start = open?.start
        if let open { marks.ended(at: open.newest) }
        open = nil
        let now = clock.wallTime
        list { (folder) throws(CampipeError) in try folder.ended(path, start: start, length: length, now: now) }
        return length ?? .zero
    }

    /// A file was written whole.
    mutating func wrote(_ path: String, start: WallTime, at instant: Instant) {
        let now = clock.wallTime
        list { (folder) throws(CampipeError) in
            try folder.ended(path, start: start, length: .zero, now: now, isLasting: false)
        }
        write(marks.began(path, at: instant))
        marks.ended(at: instant)
        sweepIfDue()
    }

    /// Something happened.
    mutating func take(_ event: Event) {
        write(
            marks.take(
                event.kind, id: "\(event.node) \(event.id)", node: event.node, phase: event.phase,
                at: event.captured, time: time(of: event.captured)))
    }

    /// The recording's `when` became true or false: that is an event too.
    mutating func gate(_ change: GateChange) {
        write(
            marks.take(
                change.event?.kind ?? "when", id: "when", node: change.event?.node ?? "",
                phase: change.isOpen ? .began : .ended, at: change.at, time: time(of: change.at)))
    }

    private mutating func write(_ marks: [EventMarks.Mark]) {
        guard !marks.isEmpty else { return }
        list { (folder) throws(CampipeError) in try folder.mark(marks) }
    }

    /// By the file at hand where there is one, so that a stream that is not live has its own times.
    private func time(of instant: Instant) -> WallTime {
        open.map { $0.start + (instant - $0.begun) } ?? clock.wallTime(at: instant)
    }

    /// Puts something on the list of what was written; a recording is not given up for that.
    private mutating func list(_ change: (RecordingFolder) throws(CampipeError) -> Void) {
        do throws(CampipeError) {
            try change(folder)
        } catch {
            unlistedCause = error
            if let count = unlistedNote.happened(at: clock.now) { tellUnlisted(count) }
        }
    }

    private func tellUnlisted(_ count: Int) {
        guard let unlistedCause else { return }
        log.warning(
            "a recording cannot be listed as one of this node's, and is not deleted when its time comes",
            ["count": count, "cause": unlistedCause])
    }

    /// Says what there was no time to say yet: nothing more comes.
    func tellRest() {
        if unlistedNote.untold > 0 { tellUnlisted(unlistedNote.untold) }
        try? folder.remember(.seen, clock.wallTime)
    }

    mutating func sweepIfDue() { if clock.now >= nextSweep { sweep() } }

    /// Deletes what is to be kept no longer.
    mutating func sweep() {
        nextSweep = clock.now + Self.sweepInterval
        do {
            var guarding = guarding
            var hasJumped = false
            let wall = clock.wallTime
            let now = clock.now
            let sweep = try folder.sweep(policy, open: Set([open?.path].compactMap { $0 }), now: wall, log: log) {
                hasJumped = guarding.look($0, wall: wall, at: now)
                return guarding.jump != nil
            }
            self.guarding = guarding
            try remember(hasJumped, wall, now)
            tell(refused: sweep.refused)
            tell(sweep.shortfall)
        } catch {
            log.warning("cannot look after old recordings", ["cause": error])
        }
    }

    /// Notes what the clock says, now and then, in a list that is there.
    private mutating func remember(_ hasJumped: Bool, _ wall: WallTime, _ now: Instant) throws {
        guard hasJumped || now >= nextNote, folder.hasList else { return }
        nextNote = now + Self.noteInterval
        try folder.remember(.seen, wall)
        if hasJumped { try folder.remember(.jumped, wall) }
    }

    /// Says once that recordings stay since the clock was set, until that is over.
    private mutating func tell(refused count: Int) {
        defer { isRefusing = count > 0 }
        guard count > 0, !isRefusing else { return }
        log.warning(
            "the clock was set, or it stood still: recordings that are too old by it are not deleted for two days",
            [
                "count": count, "off_by": guarding.jump?.by ?? .zero,
                "fix": "campipe recordings prune --yes, if the clock is right",
            ])
    }

    /// Says once of a limit that it is not kept, until it is again.
    private mutating func tell(_ shortfall: RetentionPlan.Shortfall?) {
        defer { isShort = shortfall != nil }
        guard let shortfall, !isShort else { return }
        log.warning(
            shortfall.reason == .maxTotal
                ? "the newest recording alone is over the limit, and is kept"
                : "what this node recorded is not enough to free the space, and the newest recording is kept",
            ["limit": shortfall.reason.rawValue, "over_by": ByteCount(bytes: shortfall.bytes)])
    }
}
