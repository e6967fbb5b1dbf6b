import CampipeKit
import Foundation
import Glibc

/// The built program with its standard output in a pipe that nobody reads.
final class StuckChild: Sendable {
    private let pipe = Pipe()
    private let child: Child

    init(_ words: [String]) throws { child = try Child(words, output: pipe.fileHandleForWriting) }

    var error: String { child.error }
    func signal(_ number: Int32) { child.signal(number) }
    func wait(_ seconds: Int) -> Int32? { child.wait(seconds) }

    /// Waits until the pipe takes nothing more.
    func waitUntilStuck() -> Bool {
        child.wait { _ in
            var state = pollfd(fd: pipe.fileHandleForWriting.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&state, 1, 0) == 0
        }
    }
}
