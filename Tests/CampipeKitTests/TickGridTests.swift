import Testing

@testable import CampipeKit

@Suite("Ticks of what has a rate of its own")
struct TickGridTests {
    private func instant(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("what is not live has each tick, from zero on", arguments: [0.1, 10, 29.97, 60])
    func each(_ rate: Double) {
        var ticks = TickGrid(rate: rate)
        for number in 0..<1000 {
            let expected = Instant.zero + .nanoseconds(Int64((Double(number) * 1e9 / rate).rounded()))
            #expect(ticks.next == expected)
            ticks.had(ticks.next)
        }
    }

    @Test("what is live has the one that is due, once, and leaves out those that were missed")
    func due() {
        var ticks = TickGrid(rate: 10)
        #expect(ticks.due(at: instant(1234)) == instant(1200))
        ticks.had(instant(1200))
        #expect(ticks.due(at: instant(1299)) == nil)
        #expect(ticks.next(after: instant(1299)) == instant(1300))
        #expect(ticks.due(at: instant(1300)) == instant(1300))
        #expect(ticks.due(at: instant(1790)) == instant(1700))
        ticks.had(instant(1700))
        #expect(ticks.due(at: instant(1700)) == nil)
        #expect(ticks.next(after: instant(1650)) == instant(1800))
    }

    @Test("no tick is missed or had twice by rounding", arguments: [7, 29.97, 59.94])
    func rounding(_ rate: Double) {
        var ticks = TickGrid(rate: rate)
        ticks.had(.zero)
        for _ in 0..<2000 {
            let next = ticks.next
            #expect(ticks.due(at: next - .nanoseconds(1)) == nil)
            #expect(ticks.due(at: next) == next)
            ticks.had(next)
        }
    }
}
