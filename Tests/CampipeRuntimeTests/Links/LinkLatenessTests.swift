import CampipeKit
import Testing

@testable import CampipeRuntime

/// Late items, and what passes although it is late (design 4.2).
@Suite struct LinkLatenessTests {
    @Test("A late item is dropped when it is taken, with a gap, and only what is live and not exempt is tested")
    func late() {
        var stream = LinkStream(
            LinkPolicy(.dropOldest, maxItems: 99), format: .jpeg, lateAfter: .milliseconds(5))
        stream.push("KKKK", isLive: true)
        #expect(stream.take(now: LinkStream.time(7)) == "[2] 2 3")
        #expect(stream.queue.ledger.dropped(.late) == 2)
        stream.push("KK")
        #expect(stream.take(now: LinkStream.time(500)) == "4 5")
    }

    @Test("A link that gave nothing for a second lets its newest item go, marked")
    func exempt() {
        var stream = LinkStream(
            LinkPolicy(.dropOldest, maxItems: 99), format: .jpeg, lateAfter: .milliseconds(5))
        stream.push("KK", isLive: true)
        #expect(stream.take(now: LinkStream.time(100)) == "[2]")
        stream.push("KK", isLive: true)
        #expect(stream.take(now: LinkStream.time(1000)) == "[2]")
        stream.push("KK", isLive: true)
        #expect(stream.take(now: LinkStream.time(1100)) == "[1] 5!")
        stream.push("KK", isLive: true)
        #expect(stream.take(now: LinkStream.time(2000)) == "[2]")
    }

    @Test("Through five late links the picture freezes for one second, since the mark travels with the item")
    func fiveLinks() {
        final class Link { var queue = LinkQueue(LinkPolicy(.latest, maxItems: 1), lateAfter: .milliseconds(50)) }
        let links = (0..<5).map { _ in Link() }
        var shown: [Instant] = []
        // Ten a second for ten seconds; each of the links is reached 60 ms after the one before.
        for place in 0..<1000 {
            let now = LinkStream.time(place * 10)
            if place % 10 == 0 {
                let packet = Packet(
                    .empty, format: .jpeg, captured: now,
                    pts: MediaTime(ticks: Int64(place), timebase: Timebase(1, 100))
                ).storage.copy()
                packet.flags.insert(.live)
                links[0].queue.push(packet)
            }
            for index in links.indices where place % 10 == 6 {
                var batch = Batch()
                links[index].queue.take(into: &batch, limit: 1) { now + .milliseconds(60 * index) }
                while !batch.isEmpty {
                    if batch.takeControl() != nil { continue }
                    guard let item = batch.takeItem() else { continue }
                    if index + 1 < links.count { links[index + 1].queue.push(item) } else { shown.append(now) }
                }
            }
        }
        let freezes = zip(shown, shown.dropFirst()).map { $1 - $0 }
        #expect(shown.count >= 8)
        #expect(freezes.allSatisfy { $0 <= .milliseconds(1100) }, "\(freezes)")
    }
}
