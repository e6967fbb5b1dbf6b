package import CampipeKit
import CProcess
import Glibc

/// Runs a program to its end, or to a deadline, and keeps what it says. The calling thread waits.
package struct ChildProgram: Sendable {
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        /// A signal ended it.
        case crashed(Int32)
        /// It was still there at the deadline, and was killed.
        case timedOut
    }

    package struct Result: Sendable {
        package var ending: Ending
        package var output: [UInt8]
        package var errors: [UInt8]

        package var outputText: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    /// The most bytes of each stream that are kept; what comes beyond is read and thrown away.
    static let limit = 8 << 20

    package var path: String
    package var words: [String]
    /// All of its environment.
    package var environment: [String: String]
    package var folder: String?
    package var deadline: Duration

    package init(
        _ path: String, _ words: [String], environment: [String: String], folder: String? = nil, deadline: Duration
    ) {
        self.path = path
        self.words = words
        self.environment = environment
        self.folder = folder
        self.deadline = deadline
    }

    /// Runs it. It inherits nothing but its three streams, and its standard input is empty.
    ///
    /// - Throws: `CampipeError` when it cannot be started.
    package func run() throws(CampipeError) -> Result {
        let (output, errors) = (try Pipe(), try Pipe())
        let process = try spawn(output: output.writing, errors: errors.writing)
        close(output.writing)
        close(errors.writing)
        defer {
            close(output.reading)
            close(errors.reading)
        }
        let clock = SystemClock()
        let end = clock.now + deadline
        var texts: [[UInt8]] = [[], []]
        var open = [true, true]
        var isLate = false
        while open.contains(true) {
            let left = end - clock.now
            guard left > .zero else {
                isLate = true
                break
            }
            var polls = [output.reading, errors.reading].enumerated().map { index, descriptor in
                pollfd(fd: open[index] ? descriptor : -1, events: Int16(POLLIN), revents: 0)
            }
            let milliseconds = Int32(clamping: left.components.seconds * 1000 + 100)
            guard unsafe poll(&polls, 2, min(milliseconds, 1000)) > 0 else { continue }
            for index in 0..<2 where polls[index].revents != 0 {
                open[index] = Self.read(polls[index].fd, into: &texts[index])
            }
        }
        let ending = Self.wait(for: process, isLate: isLate, until: end, clock)
        return Result(ending: ending, output: texts[0], errors: texts[1])
    }

    private struct Pipe {
        let reading: Int32
        let writing: Int32

        init() throws(CampipeError) {
            var ends: [Int32] = [0, 0]
            guard unsafe cprocess_pipe(&ends) == 0 else {
                throw CampipeError.system("cannot make a pipe", errno: errno, kind: .exhausted)
            }
            (reading, writing) = (ends[0], ends[1])
        }
    }

    private static func read(_ descriptor: Int32, into text: inout [UInt8]) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        }
        guard count > 0 else { return count < 0 && errno == EINTR }
        text += bytes[..<min(count, max(0, limit - text.count))]
        return true
    }

    /// Its end; what does not end in time is killed, with all that it started in its group.
    private static func wait(for process: pid_t, isLate: Bool, until end: Instant, _ clock: SystemClock) -> Ending {
        var status: Int32 = 0
        var isLate = isLate
        while !isLate {
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { return ending(status) }
            if found < 0, errno != EINTR { return .exited(-1) }
            _ = poll(nil, 0, 2)
            isLate = clock.now >= end
        }
        kill(-process, SIGKILL)
        kill(process, SIGKILL)
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return .timedOut
    }

    private static func ending(_ status: Int32) -> Ending {
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .crashed(signal)
    }

    private func spawn(output: Int32, errors: Int32) throws(CampipeError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        _ = unsafe cprocess_close_from(&actions, STDERR_FILENO + 1)
        if let folder { _ = unsafe cprocess_begin_in(&actions, folder) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&usual)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var process: pid_t = 0
        let code = unsafe Self.withStrings([path] + words) { arguments in
            unsafe Self.withStrings(environment.map { "\($0.key)=\($0.value)" }.sorted()) { variables in
                unsafe posix_spawn(&process, path, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw CampipeError.system("cannot start \(path)", errno: code) }
        return process
    }

    private static func withStrings<T>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> T
    ) -> T {
        var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // The array has one element at least: the nil behind the last string.
            guard let start = buffer.baseAddress else { preconditionFailure("no strings and no end of them") }
            return unsafe body(start)
        }
    }
}
