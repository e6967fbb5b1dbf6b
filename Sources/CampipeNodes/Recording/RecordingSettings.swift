import CampipeKit
import CampipeStore

/// What the `file` sink is asked to do.
struct RecordingSettings {
    var kind: RecordingFormat
    var pattern: FileNamePattern
    var fields: [String: String]
    var preRoll: Duration
    var preRollLimit: ByteCount
    var postRoll: Duration
    var segment: Duration?
    var segmentSize: ByteCount?
    /// Whether files end where the clock begins the next `segment`.
    var isAligned = false
    var every: Duration?
    var fragment: Duration
    /// Whether an MP4 is made plain when it is complete.
    var isMadePlain = false
    var crf: Int
    /// Whether JPEGs are written as they come, also where players know none.
    var copiesVideo = false
    var retention: RetentionPolicy
    /// Whether the files' disk must be another than the root's.
    var requiresMount = false
    /// Whether a picture is written for each event, rather than those that come.
    var isPictureOfEvent = false
    /// How long a picture waits for its sound; nil where none can come.
    var soundWait: Duration?

    /// What may stand in braces in a name.
    static let fieldNames = ["source", "camera", "id"]
}

/// What a recording has around it.
struct RecordingSurroundings {
    var id: String
    var clock: any PipelineClock
    var log: Log
    var pool: FramePool
    var captureTime: CaptureTime
    /// What a stream begins at that is not live and does not know its own time.
    var started: WallTime
    var disk: any Disk = KernelDisk()
    var trouble: RecordingTrouble
    /// Says what befell the recording.
    var events: EventTeller
    /// Counts pictures that came and are in no file.
    var removals: RemovalTeller
    var waker: Waker
    /// Who wants to know where recordings keep their lists.
    var lists: (any RecordingLists)?

    /// When something was, in the world's time.
    func time(of captured: Instant) -> WallTime { captureTime.wallTime(at: captured, unknown: started) }
}
