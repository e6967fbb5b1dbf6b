import CSpawn
import CampipeKit
import Glibc

/// A program that runs with nothing of ours: no descriptor but its three, no environment but what is listed, in a
/// process group of its own, within limits. It is ended, with all that it started, and waited for, before this goes.
///
/// One owner, in one node's turns.
@safe final class ChildProcess {
    let id: pid_t
    /// Our ends: what the child reads, what it writes, and what it complains of. They do not block.
    let input: Int32
    let output: Int32
    let errors: Int32
    /// Readable once the child has ended; -1 where the kernel has no such thing.
    let watch: Int32
    private var isInputOpen = true
    private var status: Int32?

    /// - Parameter memory: What the child gets as descriptor 3; nil is nothing.
    /// - Throws: `.unavailable` when it cannot be started, `.exhausted` when there are no descriptors.
    convenience init(_ command: ChildCommand, memory: Int32? = nil) throws(CampipeError) {
        var ends: [[Int32]] = []
        for ours in [1, 0, 0] {
            var pair: [Int32] = [-1, -1]
            guard unsafe cspawn_pipe(&pair, Int32(ours)) == 0 else {
                let code = errno
                for end in ends.joined() { close(end) }
                throw .system("cannot make a pipe", errno: code, kind: .exhausted)
            }
            ends.append(pair)
        }
        // Writing to a child that has gone must be an error, not the end of the process.
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
        var process = pid_t()
        let code = Self.start(command, ends, memory ?? -1, &process)
        for theirs in [ends[0][0], ends[1][1], ends[2][1]] { close(theirs) }
        guard code == 0 else {
            for ours in [ends[0][1], ends[1][0], ends[2][0]] { close(ours) }
            throw .system("cannot start \(command.path)", errno: code, kind: .unavailable)
        }
        self.init(process, ends[0][1], ends[1][0], ends[2][0])
        limit(command.limits)
    }

    private init(_ id: pid_t, _ input: Int32, _ output: Int32, _ errors: Int32) {
        self.id = id
        self.input = input
        self.output = output
        self.errors = errors
        watch = cspawn_watch(id)
    }

    deinit {
        kill()
        if isInputOpen { close(input) }
        for descriptor in [output, errors, watch] where descriptor >= 0 { close(descriptor) }
    }

    private static func start(
        _ command: ChildCommand, _ ends: [[Int32]], _ memory: Int32, _ process: inout pid_t
    ) -> Int32 {
        var arguments = unsafe ([command.path] + command.arguments).map { unsafe strdup($0) } + [nil]
        var environment =
            unsafe command.environment.sorted { $0.key < $1.key }.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            unsafe arguments.forEach { unsafe free($0) }
            unsafe environment.forEach { unsafe free($0) }
        }
        return unsafe cspawn_start(
            &process, command.path, &arguments, &environment, ends[0][0], ends[1][1], ends[2][1], memory)
    }

    private func limit(_ limits: ChildCommand.Limits) {
        if let memory = limits.memory { cspawn_limit(id, cspawn_address_space, UInt64(memory.bytes)) }
        cspawn_limit(id, cspawn_descriptors, UInt64(limits.descriptors))
        if let time = limits.processorTime {
            cspawn_limit(id, cspawn_processor_time, UInt64(max(1, time.nanoseconds / 1_000_000_000)))
        }
    }

    /// Tells the child that nothing more comes.
    func closeInput() {
        guard isInputOpen else { return }
        isInputOpen = false
        close(input)
    }

    /// Whether the child has ended. It is waited for by `kill`, so that its number stays its own until then.
    var hasEnded: Bool { status != nil || cspawn_has_ended(id) }

    /// Waits until it has ended, a hundredth of a second at most.
    func pause() {
        var polled = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&polled, 1, 10)
    }

    /// Asks the child and all that it started to end.
    func terminate() { if status == nil { Glibc.kill(-id, SIGTERM) } }

    /// Ends the child and all that it started, and waits for it.
    func kill() {
        guard status == nil else { return }
        Glibc.kill(-id, SIGKILL)
        var found: Int32 = 0
        while unsafe waitpid(id, &found, 0) < 0 { if errno != EINTR { break } }
        status = found
    }

    /// How it ended, in words: `ended with code 3`, `was ended by signal 11 (Segmentation fault)`.
    var ending: String {
        guard let status else { return "runs" }
        let signal = status & 0x7F
        if signal == 0 { return "ended with code \(status >> 8 & 0xFF)" }
        let name = unsafe strsignal(signal).map { unsafe String(cString: $0) } ?? ""
        return "was ended by signal \(signal) (\(name))"
    }
}
