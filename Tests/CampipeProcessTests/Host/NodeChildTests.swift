import CampipeKit
import Foundation
import Testing

@testable import CampipeProcess

/// Children in Python that misbehave: each is noticed, ended and waited for, and says why.
@Suite("A node in a child", .enabled(if: TestChild.hasPython, "there is no /usr/bin/python3"))
struct NodeChildTests {
    @Test("a frame goes to the child and comes back with its pixels, its times and its marks")
    func roundTrip() throws {
        let test = TestChild()
        let child = try test.start("well")
        defer { child.finish() }
        let frame = TestChild.frame(7)
        var made: [Frame] = []
        try child.begin(.frames(frame.format)) { _ in }
        try child.give(frame.storage) { if case .frame(_, let frame) = $0 { made.append(frame) } }
        let back = try #require(made.first)
        #expect(made.count == 1)
        #expect(back.format == frame.format)
        #expect((back.captured, back.pts) == (frame.captured, frame.pts))
        #expect(back.pts.timebase == .rtpVideo)
        #expect(TestChild.bytes(back) == TestChild.bytes(frame))
    }

    @Test("frames that the pipe cannot hold go both ways at once")
    func large() throws {
        let child = try TestChild().start("well")
        defer { child.finish() }
        let frame = TestChild.frame(3, size: Size(1920, 1080))
        try child.begin(.frames(frame.format)) { _ in }
        for _ in 0..<3 {
            var count = 0
            try child.give(frame.storage) { _ in count += 1 }
            #expect(count == 1)
        }
    }

    static let hostile: [(mode: String, kind: CampipeError.Kind, sentence: String)] = [
        ("crashes", .failed, "was ended by signal 11"), ("exits", .failed, "ended with code 7: cannot go on"),
        ("hangs", .timedOut, "did not answer within 1s"), ("garbage", .badData, "is no message"),
        ("exits in mid-frame", .failed, "ended with code 0"), ("huge frame", .badData, "more than a message may have"),
        ("wrong size", .badData, "a frame of 6145 bytes"), ("talks", .timedOut, "did not answer within"),
        ("makes too much", .badData, "more of one input than is taken"), ("never reads", .timedOut, "did not answer"),
        ("leaks", .failed, "ended with code"), ("closes its output", .failed, "closed its standard output"),
    ]

    @Test("a child that does what it may not is ended, and the call says why", arguments: hostile)
    func misbehaves(_ mode: String, _ kind: CampipeError.Kind, _ sentence: String) throws {
        // To fill the memory takes longer than a second where the machine is busy.
        let test = TestChild(answerLimit: mode == "leaks" ? .seconds(60) : .seconds(1))
        let child = try test.start(mode)
        let frame = TestChild.frame(1, size: mode == "never reads" ? Size(2560, 1440) : Size(96, 64))
        let failure = #expect(throws: CampipeError.self) {
            try child.begin(.frames(frame.format)) { _ in }
            try child.give(frame.storage) { _ in }
        }
        #expect(failure?.kind == kind, "\(failure.map { "\($0)" } ?? "")")
        #expect(failure.map { "\($0)" }?.contains(sentence) == true, "\(failure.map { "\($0)" } ?? "")")
        #expect(child.isGone)
        #expect(TestChild.isGone(child.processID), "something of it is left")
        #expect(throws: CampipeError.self) { try child.give(frame.storage) { _ in } }
    }

    @Test(
        "one that does not become ready is not waited for",
        arguments: [
            ("never starts", "was not ready within 1s"),
            ("ends before it is ready", "ended with code 3: no such model"),
            ("prints", "begins with \"starting up"),
        ])
    func start(_ mode: String, _ sentence: String) {
        let failure = #expect(throws: CampipeError.self) { try TestChild(startLimit: .seconds(1)).start(mode) }
        #expect(failure.map { "\($0)" }?.contains(sentence) == true, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test("a program that is not there is said so, and is not tried for ever")
    func missing() {
        let failure = #expect(throws: CampipeError.self) { try ChildCommand("no-such-program-of-anybody") }
        #expect(failure?.kind == .notFound)
    }

    @Test("times that cannot be are put right, and the items go on")
    func times() throws {
        let test = TestChild()
        let child = try test.start("wrong pts")
        defer { child.finish() }
        let frame = TestChild.frame(1)
        try child.begin(.frames(frame.format)) { _ in }
        var made: [Frame] = []
        try child.give(frame.storage) { if case .frame(_, let frame) = $0 { made.append(frame) } }
        #expect(made.first?.captured == frame.captured)
        #expect(made.first?.pts == frame.pts)
        #expect(test.lines.contains { $0.contains("times that cannot be") })
    }

    @Test("a flood on standard error keeps nobody, and is cut")
    func flood() throws {
        let test = TestChild()
        let child = try test.start("floods stderr")
        defer { child.finish() }
        let frame = TestChild.frame(1)
        try child.begin(.frames(frame.format)) { _ in }
        for _ in 0..<3 { try child.give(frame.storage) { _ in } }
        #expect(test.lines.count < 500, "\(test.lines.count)")
    }

    @Test("an item that the child refuses is one error, and the next is taken")
    func refusal() throws {
        let child = try TestChild().start("refuses the second")
        defer { child.finish() }
        let frame = TestChild.frame(1)
        try child.begin(.frames(frame.format)) { _ in }
        try child.give(frame.storage) { _ in }
        let failure = #expect(throws: CampipeError.self) { try child.give(frame.storage) { _ in } }
        #expect(failure?.kind == .badData)
        #expect(failure?.message == "the program failed: no picture")
        try child.give(frame.storage) { _ in }
    }

    @Test(
        "finishing ends it, what it started, and what does not end by itself",
        arguments: ["well", "ignores the end", "leaves a child"])
    func finish(_ mode: String) throws {
        let test = TestChild()
        let child = try test.start(mode)
        child.finish()
        #expect(TestChild.isGone(child.processID), "something of it is left")
    }

    @Test("it has three descriptors, the variables that are listed, and a process group of its own")
    func surroundings() throws {
        let script = """
            import os
            names = sorted(int(name) for name in os.listdir('/proc/self/fd'))
            os.write(2, repr([n for n in names if os.path.exists(f'/proc/self/fd/{n}')]).encode() + b'\\n')
            os.write(2, repr(sorted(os.environ)).encode() + b'\\n')
            os.write(2, repr(os.getpgrp() == os.getpid()).encode() + b'\\n')
            import resource, time, signal
            while resource.getrlimit(resource.RLIMIT_NOFILE)[0] != 99: time.sleep(0.01)
            os.write(2, repr([resource.getrlimit(r)[1] for r in (resource.RLIMIT_AS, resource.RLIMIT_CPU)]).encode() + b'\\n')
            os.write(2, repr(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL).encode() + b'\\n')
            """
        let test = TestChild()
        let command = try ChildCommand(
            "/usr/bin/python3", arguments: ["-E", "-S", "-c", script], environment: ["LC_ALL": "C.UTF-8"],
            limits: .init(memory: .gibibytes(2), descriptors: 99, processorTime: .seconds(30)))
        let failure = #expect(throws: CampipeError.self) { try test.start(command) }
        #expect(failure?.message.contains("ended with code 0") == true, "\(failure.map { "\($0)" } ?? "")")
        #expect(test.said == ["[0, 1, 2]", "['LC_ALL']", "True", "[2147483648, 30]", "True"])
    }
}

/// A child of the fixtures, and what the log says of it.
final class TestChild: Sendable {
    static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    private let startLimit: Duration
    private let answerLimit: Duration
    private let entries = Lock<[Log.Entry]>([])

    init(startLimit: Duration = .seconds(30), answerLimit: Duration = .seconds(30)) {
        self.startLimit = startLimit
        self.answerLimit = answerLimit
    }

    /// The lines of the log.
    var lines: [String] {
        entries.withLock { $0 }.map { entry in
            entry.message + entry.facts.map { " \($0.key)=\($0.value)" }.joined()
        }
    }
    /// What the child wrote on standard error.
    var said: [String] {
        entries.withLock { $0 }.filter { $0.message == "the program says" }.compactMap { $0.facts.last?.value }
    }

    private var context: Context {
        Context(
            id: "node", isLive: true, clock: SystemClock(),
            log: Log(level: .debug) { [entries] entry in entries.withLock { $0.append(entry) } })
    }

    func start(_ mode: String) throws -> NodeChild {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return try start(
            ChildCommand(
                "/usr/bin/python3", arguments: ["-E", "-S", folder.appendingPathComponent("child.py").path, mode],
                limits: .init(memory: .mebibytes(512)), startLimit: startLimit, answerLimit: answerLimit))
    }

    func start(_ command: ChildCommand) throws -> NodeChild {
        var command = command
        command.endLimit = .milliseconds(300)
        let context = self.context
        return try NodeChild(
            command,
            hello: Hello(
                context, contract: .transform, inputs: [In<Frame>("input").descriptor],
                outputs: [Out<Frame>("out").descriptor, Out<Event>("events").descriptor]),
            context: context)
    }

    /// Whether nothing of a process group runs any more, half a minute from now at the latest. Who lost its parent may still
    /// wait for another to take note.
    static func isGone(_ group: Int32) -> Bool {
        for _ in 0..<3000 {
            let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            let isLeft = processes.contains { name in
                guard name.allSatisfy(\.isNumber),
                    let line = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                    let close = line.lastIndex(of: ")")
                else { return false }
                let fields = line[line.index(after: close)...].split(separator: " ")
                return fields.count > 2 && fields[0] != "Z" && fields[0] != "X" && fields[2] == "\(group)"
            }
            if !isLeft { return true }
            usleep(10_000)
        }
        return false
    }

    static func frame(_ number: Int, size: Size = Size(96, 64)) -> Frame {
        let pixels = FramePool.shared.buffer(.gray8, size)
        pixels.withMutablePlane(0) { pointer, plane in
            for y in 0..<plane.height {
                for x in 0..<plane.width {
                    pointer[y * plane.stride + x] = UInt8(truncatingIfNeeded: x + y * 3 + number)
                }
            }
        }
        return Frame(
            pixels, captured: .zero + .seconds(100) + .milliseconds(40) * number,
            pts: MediaTime(ticks: Int64(3003 * number), timebase: .rtpVideo))
    }

    static func bytes(_ frame: Frame) -> [UInt8] {
        frame.withPlane(0) { pointer, plane in
            (0..<plane.height).flatMap { y in (0..<plane.width).map { pointer[y * plane.stride + $0] } }
        }
    }
}
