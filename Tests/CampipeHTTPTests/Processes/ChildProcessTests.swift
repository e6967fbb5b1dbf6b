import CampipeHTTP
import CampipeKit
import Dispatch
import Foundation
import Glibc
import Testing

/// Programs that are started.
@Suite struct ChildProcessTests {
    private final class Ending: Sendable {
        let end = Lock<ChildProcess.End?>(nil)
        private let semaphore = DispatchSemaphore(value: 0)
        func came(_ end: ChildProcess.End) {
            self.end.withLock { $0 = end }
            semaphore.signal()
        }
        func wait() -> ChildProcess.End? {
            _ = semaphore.wait(timeout: .now() + .seconds(60))
            return end.withLock { $0 }
        }
    }

    private func run(_ argv: [String], input: String = "", environment: [String: String] = [:]) throws -> ChildProcess
        .End?
    {
        let ending = Ending()
        _ = try ChildProcess(argv, environment: environment, input: Array(input.utf8)) { ending.came($0) }
        return ending.wait()
    }

    @Test("It tells how a program ended, and what it said first, on both outputs")
    func ends() throws {
        let end = try run(["/bin/sh", "-c", "cat; echo err >&2; exit 7"], input: "in\n")
        #expect(end?.cause == .exited(7) && end?.output == "in\nerr")
        #expect(try run(["/bin/sh", "-c", "kill -9 $$"])?.cause == .signalled(9))
        #expect(try run(["/bin/sh", "-c", "printf '%s' \"$A\""], environment: ["A": "b c"])?.output == "b c")
    }

    @Test("Its input is a file, however large, also for who opens it by its name")
    func input() throws {
        let text = String(repeating: "x", count: 300_000)
        #expect(try run(["/bin/sh", "-c", "wc -c < /dev/stdin"], input: text)?.output == "300000")
        #expect(try run(["/bin/sh", "-c", "true"], input: text)?.cause == .exited(0))
    }

    @Test("It may say as much as it likes, and leave others behind that keep its output open")
    func output() throws {
        let loud = try run(["/bin/sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' y"])
        #expect(loud?.cause == .exited(0) && loud?.output.utf8.count == 2000)
        #expect(try run(["/bin/sh", "-c", "sleep 5 & echo done"])?.output == "done")
    }

    @Test("It has no descriptor but its three, and each signal as it is by default, also where campipe ignores it")
    func inherits() throws {
        // One that is not closed by itself.
        let opened = Glibc.open("/dev/null", O_RDONLY)
        defer { close(opened) }
        let end = try run([
            "/bin/sh", "-c", "ls /proc/self/fd | tr '\\n' ' '; grep -E '^Sig(Ign|Blk)' /proc/self/status",
        ])
        let said = try #require(end?.output)
        // `ls` itself has the folder open.
        #expect(said.hasPrefix("0 1 2 3 "), "\(said)")
        #expect(!said.hasPrefix("0 1 2 3 4"), "\(said)")
        let signals = said.components(separatedBy: "Sig").dropFirst().compactMap { line in
            UInt64(line.drop { $0 != "0" }.prefix { $0.isHexDigit }, radix: 16)
        }
        // The C library ignores two of its own, beyond the 31 that there are names for.
        #expect(signals.count == 2 && signals.allSatisfy { $0 & 0x7FFF_FFFF == 0 }, "\(said)")
    }

    @Test("A program that is not there is an error, and leaves nothing behind")
    func missing() throws {
        do {
            _ = try ChildProcess(["/nowhere/alarm"], environment: [:], input: []) { _ in }
            Issue.record("it started")
        } catch {
            #expect(error.kind == .notFound && error.message.hasPrefix("cannot run /nowhere/alarm: "))
        }
    }

    @Test("Many at once from many threads each get their own input, and all are waited for")
    func many() throws {
        let wrong = Lock<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            let end = try? run(["/bin/cat"], input: "\(index)")
            if end?.output != "\(index)" { wrong.withLock { $0.append("\(index): \(String(describing: end))") } }
        }
        #expect(wrong.withLock { $0 }.isEmpty)
    }
}
