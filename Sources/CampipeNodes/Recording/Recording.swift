import CampipeKit
import CampipeStore

/// A file that is being written, whatever is in it. One that never held a picture is removed when it ends.
protocol Recording: AnyObject {
    /// Where it is.
    var path: String { get }
    /// Whether something can be played of what the disk took.
    var isPlayable: Bool { get }
    /// Pictures that `write` took and the disk does not have yet: a fragment that is not whole.
    var pending: Int { get }
    /// Pictures that `write` was given.
    var taken: Int { get }
    /// Bytes that it has when it is ended now: what the disk took, and about as many as wait for it.
    var size: Int { get }
    /// Whether somebody deleted the file while it is written.
    var isDeleted: Bool { get }
    /// - Throws: What the disk says; the recording is then to be abandoned.
    func write(_ packet: Packet) throws
    /// As `write`, of sound: its times are on the pictures' line. Where the file has none it is left out.
    func write(sound packet: Packet) throws
    /// Ends the file; nothing is written afterwards.
    func close() throws
    /// Ends the file with what the disk took so far, after a failure.
    func abandon()
}

extension Recording {
    /// Pictures that are lost when it is given up now.
    var lost: Int { isDeleted ? taken : max(1, pending) }

    func write(sound packet: Packet) throws {}
}

/// When what was written is to be made last: about once a `fragment`, in time of the stream. A value.
struct SyncPace: Sendable {
    private let interval: Duration
    private var last: Duration?

    init(_ interval: Duration) { self.interval = interval }

    /// Whether it is time, now that something up to `time` was written.
    mutating func isDue(at time: Duration) -> Bool {
        if let last, time >= last, time - last < interval { return false }
        last = time
        return true
    }
}

extension OutputFile {
    /// Ends the file; one that is not worth its name is removed.
    func close(isWorthIt: Bool) throws(CampipeError) {
        if isWorthIt { try close() } else { discard() }
    }
}
