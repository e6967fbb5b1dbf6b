import CampipeKit
import Testing

@testable import CampipeRuntime

private func ms(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

@Suite struct SideAlignerTests {
    typealias Side = SideAligner.Side

    @Test(
        "a head goes once each side's watermark has reached it, has ended, or is closed",
        arguments: [
            ([], true),
            ([Side(watermark: ms(100))], true),
            ([Side(watermark: ms(99))], false),
            ([Side(watermark: nil)], false),
            ([Side(watermark: nil, hasEnded: true)], true),
            ([Side(watermark: nil, isClosed: true)], true),
            ([Side(watermark: ms(200)), Side(watermark: ms(99))], false),
            ([Side(watermark: ms(200)), Side(watermark: ms(99), hasEnded: true)], true),
        ] as [([Side], Bool)])
    func watermarks(sides: [Side], goes: Bool) {
        for isLive in [true, false] {
            var aligner = SideAligner(isLive: isLive)
            #expect((aligner.decide(head: ms(100), sides: sides, now: ms(100)) == .go) == goes)
        }
    }

    @Test("what is not live waits for its sides however long it takes")
    func notLive() {
        var aligner = SideAligner(isLive: false)
        for now: Int64 in [0, 1000, 1_000_000] {
            #expect(aligner.decide(head: ms(10), sides: [Side(watermark: ms(9))], now: ms(now)) == .wait)
        }
        #expect(aligner.decide(head: ms(10), sides: [Side(watermark: ms(10))], now: ms(0)) == .go)
    }

    @Test("a live head goes without its sides after join_wait")
    func joinWait() {
        var aligner = SideAligner(isLive: true)
        let side = [Side(watermark: nil)]
        #expect(aligner.decide(head: ms(1000), sides: side, now: ms(1005)) == .waitUntil(ms(1105)))
        #expect(aligner.decide(head: ms(1000), sides: side, now: ms(1104)) == .waitUntil(ms(1105)))
        #expect(aligner.decide(head: ms(1000), sides: side, now: ms(1105)) == .go)
    }

    @Test("a head that takes the place of a waiting one does not start the wait again")
    func replaced() {
        var aligner = SideAligner(isLive: true)
        #expect(aligner.decide(head: ms(0), sides: [Side(watermark: nil)], now: ms(0)) == .waitUntil(ms(100)))
        #expect(aligner.decide(head: ms(66), sides: [Side(watermark: nil)], now: ms(66)) == .waitUntil(ms(100)))
        #expect(aligner.decide(head: ms(66), sides: [Side(watermark: nil)], now: ms(100)) == .go)
    }

    @Test("a dead side delays a live stream of 30 a second but does not thin it")
    func deadSide() {
        var aligner = SideAligner(isLive: true)
        var waiting: [Int64] = []
        var ages: [Int64] = []
        for now in Int64(0)..<3000 {
            if now % 33 == 0 { waiting.append(now) }
            while let head = waiting.first,
                aligner.decide(head: ms(head), sides: [Side(watermark: nil)], now: ms(now)) == .go
            {
                waiting.removeFirst()
                ages.append(now - head)
            }
        }
        #expect(ages.count >= 87)
        #expect(ages.allSatisfy { $0 <= 101 })
    }

    @Test("once the sides have caught up, the next head that lacks one waits the full time again")
    func recovers() {
        var aligner = SideAligner(isLive: true)
        let late = [Side(watermark: ms(5))]
        #expect(aligner.decide(head: ms(10), sides: late, now: ms(10)) == .waitUntil(ms(110)))
        #expect(aligner.decide(head: ms(10), sides: late, now: ms(110)) == .go)
        #expect(aligner.decide(head: ms(100), sides: late, now: ms(140)) == .waitUntil(ms(200)))
        #expect(aligner.decide(head: ms(100), sides: [Side(watermark: ms(100))], now: ms(150)) == .go)
        #expect(aligner.decide(head: ms(120), sides: [Side(watermark: ms(100))], now: ms(160)) == .waitUntil(ms(260)))
    }

    @Test("a head waits for half of the time that it has, and those behind it for half of all that they have")
    func deadline() {
        var aligner = SideAligner(isLive: true)
        let side = [Side(watermark: nil)]
        func decide(_ head: Int64, _ now: Int64) -> SideAligner.Verdict {
            aligner.decide(head: ms(head), sides: side, lateAfter: .milliseconds(120), now: ms(now))
        }
        // It came old: 20 ms are left.
        #expect(decide(1000, 1100) == .waitUntil(ms(1110)))
        #expect(decide(1000, 1110) == .go)
        #expect(decide(1033, 1110) == .go)
        #expect(decide(1100, 1110) == .waitUntil(ms(1160)))
    }

    @Test("a side that says nothing for 2 s is not waited for until it says something; others are")
    func dead() {
        var aligner = SideAligner(isLive: true)
        func decide(_ head: Int64, _ now: Int64, dead: Int64, alive: Int64) -> SideAligner.Verdict {
            aligner.decide(
                head: ms(head), sides: [Side(watermark: ms(dead)), Side(watermark: ms(alive))], now: ms(now))
        }
        #expect(decide(1000, 1000, dead: 5, alive: 990) == .waitUntil(ms(1100)))
        #expect(decide(1000, 1100, dead: 5, alive: 1000) == .go)
        #expect(decide(3000, 3099, dead: 5, alive: 3000) == .waitUntil(ms(3100)))
        #expect(decide(3000, 3100, dead: 5, alive: 3000) == .go)
        #expect(decide(3010, 3110, dead: 5, alive: 3010) == .go)
        #expect(decide(4000, 4000, dead: 5, alive: 4000) == .go)
        #expect(decide(4100, 4100, dead: 5, alive: 4000) == .waitUntil(ms(4200)))
        #expect(decide(4100, 4110, dead: 5, alive: 4100) == .go)
        // It is back, and behind.
        #expect(decide(4200, 4200, dead: 4150, alive: 4200) == .waitUntil(ms(4300)))
        #expect(decide(4200, 4220, dead: 4200, alive: 4200) == .go)
    }

    @Test("a side of few items is waited for each time, though long goes by between them")
    func rare() {
        var aligner = SideAligner(isLive: true)
        for second in Int64(1)...10 {
            let head = second * 10_000
            let behind = [Side(watermark: ms(head - 10_000))]
            #expect(aligner.decide(head: ms(head), sides: behind, now: ms(head)) == .waitUntil(ms(head + 100)))
            #expect(aligner.decide(head: ms(head), sides: [Side(watermark: ms(head))], now: ms(head + 50)) == .go)
        }
    }
}
