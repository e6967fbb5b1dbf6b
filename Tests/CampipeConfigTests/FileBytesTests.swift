import Foundation
import Glibc
import Testing

@testable import CampipeConfig

@Suite("Reading the bytes of a file")
struct FileBytesTests {
    /// A named pipe that goes with its owner.
    private final class Pipe: Sendable {
        let path = FileManager.default.temporaryDirectory.appending(path: "campipe-pipe-\(UUID().uuidString)")
            .path(percentEncoded: false)

        init() { mkfifo(path, 0o600) }
        deinit { unlink(path) }
    }

    private func read(_ path: String, patience: Int32 = 60_000) throws -> String {
        String(
            decoding: try FileBytes.read(path, limit: 100, regularOnly: false, patience: patience), as: UTF8.self)
    }

    @Test("a pipe that nobody writes into is refused, and does not wait for ever")
    func noWriter() {
        let pipe = Pipe()
        #expect(throws: FileProblem.self) { try read(pipe.path, patience: 10) }
        do { _ = try read(pipe.path, patience: 10) } catch {
            #expect((error as? FileProblem)?.sentence == "it is a pipe, and nobody writes into it")
        }
    }

    @Test("who comes later, writes in pieces, or has written already is read to the end")
    func writer() throws {
        let pipe = Pipe()
        let thread = Thread {
            let descriptor = open(pipe.path, O_WRONLY)
            for piece in ["version", ": 1\n"] {
                _ = Array(piece.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
            close(descriptor)
        }
        thread.start()
        #expect(try read(pipe.path) == "version: 1\n")
    }

    @Test("a pipe without a name, as of a shell's <(...), is read; an empty one is empty")
    func anonymous() throws {
        for text in ["version: 1", ""] {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            _ = Array(text.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
            close(ends[1])
            #expect(try read("/dev/fd/\(ends[0])") == text)
            close(ends[0])
        }
    }
}
