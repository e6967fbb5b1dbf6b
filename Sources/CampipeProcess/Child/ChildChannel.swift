import CampipeKit
import Glibc

/// Carries messages to a child and from it, and its complaints to the log, while its owner waits: nothing here waits
/// longer than it was told, writing and reading go on side by side, and a child that ends is noticed at once.
///
/// One owner, in one node's turns, which may block.
@safe final class ChildChannel {
    /// A message that came whole. Its data is lent until the next one is asked for.
    struct Message {
        var header: MessageHeader
        var text: ArraySlice<UInt8>
        /// Where its data lies in `body`.
        var data: Range<Int>
    }

    private let process: ChildProcess
    private let clock: any PipelineClock
    private let log: Log
    private let outgoing = OutgoingBytes()
    /// The header that is being read, and then what follows it.
    private var head: [UInt8] = []
    private var current: MessageHeader?
    private var body: [UInt8] = []
    private var bodyFilled = 0
    private var lines = ChildLines()
    private var hasOutputEnded = false
    private var hasErrorsEnded = false

    /// So long it waits at a time before it looks at the clock and at the stop flag.
    private static let slice = Duration.milliseconds(50)

    init(_ process: ChildProcess, clock: any PipelineClock, log: Log) {
        self.process = process
        self.clock = clock
        self.log = log
    }

    /// Whether all that was sent has been written.
    var isFlushed: Bool { outgoing.isEmpty }

    /// Queues a message without data, or whose data lies in shared memory; it is written while somebody waits.
    func send(_ header: MessageHeader, text: [UInt8] = []) {
        var header = header
        header.textCount = text.count
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        outgoing.append(bytes + text)
    }

    /// Queues a message with data.
    ///
    /// - Parameter data: Writes its data, of `header.dataCount` bytes.
    func send(_ header: MessageHeader, text: [UInt8], data: (UnsafeMutableRawBufferPointer) -> Void) {
        send(header, text: text)
        unsafe outgoing.append(header.dataCount) { target in unsafe data(target) }
    }

    /// Lends the data of a message that came.
    func withData<Result>(_ range: Range<Int>, _ use: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        unsafe try body.withUnsafeBytes { unsafe try use(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// The next message that comes.
    ///
    /// - Parameters:
    ///   - deadline: Until when it waits; what is there already is taken in any case.
    ///   - stop: Ends the wait once it is raised.
    ///   - admit: Throws for a header whose message may not come; asked before there is room for what follows.
    /// - Returns: nil when none came in time.
    /// - Throws: What `admit` throws; `.badData` for what is no message; `.failed` when the child has ended.
    func receive(
        by deadline: Instant, stop: StopFlag? = nil, admit: (MessageHeader) throws(CampipeError) -> Void
    ) throws(CampipeError) -> Message? {
        while true {
            if let message = try read(admit) { return message }
            if hasOutputEnded || process.watch < 0 && process.hasEnded { throw gone() }
            let now = clock.now
            let isOver = now >= deadline || stop?.isRaised == true
            let ready = wait(isOver ? .zero : min(deadline - now, Self.slice))
            if ready.hasEnded, !ready.canRead { throw gone() }
            if isOver, !ready.canRead { return nil }
        }
    }

    /// Writes what is queued, for half a second at most, whatever clock there is.
    func flush() {
        for _ in 0..<10 where !isFlushed { if wait(Self.slice).hasEnded { return } }
    }

    /// Why the child is not there any more, with the last that it complained of.
    func gone() -> CampipeError {
        let hadEnded = process.hasEnded || settles()
        process.kill()
        readErrors()
        show(lines.end(at: clock.now))
        let how = hadEnded ? process.ending : "closed its standard output"
        return CampipeError(.failed, "the program \(how)" + (lines.last.map { ": \($0)" } ?? ""))
    }

    /// One whose output has ended mostly ends in a moment.
    private func settles() -> Bool {
        for _ in 0..<20 {
            if process.hasEnded { return true }
            _ = poll(nil, 0, 10)
        }
        return process.hasEnded
    }

    // MARK: Waiting

    private func wait(_ limit: Duration) -> (canRead: Bool, hasEnded: Bool) {
        var polled = [
            pollfd(fd: hasOutputEnded ? -1 : process.output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasErrorsEnded ? -1 : process.errors, events: Int16(POLLIN), revents: 0),
            pollfd(fd: process.watch, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isFlushed ? -1 : process.input, events: Int16(POLLOUT), revents: 0),
        ]
        let milliseconds = Int32(max(0, (limit.nanoseconds + 999_999) / 1_000_000))
        guard unsafe poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return (false, false) }
        if polled[1].revents != 0 { readErrors() }
        if polled[3].revents != 0 { write() }
        return (polled[0].revents != 0, polled[2].revents != 0)
    }

    private func write() {
        while !isFlushed {
            var isBlocked = false
            unsafe outgoing.send { bytes in
                let count = unsafe Glibc.write(process.input, bytes.baseAddress, bytes.count)
                guard count < 0 else { return count }
                if errno == EINTR { return 0 }
                isBlocked = true
                // It reads no more, unless it only has no room; that it ended is noticed on its output.
                return errno == EAGAIN ? 0 : bytes.count
            }
            if isBlocked { return }
        }
    }

    private func readErrors() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // So that a child that only complains does not keep us: a pipe's worth at a time.
        for _ in 0..<16 where !hasErrorsEnded {
            let count = unsafe Glibc.read(process.errors, &chunk, chunk.count)
            if count > 0 {
                show(lines.take(chunk[..<count], at: clock.now))
            } else if count == 0 {
                hasErrorsEnded = true
            } else if errno != EINTR {
                return
            }
        }
    }

    private func show(_ said: (lines: [String], left: Int)) {
        if said.left > 0 { log.warning("the program says more than is shown", ["lines": said.left]) }
        for line in said.lines { log.info("the program says", ["line": line]) }
    }

    // MARK: Reading

    /// - Returns: A whole message, if there is one; nil once all that is there was read.
    private func read(_ admit: (MessageHeader) throws(CampipeError) -> Void) throws(CampipeError) -> Message? {
        while !hasOutputEnded {
            if let header = current {
                if bodyFilled == header.bodyCount { return take(header) }
                guard fill(header.bodyCount) else { return nil }
            } else {
                guard try readHeader() else { return nil }
                let header = try MessageHeader(head)
                try admit(header)
                head.removeAll(keepingCapacity: true)
                current = header
                bodyFilled = 0
                if body.count < header.bodyCount { body = [UInt8](repeating: 0, count: header.bodyCount) }
            }
        }
        return nil
    }

    private func take(_ header: MessageHeader) -> Message {
        current = nil
        return Message(
            header: header, text: body[..<header.textCount], data: header.textCount..<header.bodyCount)
    }

    private func readHeader() throws(CampipeError) -> Bool {
        var chunk = [UInt8](repeating: 0, count: MessageHeader.byteCount)
        while head.count < MessageHeader.byteCount {
            let count = unsafe Glibc.read(process.output, &chunk, MessageHeader.byteCount - head.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                if count == 0 { hasOutputEnded = true }
                return false
            }
            head += chunk[..<count]
            // What is no message may be shorter than a header, and nothing more come.
            let start = min(head.count, MessageHeader.magic.count)
            if !MessageHeader.magic.starts(with: head[..<start]) { _ = try MessageHeader(head) }
        }
        return true
    }

    private func fill(_ total: Int) -> Bool {
        while bodyFilled < total {
            let count = unsafe body.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(process.output, bytes.baseAddress.unsafelyUnwrapped + bodyFilled, total - bodyFilled)
            }
            if count > 0 {
                bodyFilled += count
            } else if count == 0 {
                hasOutputEnded = true
                return false
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
