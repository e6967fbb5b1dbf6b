import CampipeKit
import Foundation
import Glibc
import Testing

/// The built program with its standard output in a pipe that is full and that nobody reads.
final class StuckChild: Sendable {
    private let pipe = Pipe()
    let child: Child

    init(_ words: [String]) throws {
        let end = pipe.fileHandleForWriting
        let flags = fcntl(end.fileDescriptor, F_GETFL)
        _ = fcntl(end.fileDescriptor, F_SETFL, flags | O_NONBLOCK)
        var count = 0
        for size in [4096, 1] {
            let filling = [UInt8](repeating: UInt8(ascii: "."), count: size)
            while write(end.fileDescriptor, filling, size) == size { count += size }
        }
        _ = fcntl(end.fileDescriptor, F_SETFL, flags)
        try #require(count > 0)
        child = try Child(words, output: end)
    }
}
