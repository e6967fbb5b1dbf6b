import CampipeKit
import Testing

@testable import CampipeStore

@Suite("Whether the clock is believed")
struct ClockGuardTests {
    private let hour = Duration.seconds(3600)
    private let day = Duration.seconds(86_400)

    private func instant(_ hours: Int) -> Instant { .zero + .seconds(hours * 3600) }

    @Test("a clock that goes on with the pipeline's is believed, also one that is an hour off")
    func steady() {
        var guarding = ClockGuard()
        var memory = ClockGuard.Memory()
        for hours in 0..<100 {
            let wall = morning + .seconds(hours * 3600 + (hours % 2) * 3600)
            let isSet = guarding.look(memory, wall: wall, at: instant(hours))
            #expect(!isSet)
            #expect(guarding.jump == nil)
            memory.seen = wall
        }
    }

    @Test("a clock that is set by over an hour is not believed for two days", arguments: [-400, -2, 2, 9000])
    func jump(_ hours: Int) {
        var guarding = ClockGuard()
        let memory = ClockGuard.Memory()
        _ = guarding.look(memory, wall: morning, at: instant(0))
        let other = morning + .seconds(hours * 3600)
        let isSet = guarding.look(memory, wall: other + hour, at: instant(1))
        #expect(isSet)
        #expect(guarding.jump?.by == .seconds(hours * 3600))
        for later in 2..<49 {
            let isSet = guarding.look(memory, wall: other + .seconds(later * 3600), at: instant(later))
            #expect(!isSet)
            #expect(guarding.jump != nil, "after \(later) h")
        }
        _ = guarding.look(memory, wall: other + .seconds(49 * 3600), at: instant(49))
        #expect(guarding.jump == nil)
    }

    @Test("who says that it is right is believed, of this jump alone")
    func trusted() {
        var guarding = ClockGuard()
        var memory = ClockGuard.Memory(trusted: morning)
        _ = guarding.look(memory, wall: morning, at: instant(0))
        _ = guarding.look(memory, wall: morning + day, at: instant(1))
        // What was said before is not about it.
        _ = guarding.look(memory, wall: morning + day, at: instant(1))
        #expect(guarding.jump != nil)
        memory.trusted = morning + day
        _ = guarding.look(memory, wall: morning + day, at: instant(1))
        #expect(guarding.jump == nil)
        _ = guarding.look(memory, wall: morning + day + day, at: instant(1))
        #expect(guarding.jump != nil)
    }

    @Test(
        "across a restart it goes by what was seen last",
        arguments: [(0, false), (1, false), (-1, false), (2, true), (-2, true)])
    func restart(_ hours: Int, _ isSet: Bool) {
        var guarding = ClockGuard()
        let memory = ClockGuard.Memory(seen: morning)
        let wasSet = guarding.look(memory, wall: morning + .seconds(hours * 3600), at: .zero)
        #expect(wasSet == isSet)
        #expect((guarding.jump != nil) == isSet)
    }

    @Test("a restart is no word that all is well, and two days are over by the clock then")
    func jumpedBefore() {
        for (hours, isWary) in [(1, true), (47, true), (48, false)] {
            var guarding = ClockGuard()
            let now = morning + .seconds(hours * 3600)
            _ = guarding.look(ClockGuard.Memory(seen: now, jumped: morning), wall: now, at: .zero)
            #expect((guarding.jump != nil) == isWary)
        }
        var guarding = ClockGuard()
        _ = guarding.look(ClockGuard.Memory(seen: morning, jumped: morning, trusted: morning), wall: morning, at: .zero)
        #expect(guarding.jump == nil)
    }
}
