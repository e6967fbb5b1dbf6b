import CampipeKit
import Testing

@Suite("Node harness")
struct NodeHarnessTests {
    private func at(_ milliseconds: Int) -> Instant { Pictures.at(milliseconds) }
    private func said(_ harness: NodeHarness) -> [String] {
        harness.logged.map { entry in
            ([entry.message] + entry.facts.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
        }
    }
    private let gray = Format.frames(FrameFormat(.gray8, size: Size(16, 8)))

    @Test("a transform gets its format first, and its items come out in order, then the end")
    func transform() throws {
        let harness = try NodeHarness(Invert.self)
        try harness.push(Pictures.frame(1))
        try harness.push(Pictures.frame(2))
        try harness.end()
        try harness.end()
        #expect(harness.emissions() == [.format(gray), .item(at(1)), .item(at(2)), .end(nil)])
        #expect(harness.frames.map(\.level) == [155, 155])
        #expect(harness.takeItems(Frame.self).count == 2 && harness.frames.isEmpty)
        #expect(try harness.push(Pictures.frame(3)) == .ended && !harness.isOpen)
    }

    @Test("an input that is neither emitted nor held leaves a gap by itself")
    func filters() throws {
        let harness = try NodeHarness(Delay.self, options: ["keep": "0", "every": "2"])
        for time in 1...4 { try harness.push(Pictures.frame(time)) }
        let filtered = { (time: Int) in Emission.gap(Gap(.filtered, at: Pictures.at(time))) }
        #expect(harness.emissions() == [.format(gray), filtered(1), .item(at(2)), filtered(3), .item(at(4))])
    }

    @Test("what is held comes with the draining at the end, and upstream gaps stay behind it")
    func holds() throws {
        let harness = try NodeHarness(Delay.self, options: ["keep": "2"])
        let gap = Gap(.full, count: 5, at: at(2))
        try harness.push(Pictures.frame(1))
        harness.gap(gap)
        try harness.push(Pictures.frame(3))
        #expect(harness.holds == 2 && harness.frames.isEmpty)
        try harness.push(Pictures.frame(4))
        #expect(harness.emissions() == [.format(gray), .item(at(1)), .gap(gap)])
        try harness.end()
        #expect(Array(harness.emissions().suffix(3)) == [.item(at(3)), .item(at(4)), .end(nil)])
    }

    @Test("a change of format drains the node first")
    func formatChange() throws {
        let harness = try NodeHarness(Delay.self)
        try harness.push(Pictures.frame(1))
        let large = Pictures.frame(2, size: Size(32, 32))
        try harness.push(large)
        #expect(harness.emissions() == [.format(gray), .item(at(1)), .format(.frames(large.format))])
        try harness.end()
        #expect(
            harness.emissions() == [
                .format(gray), .item(at(1)), .format(.frames(large.format)), .item(at(2)), .end(nil),
            ])
    }

    @Test("an item at which the node fails leaves a gap, and the next may follow")
    func failures() throws {
        let harness = try NodeHarness(Delay.self, options: ["keep": "0", "fail_at": "1"])
        let error = #expect(throws: CampipeError.self) { try harness.push(Pictures.frame(1)) }
        #expect(error?.message == "number 1 is bad")
        try harness.push(Pictures.frame(2))
        #expect(harness.emissions() == [.format(gray), .gap(Gap(.failed, at: at(1))), .item(at(2))])
    }

    @Test("marks go on to what is made of an item")
    func marks() throws {
        let harness = try NodeHarness(Invert.self)
        let frame = Pictures.frame(1)
        frame.storage.flags = [.exempt, .damaged]
        try harness.push(frame)
        #expect(harness.frames.first?.storage.flags.contains(.exempt) == true)
    }

    @Test("a join sees what its sides captured")
    func join() throws {
        let harness = try NodeHarness(Stamp.self)
        try harness.push(Pictures.frame(10), sides: ["events": [Pictures.event(1), Pictures.event(2)]])
        try harness.push(Pictures.frame(20), sides: ["logo": [Pictures.frame(15, level: 9)]])
        try harness.push(Pictures.frame(30))
        #expect(harness.frames.map(\.level) == [2, 90, 0])
    }

    @Test("a source runs until it ends, as fast as it can")
    func fastSource() throws {
        let harness = try NodeHarness(Counter.self, options: ["count": "4"])
        try harness.run()
        #expect(harness.frames.map(\.level) == [0, 1, 2, 3] && harness.next == .ended)
        #expect(harness.emissions().last == .end(nil) && harness.clock.now == .zero)
    }

    @Test("a source that keeps time is called when it asked to be")
    func pacedSource() throws {
        let harness = try NodeHarness(Counter.self, options: ["count": "100", "fast": "false"], isLive: true)
        try harness.run(until: at(100))
        #expect(harness.frames.map(\.captured) == [at(0), at(40), at(80)])
        #expect(harness.clock.now == at(100))
        try harness.advance(by: .milliseconds(20))
        #expect(harness.frames.count == 4)
        try harness.run(turns: 2)
        #expect(harness.frames.count == 6)
    }

    @Test("pictures of a source go back to the pool when they are taken and let go")
    func pool() throws {
        let harness = try NodeHarness(Counter.self)
        try harness.run()
        #expect(harness.pool.usedBytes > 0)
        _ = harness.takeItems(Frame.self)
        #expect(harness.pool.usedBytes == 0)
    }

    @Test("a sink is opened, told its format, gaps and gate, given its items, woken, and finished once")
    func sink() throws {
        let harness = try NodeHarness(Notebook.self, options: ["nap": "30ms"], isLive: true)
        #expect(try harness.push(Pictures.frame(1)) == .waitUntil(at(30)))
        try harness.push(Pictures.packet(2), on: Notebook.audio)
        harness.gap(Gap(.full, count: 2, at: at(3)))
        try harness.gate(GateChange(isOpen: true, at: at(3), event: nil))
        try harness.push(Pictures.frame(4))
        try harness.advance(by: .milliseconds(50))
        try harness.run(until: at(100_000))
        try harness.end()
        #expect(
            said(harness) == [
                "open id=node live=true", "begin format=frames gray8 16x8", "frame", "packet on audio", "gap count=2",
                "gate open=true", "frame", "wake at=30", "wake at=100000", "finish",
            ])
        #expect(harness.wants == [3: Want(maxWidth: 160)])
    }

    @Test("a sink that has enough is finished, and takes nothing more")
    func enough() throws {
        let harness = try NodeHarness(Notebook.self, options: ["enough": "1"])
        #expect(try harness.push(Pictures.frame(1)) == .ended)
        #expect(try harness.push(Pictures.frame(2)) == .ended)
        #expect(said(harness).filter { $0 == "frame" }.count == 1 && said(harness).last == "finish")
    }

    @Test("faults of the options and formats that do not fit are errors in words")
    func refuses() throws {
        let error = #expect(throws: CampipeError.self) {
            try NodeHarness(Delay.self, options: ["keep": "x", "evry": "2"])
        }
        #expect(
            error?.message == """
                keep: "x" is not a whole number; accepted: 0…100
                evry: unknown key "evry"; did you mean "every"?
                """)
        struct GrayOnly: Transform {
            static let name = "gray_only"
            static let summary = "Takes grey."
            static let accepts: [Format] = [.frames(.gray8)]
            mutating func process(_ frame: consuming Frame, to output: inout Output) throws { output.emit(frame) }
        }
        let harness = try NodeHarness(GrayOnly.self)
        let refused = #expect(throws: CampipeError.self) { try harness.push(Pictures.frame(1, .yuv420)) }
        #expect(refused?.kind == .unsupported)
    }

    @Test("a node whose harness goes is finished all the same")
    func finishes() throws {
        final class Flag: Sendable {
            let isSet = Lock(false)
        }
        struct Told: Sink {
            static let name = "told"
            static let summary = "Tells when it is finished."
            private var flag: Flag?
            mutating func open(_ context: borrowing Context) throws { flag = try context.service(Flag.self) }
            mutating func finish() throws { flag?.isSet.withLock { $0 = true } }
            mutating func consume(_ item: consuming Frame) throws -> Next { .more }
        }
        let flag = Flag()
        var services = Services()
        services.add(flag)
        do { _ = try NodeHarness(Registration(sink: Told.self), services: services) }
        #expect(flag.isSet.withLock { $0 })
    }

    @Test("it shows how long a source rests: until then, and no longer than to its next item")
    func rests() throws {
        let harness = try NodeHarness(Sleeper.self, isLive: true)
        #expect(harness.rest == nil)
        try harness.run(until: at(3000))
        #expect(harness.frames.count == 1 && harness.rest == .seconds(12))
        try harness.run(until: at(10_000))
        #expect(harness.frames.count == 2 && harness.rest == .seconds(15))
        // The third comes before it was said to, and without a word of when the next one will.
        try harness.run(until: at(20_000))
        #expect(harness.frames.count == 3 && harness.rest == nil)
    }
}

/// Gives a picture each 10 s, and says of the first three that they may come 5 s later.
private struct Sleeper: Source {
    static let name = "sleeper"
    static let summary = "Sleeps most of the time."
    static let outputs: [any AnyPort] = [Out<Frame>("out", format: .frames(.gray8))]
    private var clock: (any PipelineClock)?
    private var number = 0
    mutating func open(_ context: borrowing Context) throws { clock = context.clock }
    mutating func next(to output: inout Output) throws -> Next {
        let due = Instant.zero + .seconds(10) * number
        if let clock, clock.now < due {
            if number < 3 { output.rest(until: due + .seconds(5)) }
            return .waitUntil(due)
        }
        output.emit(Frame.flat(UInt8(number), at: due - .zero))
        number += 1
        return .more
    }
}
