import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct SourceStoryTests {
    private func waiting(_ reason: String, _ retries: Int) -> SourceStatus {
        SourceStatus(.waiting, reason: reason, retries: retries)
    }

    @Test("A cause is said once, however often it is tried; another one is said too")
    func once() {
        var story = SourceStory()
        #expect(story.level(of: waiting("the connection is refused", 1)) == .warning)
        for retry in 2..<100 { #expect(story.level(of: waiting("the connection is refused", retry)) == .debug) }
        #expect(story.level(of: waiting("it answers 404 Not Found", 100)) == .warning)
        #expect(story.level(of: waiting("the connection is refused", 101)) == .debug)
        #expect(story.level(of: SourceStatus(.stalled, reason: "nothing came for 5.0 s", retries: 102)) == .warning)
        #expect(story.level(of: SourceStatus(.stalled, reason: "nothing came for 5.1 s", retries: 103)) == .debug)
    }

    @Test("A camera that flaps is said to run again once; when it has run well all is news again")
    func flaps() {
        var story = SourceStory()
        #expect(story.level(of: SourceStatus(.running)) == .info)
        for round in 1..<10 {
            #expect(story.level(of: waiting("cut", round)) == (round == 1 ? .warning : .debug))
            #expect(
                story.level(of: SourceStatus(.running, reason: "cut", retries: round)) == (round == 1 ? .info : .debug))
        }
        _ = story.level(of: SourceStatus(.running, retries: 0))
        #expect(story.level(of: waiting("cut", 1)) == .warning)
    }

    @Test("Causes without number take no memory without end")
    func bounded() {
        var story = SourceStory()
        let levels = (0..<1000).map { number in
            story.level(of: waiting(String(repeating: "x", count: number), number + 1))
        }
        #expect(levels.count { $0 == .warning } == 16)
    }
}
