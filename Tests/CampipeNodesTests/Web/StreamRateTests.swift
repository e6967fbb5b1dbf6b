import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("The rate of a stream")
struct StreamRateTests {
    /// Lets pictures come by a manual clock, each so long after the one before.
    private func rate(_ intervals: [Duration], _ clock: ManualClock) -> StreamRate {
        var rate = StreamRate()
        rate.came(clock.now)
        for interval in intervals {
            clock.advance(by: interval)
            rate.came(clock.now)
        }
        return rate
    }

    @Test(
        "it is right from the second picture on",
        arguments: [
            (1, 0.1), (2, 0.1), (15, 0.1), (100, 0.1), (1, 2), (3, 2), (2, 10), (1, 0.0167), (300, 0.0167),
            (2000, 0.001),
        ] as [(Int, Double)])
    func regular(count: Int, interval: Double) {
        let clock = ManualClock()
        let rate = rate(Array(repeating: .seconds(interval), count: count), clock)
        #expect(abs(rate.perSecond(now: clock.now) * interval - 1) < 0.01)
        clock.advance(by: .seconds(interval * 0.99))
        #expect(abs(rate.perSecond(now: clock.now) * interval - 1) < 0.01)
    }

    @Test("nobody and one picture have none, nor have two of the same time at that time")
    func none() {
        let clock = ManualClock()
        #expect(StreamRate().perSecond(now: clock.now) == 0)
        #expect(rate([], clock).perSecond(now: clock.now) == 0)
        let same = rate([.zero], clock)
        #expect(same.perSecond(now: clock.now) == 0)
        clock.advance(by: .milliseconds(200))
        #expect(same.perSecond(now: clock.now) == 10)
    }

    @Test(
        "pictures that came at once are made up for by the time that follows",
        arguments: [(100, 2, 25), (1000, 11, 12), (3000, 30, 10.5)] as [(Int, Int, Double)])
    func burst(after milliseconds: Int, count: Int, atMost: Double) {
        // Two that had waited in a socket, then one each 100 ms.
        let clock = ManualClock()
        let rate = rate([.microseconds(1473)] + Array(repeating: .milliseconds(100), count: count - 2), clock)
        clock.advance(to: max(clock.now, .zero + .milliseconds(milliseconds)))
        let found = rate.perSecond(now: clock.now)
        #expect(found <= atMost && found >= 9.5, "\(found)")
    }

    @Test(
        "it follows a stream that changes its pace within two seconds",
        arguments: [(0.1, 0.02), (0.04, 0.5)] as [(Double, Double)])
    func changes(before: Double, after: Double) {
        let clock = ManualClock()
        let intervals =
            Array(repeating: Duration.seconds(before), count: 50)
            + Array(repeating: .seconds(after), count: Int(2 / after) + 1)
        let rate = rate(intervals, clock)
        #expect(abs(rate.perSecond(now: clock.now) * after - 1) < 0.02)
    }

    @Test(
        "it falls while nothing comes, and is 0 after two seconds, or three intervals where they are longer",
        arguments: [(0.1, 2), (0.5, 2), (1, 3), (4, 12)] as [(Double, Double)])
    func stall(interval: Double, patience: Double) {
        let clock = ManualClock()
        let rate = rate(Array(repeating: .seconds(interval), count: 20), clock)
        clock.advance(by: .seconds(interval + 0.5))
        let falling = rate.perSecond(now: clock.now)
        #expect(falling > 0 && falling < 1 / interval)
        clock.advance(by: .seconds(patience - interval - 0.501))
        #expect(rate.perSecond(now: clock.now) > 0)
        clock.advance(by: .seconds(0.002))
        #expect(rate.perSecond(now: clock.now) == 0)
    }

    @Test("after a pause it is right from the second picture on, and so it is where time went back")
    func afterPause() {
        let clock = ManualClock()
        var rate = rate(Array(repeating: .milliseconds(20), count: 50), clock)
        clock.advance(by: .seconds(60))
        for _ in 0..<2 {
            rate.came(clock.now)
            clock.advance(by: .milliseconds(100))
        }
        #expect(rate.perSecond(now: clock.now) == 10)
        rate.came(.zero)
        rate.came(.zero + .milliseconds(250))
        #expect(rate.perSecond(now: .zero + .milliseconds(250)) == 4)
    }
}
