import CampipeKit
import CampipeMedia

/// What a file source says of a file's times and of its end, each once. A value.
struct FileNotes {
    /// From how long on pictures that come later are told.
    private static let longWait = Duration.seconds(10)

    private let path: String
    private let log: Log
    private var hasJumped = false
    private var longest = Self.longWait
    /// Whether the end was looked at.
    private(set) var isEndKnown = false

    init(_ path: String, log: Log) {
        self.path = path
        self.log = log
    }

    /// The times began anew.
    mutating func jumped(_ jump: TimeJump) {
        guard !hasJumped else { return }
        hasJumped = true
        log.warning(
            "the file's times jump: what stands behind goes on at once",
            ["path": path, "at": Self.rounded(jump.at), "by": Self.rounded(jump.by)])
    }

    /// In real time nothing comes for so long, as the file says; told again only of one that is twice as long.
    mutating func waits(_ wait: Duration) {
        guard wait > longest else { return }
        longest = wait * 2
        log.warning(
            "the file has no picture for some time: the next one comes when it is due",
            ["path": path, "in": Self.rounded(wait)])
    }

    /// The file is over.
    ///
    /// - Parameter at: Where the last picture ends.
    mutating func ended(_ cut: FileEnd?, at end: Duration) {
        isEndKnown = true
        guard let cut else { return }
        log.warning(
            "the file ends early: it was cut",
            ["path": path, "at": Self.rounded(end), "missing": ByteCount(bytes: cut.missing)])
    }

    /// To the tenth of a second, which is what people look for.
    private static func rounded(_ duration: Duration) -> Duration {
        .milliseconds(Int64((duration.seconds * 10).rounded()) * 100)
    }
}
