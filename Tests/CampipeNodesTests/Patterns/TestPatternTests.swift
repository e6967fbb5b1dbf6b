import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Generated streams")
struct TestPatternTests {
    private let frames = Registration(source: TestPattern<Frame>.self)
    private let packets = Registration(source: TestPattern<Packet>.self)
    private let small: Value.ValueMap = ["width": "64", "height": "48", "fps": "10"]

    private func options(_ more: Value.ValueMap) -> Value.ValueMap { Value.ValueMap(small.entries + more.entries) }

    @Test("in real time each picture comes when it is due, captured on an exact grid")
    func realtime() throws {
        let harness = try NodeHarness(frames, options: options(["count": "4"]), isLive: true)
        try harness.run(turns: 1)
        #expect(harness.frames.count == 1)
        try harness.advance(by: .milliseconds(250))
        #expect(harness.frames.map(\.captured.nanoseconds) == [0, 100_000_000, 200_000_000])
        try harness.run()
        #expect(harness.frames.count == 4)
        #expect(harness.emissions().last == .end(nil))
    }

    @Test("a source that was held up leaves out what is too late, and counts it as a gap")
    func late() throws {
        let harness = try NodeHarness(frames, options: options([:]), isLive: true)
        try harness.turn()
        harness.clock.advance(by: .milliseconds(520))
        try harness.turn()
        #expect(harness.frames.map(\.captured.nanoseconds) == [0, 500_000_000])
        #expect(
            harness.emissions().contains(
                .gap(
                    Gap(
                        count: 4, reasons: DropReasons(.superseded), from: Instant(nanoseconds: 100_000_000),
                        through: Instant(nanoseconds: 400_000_000)))))
    }

    @Test("at full speed nothing is left out and no clock is read")
    func max() throws {
        let harness = try NodeHarness(frames, options: options(["speed": "max", "count": "25"]))
        try harness.run()
        #expect(harness.frames.map(\.captured.nanoseconds) == (0..<25).map { $0 * 100_000_000 })
        #expect(harness.clock.now == .zero)
    }

    @Test("empty packets come many in a turn, as many as were asked for")
    func empty() throws {
        let harness = try NodeHarness(packets, options: ["kind": "empty", "count": "100", "speed": "max"])
        try harness.turn()
        #expect(harness.packets.count == 32)
        try harness.run()
        #expect(harness.packets.count == 100)
        #expect(harness.packets.allSatisfy { $0.data.count == 0 && $0.format == .empty })
    }

    @Test("the options pick the type: pictures are frames, empty ones packets")
    func resolution() {
        let registry = Registry([frames, packets])
        #expect(registry.source("test_pattern", for: [:])?.descriptor.outputs.first?.kind == .frame)
        #expect(registry.source("test_pattern", for: ["kind": "empty"])?.descriptor.outputs.first?.kind == .packet)
    }

    @Test("it is live in real time only")
    func live() {
        #expect(frames.inspect([:]).isLive)
        #expect(!frames.inspect(["speed": "max"]).isLive)
    }

    @Test("two pictures of the bars differ, and the same number is the same picture")
    func pictures() throws {
        func pictures() throws -> [[UInt8]] {
            let harness = try NodeHarness(frames, options: options(["speed": "max", "count": "9"]))
            try harness.run()
            return harness.frames.map { frame in (0..<48).flatMap { y in (0..<64).map { Pictures.pixel(frame, $0, y) } }
            }
        }
        let (first, second) = (try pictures(), try pictures())
        #expect(first == second)
        #expect(first[0] != first[8])
    }

    @Test("whoever makes few pictures says that it rests until the next, so that it is not taken for lost")
    func rests() throws {
        let pattern = try NodeHarness(
            TestPattern<Frame>.self, options: ["fps": "0.01", "width": "16", "height": "16"], isLive: true)
        try pattern.run(until: .zero + .seconds(30))
        #expect(pattern.frames.count == 1 && pattern.rest == .seconds(70))
        let demo = try NodeHarness(
            DemoSource.self, options: ["url": "demo://porch?width=64&height=48&fps=0.1"], isLive: true)
        try demo.run(until: .zero + .seconds(14))
        #expect(demo.packets.count == 2 && demo.rest == .seconds(6))
    }
}
