import CampipeKit
import Testing

@testable import CampipeNodes

/// Which events are told.
@Suite struct AlertFilterTests {
    private let noon = DayTime(day: 0, minute: 720)

    private func event(
        _ kind: EventKind, _ phase: Event.Phase = .happened, id: String = "1", node: String = "watch",
        at seconds: Double
    ) -> Event {
        Event(kind, id: id, phase: phase, captured: .zero + .seconds(seconds), node: node)
    }

    @Test("All kinds count unless some are named; repeats never do")
    func kinds() {
        var all = AlertFilter()
        #expect(all.verdict(on: event(.clipReady, at: 0), at: noon) == .tell)
        let begun = event(.motionStarted, .began, at: 1)
        #expect(all.verdict(on: begun, at: noon) == .tell)
        #expect(all.verdict(on: begun.repeated(at: .zero + .seconds(2)), at: noon) == .isRepeat)
        var some = AlertFilter(kinds: [.cameraLost])
        #expect(some.verdict(on: event(.clipReady, at: 0), at: noon) == .leaveOut)
        #expect(some.verdict(on: event(.cameraLost, .began, at: 0), at: noon) == .tell)
        // Its end is of another kind.
        #expect(some.verdict(on: event(.cameraFound, .ended, at: 1), at: noon) == .leaveOut)
    }

    @Test("In the cooldown of a kind and a node nothing else of them is told; of others it is")
    func cooldown() {
        var filter = AlertFilter(cooldown: .seconds(60))
        #expect(filter.verdict(on: event(.motionStarted, .began, id: "1", at: 0), at: noon) == .tell)
        #expect(filter.verdict(on: event(.motionEnded, .ended, id: "1", at: 5), at: noon) == .tell)
        #expect(filter.verdict(on: event(.motionStarted, .began, id: "2", at: 59.9), at: noon) == .leaveOut)
        #expect(filter.verdict(on: event(.motionStarted, .began, id: "b", node: "back", at: 59.9), at: noon) == .tell)
        #expect(filter.verdict(on: event(.cameraLost, .began, id: "c", at: 59.9), at: noon) == .tell)
        // Its end follows its beginning, also after the cooldown.
        #expect(filter.verdict(on: event(.motionEnded, .ended, id: "2", at: 70), at: noon) == .leaveOut)
        // What was left out begins no cooldown.
        #expect(filter.verdict(on: event(.motionStarted, .began, id: "3", at: 60), at: noon) == .tell)
    }

    @Test("An end whose beginning was not heard of is told like any other")
    func endAlone() {
        var filter = AlertFilter(kinds: [.motionEnded], cooldown: .seconds(60))
        #expect(filter.verdict(on: event(.motionStarted, .began, id: "1", at: 0), at: noon) == .leaveOut)
        #expect(filter.verdict(on: event(.motionEnded, .ended, id: "1", at: 5), at: noon) == .tell)
        #expect(filter.verdict(on: event(.motionEnded, .ended, id: "2", at: 30), at: noon) == .leaveOut)
    }

    @Test("Outside the schedule nothing is told, but for the end of what was")
    func schedule() throws {
        var schedule = AlertSchedule()
        var faults: [Fault] = []
        schedule = try #require(AlertSchedule.read(.plain("22:00-06:00"), at: .root, into: &faults))
        var filter = AlertFilter(schedule: schedule)
        let night = DayTime(day: 1, minute: 5 * 60 + 59)
        #expect(filter.verdict(on: event(.motionStarted, .began, at: 0), at: noon) == .leaveOut)
        #expect(filter.verdict(on: event(.motionStarted, .began, id: "2", at: 1), at: night) == .tell)
        #expect(
            filter.verdict(on: event(.motionEnded, .ended, id: "2", at: 120), at: DayTime(day: 1, minute: 361)) == .tell
        )
    }

    @Test("What is remembered of beginnings is bounded")
    func bounded() {
        var filter = AlertFilter(cooldown: .seconds(1))
        for index in 0..<5000 {
            _ = filter.verdict(on: event(.motionStarted, .began, id: "\(index)", at: Double(index)), at: noon)
        }
        // The oldest is forgotten, and so an end like any other.
        #expect(filter.verdict(on: event(.motionEnded, .ended, id: "0", at: 5000), at: noon) == .tell)
        #expect(
            Mirror(reflecting: filter).children.allSatisfy { child in
                (child.value as? [String])?.count ?? 0 <= 1024 && (child.value as? [String: Bool])?.count ?? 0 <= 1024
            })
    }
}
