import CampipeKit

/// Says, not too often, what did not get to the disk.
struct RecordingLosses {
    private let pattern: String
    private let clock: any PipelineClock
    private let log: Log
    private var note = RecurringNote()
    private var last: (path: String, error: any Error)?

    /// - Parameter pattern: What is named where no file was made.
    init(_ pattern: String, clock: any PipelineClock, log: Log) {
        self.pattern = pattern
        self.clock = clock
        self.log = log
    }

    mutating func lost(_ count: Int, at path: String?, _ error: any Error) {
        last = (path ?? pattern, error)
        if let count = note.happened(count, at: clock.now) { tell(count) }
    }

    /// Says what there was no time to say yet: nothing more comes.
    func tellRest() { if note.untold > 0 { tell(note.untold) } }

    private func tell(_ count: Int) {
        guard let last else { return }
        log.error("pictures were not recorded", ["count": count, "path": last.path, "cause": last.error])
    }
}
