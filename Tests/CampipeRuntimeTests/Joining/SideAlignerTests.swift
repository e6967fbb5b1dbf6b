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
}
