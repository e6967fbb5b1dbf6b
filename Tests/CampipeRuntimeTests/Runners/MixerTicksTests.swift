import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct MixerTicksTests {
    private func instant(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("What is not live is called for each instant of its grid, and no clock is read")
    func file() {
        var ticks = MixerTicks(rate: 10, isLive: false)
        for number in 0..<5 {
            #expect(ticks.due(at: clock()) == .now(instant(100 * number)))
            ticks.had(instant(100 * number))
        }
        func clock() -> Instant {
            Issue.record("the clock was read")
            return .zero
        }
    }

    @Test("What is live is called when the clock says so, and not for what was missed")
    func live() {
        var ticks = MixerTicks(rate: 10, isLive: true)
        #expect(ticks.due(at: instant(250)) == .now(instant(200)))
        ticks.had(instant(200))
        #expect(ticks.due(at: instant(250)) == .notBefore(instant(300)))
        #expect(ticks.due(at: instant(730)) == .now(instant(700)))
    }
}
