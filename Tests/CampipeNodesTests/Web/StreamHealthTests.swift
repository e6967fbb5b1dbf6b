import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("The health of a stream")
struct StreamHealthTests {
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test(
        "the last picture passes for live for two seconds, or three intervals where they are longer",
        arguments: [(0.1, 2.0), (0.5, 2.0), (1.0, 3.0), (4.0, 12.0)])
    func patience(_ interval: Double, _ patience: Double) {
        var health = StreamHealth()
        health.opened(at: at(0))
        for number in 1...20 { health.came(at(Double(number) * interval)) }
        let last = 20 * interval
        #expect(health.condition(at: at(last + patience - 0.01)) == .live)
        #expect(health.condition(at: at(last + patience + 0.01)) == .stale)
        #expect(health.nextLook(after: at(last)).map { abs(($0 - at(last + patience)).seconds) < 0.001 } == true)
        #expect(abs(health.rate(at: at(last)) - 1 / interval) < 0.01)
        #expect(health.rate(at: at(last + patience + 1)) == 0)
    }

    @Test("where a rate was asked for, its interval is expected before any is seen")
    func expected() {
        var health = StreamHealth(rate: 1)
        health.opened(at: at(0))
        health.came(at(1))
        #expect(health.condition(at: at(3.9)) == .live)
        #expect(health.condition(at: at(4)) == .stale)
    }

    @Test("time in which nobody looked does not count")
    func nobodyLooked() {
        var health = StreamHealth()
        health.came(at(1))
        health.opened(at: at(100))
        #expect(health.condition(at: at(101)) == .live)
        #expect(health.condition(at: at(102)) == .stale)
    }

    @Test("without any picture there is no signal after two seconds, and nothing to look for while nobody looks")
    func never() {
        var health = StreamHealth()
        #expect(health.nextLook(after: at(50)) == nil)
        health.opened(at: at(1))
        #expect(health.condition(at: at(2.9)) == .live)
        #expect(health.condition(at: at(3)) == .lost)
    }

    @Test("a loss lasts until a picture that was taken after it; news of one that is over does nothing")
    func loss() {
        var health = StreamHealth()
        health.opened(at: at(0))
        health.came(at(1))
        health.lost(since: at(1))
        #expect(health.condition(at: at(1.1)) == .lost)
        health.came(at(1))
        #expect(health.isLost)
        health.came(at(9))
        #expect(!health.isLost)
        health.lost(since: at(1))
        #expect(health.condition(at: at(9.1)) == .live)
    }
}
