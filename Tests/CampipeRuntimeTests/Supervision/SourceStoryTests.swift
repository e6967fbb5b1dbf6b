import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct SourceStoryTests {
    private func waiting(_ reason: String, _ retries: Int) -> SourceStatus {
        SourceStatus(.waiting, reason: reason, retries: retries)
    }

    private func level(_ story: inout SourceStory, _ status: SourceStatus, at seconds: Double = 0) -> Log.Level {
        story.tell(status, at: .zero + .seconds(seconds)).level
    }

    @Test(
        "A loss that lasts is said, at most each ten seconds, and a camera that flaps quickly each minute, with a count"
    )
    func summaries() {
        var story = SourceStory()
        _ = story.tell(SourceStatus(.running), at: .zero)
        var lines: [(Double, SourceStory.Telling)] = []
        func tell(_ status: SourceStatus, at seconds: Double) {
            let told = story.tell(status, at: .zero + .seconds(seconds))
            if told.level != .debug { lines.append((seconds, told)) }
        }
        // Lost for half a second every five seconds.
        for round in 1...30 {
            tell(waiting("cut", round), at: Double(round) * 5)
            tell(SourceStatus(.running, reason: "cut", retries: round), at: Double(round) * 5 + 0.5)
        }
        #expect(lines.map(\.0) == [5, 5.5, 65.5, 125.5])
        #expect(lines.map(\.1.losses) == [1, 0, 12, 12])
        // Now it is away for seven seconds, and once for a minute with a try in between.
        lines = []
        tell(waiting("cut", 31), at: 160)
        tell(SourceStatus(.running, reason: "cut", retries: 31), at: 167)
        tell(waiting("cut", 32), at: 171)
        tell(waiting("cut", 33), at: 200)
        tell(waiting("cut", 34), at: 215)
        tell(SourceStatus(.running, reason: "cut", retries: 34), at: 231)
        #expect(lines.map(\.0) == [167, 200, 231])
        #expect(lines.map(\.1.level) == [.info, .warning, .info])
        #expect(lines.map(\.1.losses) == [6, 1, 0])
        #expect(lines.map(\.1.away) == [.seconds(7), nil, .seconds(60)])
    }

    @Test("A loss that goes on is due to be said when it is a long one, and not before the last line is old enough")
    func due() {
        var story = SourceStory()
        func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
        _ = story.tell(SourceStatus(.running), at: at(0))
        #expect(story.dueAt == nil)
        #expect(story.tell(waiting("cut", 1), at: at(20)).level == .warning)
        #expect(story.dueAt == nil)
        _ = story.tell(SourceStatus(.running, reason: "cut", retries: 1), at: at(21))
        // A cause that was said: the line waits until the loss is long, and the last line 10 s old.
        #expect(story.tell(waiting("cut", 2), at: at(24)).level == .debug)
        #expect(story.dueAt == at(30))
        #expect(story.tell(waiting("cut", 2), at: at(30)).level == .warning)
        #expect(story.dueAt == nil)
        _ = story.tell(SourceStatus(.running, reason: "cut", retries: 2), at: at(31))
        #expect(story.tell(waiting("cut", 3), at: at(50)).level == .debug)
        #expect(story.dueAt == at(53))
    }

    @Test("A cause is said once, however often it is tried; another one is said too")
    func once() {
        var story = SourceStory()
        #expect(level(&story, waiting("the connection is refused", 1)) == .warning)
        for retry in 2..<100 { #expect(level(&story, waiting("the connection is refused", retry)) == .debug) }
        #expect(level(&story, waiting("it answers 404 Not Found", 100)) == .warning)
        #expect(level(&story, waiting("the connection is refused", 101)) == .debug)
        #expect(level(&story, SourceStatus(.stalled, reason: "no picture came for 5.0 s", retries: 102)) == .warning)
        #expect(level(&story, SourceStatus(.stalled, reason: "no picture came for 5.1 s", retries: 103)) == .debug)
    }

    @Test("A camera that flaps is said to run again once; when it has run well all is news again")
    func flaps() {
        var story = SourceStory()
        #expect(level(&story, SourceStatus(.running)) == .info)
        for round in 1..<10 {
            #expect(level(&story, waiting("cut", round)) == (round == 1 ? .warning : .debug))
            #expect(
                level(&story, SourceStatus(.running, reason: "cut", retries: round)) == (round == 1 ? .info : .debug))
        }
        _ = level(&story, SourceStatus(.running, retries: 0))
        #expect(level(&story, waiting("cut", 1)) == .warning)
    }

    @Test(
        "A camera that is lost for days, again and again, is said so less and less often, also when it runs well between"
    )
    func allDay() {
        for period in [20.0, 45] {
            var story = SourceStory()
            _ = story.tell(SourceStatus(.running), at: .zero)
            var lines: [Double] = []
            for round in 1...Int(86_400 / period) {
                let time = Double(round) * period
                if level(&story, waiting("cut", round), at: time) != .debug { lines.append(time) }
                let isBack = level(&story, SourceStatus(.running, reason: "cut", retries: round), at: time + 5)
                if isBack != .debug { lines.append(time + 5) }
                guard period > 30 else { continue }
                if level(&story, SourceStatus(.running), at: time + 35) != .debug { lines.append(time + 35) }
            }
            #expect(lines.count < 60, "\(lines)")
            // And still it is said now and then.
            #expect(lines.last.map { $0 > 82_000 } == true)
        }
    }

    @Test("Causes without number take no memory without end")
    func bounded() {
        var story = SourceStory()
        let levels = (0..<1000).map { number in
            level(&story, waiting(String(repeating: "x", count: number), number + 1))
        }
        #expect(levels.count { $0 == .warning } == 16)
    }
}
