import Testing

@testable import CampipeKit

@Suite("Emission ledger")
struct EmissionLedgerTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("an input that is neither emitted nor held leaves a gap by itself")
    func filters() {
        var ledger = EmissionLedger(holds: 0)
        #expect(ledger.consumed(captured: at(1), emitted: 1) == nil)
        #expect(ledger.consumed(captured: at(2), emitted: 1) == Gap(.filtered, at: at(2)))
        #expect(ledger.consumed(captured: at(3), emitted: 3) == nil, "two of one input owe nothing")
        #expect(ledger.consumed(captured: at(4), emitted: 3) == Gap(.filtered, at: at(4)))
        #expect(ledger.drained(emitted: 3) == nil)
    }

    @Test("the watermark of a node that holds k items trails by k")
    func trails() {
        var ledger = EmissionLedger(holds: 2)
        #expect(ledger.consumed(captured: at(1), emitted: 0) == nil)
        #expect(ledger.consumed(captured: at(2), emitted: 0) == nil)
        #expect(ledger.consumed(captured: at(3), emitted: 0) == Gap(.filtered, at: at(1)))
        #expect(ledger.consumed(captured: at(4), emitted: 1) == nil)
        #expect(
            ledger.drained(emitted: 2)
                == Gap(count: 1, reasons: DropReasons(.filtered), from: at(4), through: at(4)))
    }

    @Test("inputs captured at one instant keep the watermark below the one that is held")
    func equalInstants() {
        var ledger = EmissionLedger(holds: 1)
        #expect(ledger.consumed(captured: at(5), emitted: 0) == nil)
        let gap = ledger.consumed(captured: at(5), emitted: 0)
        #expect(gap?.count == 1)
        #expect(gap.map { $0.through < at(5) } == true)
    }

    @Test("a gap from upstream goes on at once where nothing is held, else behind the held items")
    func upstream() {
        let gap = Gap(.full, count: 3, at: at(10))
        var plain = EmissionLedger(holds: 0)
        #expect(plain.gapCame(gap) == gap)

        var holding = EmissionLedger(holds: 2)
        #expect(holding.gapCame(gap) == gap, "nothing was taken yet, so nothing is held")
        #expect(holding.consumed(captured: at(11), emitted: 0) == nil)
        let second = Gap(.full, count: 1, at: at(12))
        #expect(holding.gapCame(second) == nil)
        #expect(holding.consumed(captured: at(13), emitted: 1) == nil)
        #expect(holding.consumed(captured: at(14), emitted: 2) == second)
        #expect(holding.drained(emitted: 3) == nil)
    }

    @Test("what waits goes with the draining")
    func drains() {
        var ledger = EmissionLedger(holds: 3)
        _ = ledger.consumed(captured: at(1), emitted: 0)
        #expect(ledger.gapCame(Gap(.full, count: 2, at: at(2))) == nil)
        #expect(
            ledger.drained(emitted: 0)
                == Gap(count: 3, reasons: [.init(.filtered), .init(.full)], from: at(1), through: at(2)))
        #expect(ledger.drained(emitted: 0) == nil)
    }

    @Test("that a camera was lost goes on at once, with a watermark below what is held")
    func lost() {
        var ledger = EmissionLedger(holds: 2)
        _ = ledger.consumed(captured: at(4), emitted: 0)
        let gap = ledger.gapCame(Gap(.lost, count: 0, at: at(9)))
        #expect(gap?.isLost == true)
        #expect(gap.map { $0.through < at(4) } == true)
    }

    @Test("random nodes: items and gaps make up all inputs, and no watermark is above an item to come")
    func balance() {
        for seed in UInt64(0)..<2000 { balance(seed: seed) }
    }

    private func balance(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var node = RandomNode(holds: Int.random(in: 0...5, using: &random))
        var ledger = EmissionLedger(holds: node.holds)
        var watermark = Instant.distantPast
        var (inputs, missing, counted) = (0, 0, 0)
        var time = 0

        func check(_ items: [Instant], then gap: Gap?, last: Bool = false) {
            for item in items { #expect(item > watermark, "seed \(seed): an item came below the watermark") }
            if let gap {
                #expect(gap.count >= 0 && gap.from <= gap.through, "seed \(seed)")
                counted += gap.count
                watermark = max(watermark, gap.through)
            }
            let answered = node.emitted + counted
            #expect(answered <= inputs + missing, "seed \(seed)")
            #expect(answered >= inputs - node.holds, "seed \(seed): more is owed than can be held")
            if last { #expect(answered == inputs + missing, "seed \(seed)") }
        }

        for _ in 0..<Int.random(in: 1...80, using: &random) {
            time += Int.random(in: 1...9, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let gap = Gap(.full, count: Int.random(in: 1...4, using: &random), at: at(time))
                missing += gap.count
                check([], then: ledger.gapCame(gap))
            case 1:
                check([], then: ledger.gapCame(Gap(.lost, count: 0, at: at(time))))
            case 2:
                let items = node.drain(using: &random)
                check(items, then: ledger.drained(emitted: node.emitted))
                #expect(node.emitted + counted == inputs + missing, "seed \(seed): a drained node owes nothing")
            default:
                inputs += 1
                let items = node.process(at(time), using: &random)
                check(items, then: ledger.consumed(captured: at(time), emitted: node.emitted))
            }
        }
        let items = node.drain(using: &random)
        check(items, then: ledger.drained(emitted: node.emitted), last: true)
    }
}

/// Holds and filters at random, as a node with `holds` may.
private struct RandomNode {
    let holds: Int
    private(set) var emitted = 0
    private var window: [(captured: Instant, isKept: Bool)] = []

    init(holds: Int) { self.holds = holds }

    mutating func process(_ captured: Instant, using random: inout SplitMix) -> [Instant] {
        window.append((captured, Int.random(in: 0..<3, using: &random) > 0))
        var items: [Instant] = []
        // What falls out of the window must go now; the others may.
        while window.count > holds || (!window.isEmpty && Bool.random(using: &random)) {
            let first = window.removeFirst()
            if first.isKept { items.append(first.captured) }
        }
        emitted += items.count
        return items
    }

    mutating func drain(using random: inout SplitMix) -> [Instant] {
        let items = window.filter { $0.isKept && Bool.random(using: &random) }.map(\.captured)
        window = []
        emitted += items.count
        return items
    }
}
