import CampipeKit
import Testing

@testable import CampipeRuntime

/// What hundreds of nodes cost, in work that is counted.
@Suite struct LongChainTests {
    @Test("The start and the end of a chain cost in proportion to its nodes: instances made, turns run")
    func proportion() {
        let small = Self.work(nodes: 20)
        let large = Self.work(nodes: 80)
        #expect(large.made < 5 * small.made, "\(small) \(large)")
        #expect(large.turns < 5 * small.turns, "\(small) \(large)")
    }

    /// Runs a few items through a chain.
    private static func work(nodes count: Int) -> (made: Int, turns: Int) {
        let made = Made()
        var nodes: [NodeDescription] = [.source("a", CountingSource.self, ["count": "3"])]
        for index in 0..<count {
            nodes.append(.transform("t\(index)", CountedTransform.self, from: index == 0 ? "a" : "t\(index - 1)"))
        }
        nodes.append(.sink("c", CollectingSink.self, from: "t\(count - 1)"))
        return Made.$current.withValue(made) {
            let test = TestPipeline(nodes)
            test.start()
            let turns = test.executor.run(limit: 100_000)
            #expect(test.outcome?.isClean == true)
            #expect(test.collector.numbers("c") == [0, 1, 2])
            return (made.count, turns)
        }
    }
}

/// How many instances were made of a type.
private final class Made: Sendable {
    @TaskLocal static var current: Made?
    private let number = Lock(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

/// Hands on what it gets.
private struct CountedTransform: Transform {
    typealias Input = Packet
    static let name = "counted"
    static let summary = "Hands on what it gets."
    init() { Made.current?.add() }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws { output.emit(item) }
}
