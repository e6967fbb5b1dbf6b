import CampipeKit
import CampipeStore

/// The books of one recording: which files it wrote, and which are to go.
///
/// Whatever goes wrong here is said in the log; no recording is given up for it. Touched in the sink's turns, on its own
/// thread; it blocks while the disk does.
struct RecordingLedger {
    private let folder: RecordingFolder
    private let policy: RetentionPolicy
    private let clock: any PipelineClock
    private let log: Log
    /// The file at hand.
    private var open: String?
    private var unlistedNote = RecurringNote()
    private var unlistedCause: CampipeError?
    /// Whether a limit that cannot be kept was told of.
    private var isShort = false
    private var nextSweep = Instant.distantPast
    /// So often it is looked what has to go, whatever is recorded.
    private static let sweepInterval = Duration.seconds(60)

    init(_ folder: RecordingFolder, policy: RetentionPolicy, clock: any PipelineClock, log: Log) {
        self.folder = folder
        self.policy = policy
        self.clock = clock
        self.log = log
    }

    /// Looks after what earlier runs left, before anything is written.
    mutating func start(removesPartials: Bool) {
        do {
            if removesPartials { folder.removePartials() }
            try folder.takeStock()
            if policy.limitsAnything {
                let strangers = try folder.strangers()
                if strangers.count > 0 {
                    log.warning(
                        "files that this node did not write have the names of its recordings; they are never deleted",
                        ["count": strangers.count, "bytes": ByteCount(bytes: strangers.bytes)])
                }
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
        open = path
        list { (folder) throws(CampipeError) in try folder.began(path) }
    }

    /// The file at hand ended, well or not: what is there now is all of it.
    mutating func ended(_ path: String) {
        open = nil
        list { (folder) throws(CampipeError) in try folder.ended(path) }
    }

    /// A file was written whole.
    mutating func wrote(_ path: String, start: WallTime, at instant: Instant) {
        list { (folder) throws(CampipeError) in try folder.ended(path, isLasting: false) }
        sweepIfDue()
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
    func tellRest() { if unlistedNote.untold > 0 { tellUnlisted(unlistedNote.untold) } }

    mutating func sweepIfDue() { if clock.now >= nextSweep { sweep() } }

    /// Deletes what is to be kept no longer.
    mutating func sweep() {
        nextSweep = clock.now + Self.sweepInterval
        guard policy.limitsAnything else { return }
        do {
            let open = open.map { Set([$0]) } ?? []
            tell(try folder.sweep(policy, open: open, now: clock.wallTime, log: log).shortfall)
        } catch {
            log.warning("cannot look after old recordings", ["cause": error])
        }
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
