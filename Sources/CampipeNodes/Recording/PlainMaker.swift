import CampipeKit
import CampipeMedia
import CampipeStore
import Dispatch

/// Makes plain files of fragmented MP4s that are complete, one after the other on a thread of its own, so that nobody who
/// records waits for it. Until one is whole and on the disk the fragmented one stays in its place.
final class PlainMaker: Sendable {
    private let folder: RecordingFolder
    private let disk: any Disk
    private let log: Log
    private let queue = DispatchQueue(label: "campipe.recording.plain")
    private let done = Lock<[String]>([])
    private let waker: Waker

    init(_ folder: RecordingFolder, disk: any Disk, log: Log, waker: Waker) {
        self.folder = folder
        self.disk = disk
        self.log = log
        self.waker = waker
    }

    /// Begins to make a plain file of a recording that is complete; returns at once.
    ///
    /// - Parameters:
    ///   - start: When its first picture was, and
    ///   - length: how long it is: what the recording's list says of it.
    func make(_ path: String, start: WallTime, length: Duration) {
        queue.async { [self] in
            do {
                try write(path, start, length)
            } catch {
                log.warning("a recording stays fragmented", ["path": path, "cause": error])
            }
            done.withLock { $0.append(path) }
            waker.wake()
        }
    }

    /// Those that are done since it was asked last, made plain or not.
    func takeDone() -> [String] {
        done.withLock { done in
            defer { done = [] }
            return done
        }
    }

    /// Waits until all are.
    func wait() { queue.sync {} }

    private func write(_ path: String, _ start: WallTime, _ length: Duration) throws(CampipeError) {
        let folder = folder
        // On the list it is open while it is neither the one nor the other.
        let began: () throws(CampipeError) -> Void = { () throws(CampipeError) in try folder.began(path, at: start) }
        try WholeFile.rewrite(path, disk: disk, ready: began) { (file) throws(CampipeError) in
            try PlainMP4.write(
                path,
                to: .rewritable { bytes in
                    try unsafe bytes.withBytes { (bytes) throws(CampipeError) in unsafe try file.append(bytes) }
                } rewrite: { bytes, place in
                    try unsafe bytes.withBytes { (bytes) throws(CampipeError) in
                        unsafe try file.rewrite(bytes, at: place)
                    }
                })
        }
        try folder.ended(path, start: start, length: length)
    }
}
