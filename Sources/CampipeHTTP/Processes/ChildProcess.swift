import CNet
package import CampipeKit
import Glibc

/// A program that was started: in a process group of its own, with no descriptor of ours but the three that it is given,
/// and with a thread that waits for it, so that no zombie stays. All may be called from any thread.
@safe package final class ChildProcess: Sendable {
    /// How it ended, and what it said first on standard output and standard error.
    package struct End: Hashable, Sendable {
        package enum Cause: Hashable, Sendable {
            case exited(Int32)
            case signalled(Int32)
        }
        package var cause: Cause
        /// At most 2,000 bytes, with the blanks around it cut off.
        package var output: String
    }

    private static let mostOutput = 2000

    private let process: pid_t
    /// Whether its number may be another process's by now.
    private let isGone = Lock(false)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - argv: Its name, looked for in `PATH` unless it has a slash, and its arguments.
    ///   - input: What it finds on its standard input, a file.
    ///   - ended: Called once, on a thread of its own, when it is over.
    /// - Throws: `.notFound`, `.failed` or `.exhausted` when it cannot be started; `ended` is not called then.
    package init(
        _ argv: [String], environment: [String: String], input: [UInt8], ended: @escaping @Sendable (End) -> Void
    ) throws(CampipeError) {
        let name = argv.first ?? ""
        let file = unsafe input.withUnsafeBytes { bytes in
            unsafe cnet_memory_file(bytes.baseAddress, bytes.count, nil, 0, nil, 0)
        }
        guard file >= 0 else {
            throw .system("cannot run \(name)", errno: errno, kind: .exhausted)
        }
        defer { close(file) }
        lseek(file, 0, SEEK_SET)
        var output: [Int32] = [-1, -1]
        guard unsafe cnet_pipe(&output) == 0 else {
            throw .system("cannot run \(name)", errno: errno, kind: .exhausted)
        }
        let reading = output[0]
        var process: pid_t = 0
        let code = unsafe ChildProcess.withCStrings(argv) { argv in
            unsafe ChildProcess.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                unsafe cnet_spawn(&process, argv, variables, file, output[1])
            }
        }
        close(output[1])
        guard code == 0 else {
            close(reading)
            throw .system("cannot run \(name)", errno: code, kind: code == ENOENT ? .notFound : .failed)
        }
        self.process = process
        let own = process
        let isGone = isGone
        do throws(CampipeError) {
            try NamedThread.start("command") {
                let end = ChildProcess.follow(own, reading, isGone)
                ended(end)
            }
        } catch {
            kill(-process, SIGKILL)
            var status: Int32 = 0
            unsafe waitpid(process, &status, 0)
            close(reading)
            throw error
        }
    }

    /// Sends a signal to the program and all that it started in its group; nothing happens once it is over.
    package func signal(_ number: Int32) { isGone.withLock { isGone in if !isGone { kill(-process, number) } } }

    // MARK: On the waiting thread

    /// Reads what it says until it is over.
    private static func follow(_ process: pid_t, _ reading: Int32, _ isGone: borrowing Lock<Bool>) -> End {
        defer { close(reading) }
        let watched = cnet_watch_process(process)
        defer { if watched >= 0 { close(watched) } }
        var said: [UInt8] = []
        var polled = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watched, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            // A kernel that cannot tell of its end is asked.
            _ = unsafe poll(&polled, 2, watched >= 0 ? -1 : 50)
            // Whoever it started may still hold the pipe; so its own end counts.
            let cause = reaped(process, isGone)
            if !read(reading, &said) { polled[0].fd = -1 }
            if let cause {
                let text = said.drop { $0 <= 0x20 }
                let end = text.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? text.startIndex
                let shown = String(decoding: text[text.startIndex..<end], as: UTF8.self)
                return End(cause: cause, output: PrintableText.escaping(shown, keepsLines: true))
            }
        }
    }

    /// How it ended, if it has; its number is free then.
    private static func reaped(_ process: pid_t, _ isGone: borrowing Lock<Bool>) -> End.Cause? {
        isGone.withLock { isGone in
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            guard found != 0, found == process || errno == ECHILD else { return nil }
            isGone = true
            // As <sys/wait.h> takes a status apart.
            return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
        }
    }

    /// Reads what is there.
    ///
    /// - Returns: Whether there may be more.
    private static func read(_ descriptor: Int32, _ said: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<64 {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            said += buffer[..<count].prefix(max(0, mostOutput - said.count))
        }
        return true
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies = unsafe texts.map { unsafe strdup($0) }
        unsafe copies.append(nil)
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe copies.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("there is always the end") }
            return unsafe body(start)
        }
    }
}
