import CampipeKit
import Testing

@testable import CampipeRuntime

/// Gaps, formats and ends among items; links that open and close.
@Suite struct LinkGapTests {
    private static let jpeg = Control.format(.packets(.jpeg))

    @Test("Formats keep their place, also among drops, and gaps between two items are one")
    func formatsAmongDrops() {
        var stream = LinkStream(LinkPolicy(.dropOldest, maxItems: 2), format: .jpeg)
        stream.queue.push(Self.jpeg)
        stream.push("K")
        stream.queue.push(.format(.packets(.empty)))
        stream.push("K")
        stream.queue.push(.gap(Gap(.filtered, at: LinkStream.time(1))))
        stream.queue.push(.gap(Gap(.late, at: LinkStream.time(1))))
        stream.push("K")
        // The first format belongs to the item that was dropped.
        #expect(stream.take() == "[1] F 1 [2] 2")
        stream.push("K")
        stream.queue.push(.end(nil))
        #expect(stream.take() == "3 E")
        #expect(stream.queue.ledger.isBalanced)
    }

    @Test("What comes after the end is dropped, a second end is none")
    func afterTheEnd() {
        var stream = LinkStream(.latest, format: .jpeg)
        stream.queue.push(.end(nil))
        stream.queue.push(.end(nil))
        stream.push("K")
        #expect(stream.take() == "E")
        #expect(stream.queue.ledger.dropped(.noDemand) == 1)
    }

    @Test("The watermark is as far as anything was said, and items through an instant leave later ones")
    func watermark() {
        var stream = LinkStream(LinkPolicy(.block, maxItems: 9), format: .jpeg)
        #expect(stream.queue.watermark == .distantPast)
        stream.push("KKK")
        #expect(stream.queue.watermark == LinkStream.time(2))
        stream.queue.push(.gap(Gap(.filtered, at: LinkStream.time(7))))
        #expect(stream.queue.watermark == LinkStream.time(7))
        #expect(stream.take(through: LinkStream.time(1)) == "0 1")
        #expect(stream.take(through: LinkStream.time(1)) == "")
        #expect(stream.take() == "2 [1]")
    }

    @Test("Closing drops what waits, and what comes; opening tells the format, a gap, and begins at a keyframe")
    func closeAndOpen() {
        var stream = LinkStream(.gop)
        stream.queue.push(.format(.packets(.h264)))
        stream.push("Kdd")
        stream.queue.setOpen(false)
        #expect(stream.queue.ledger.dropped(.noDemand) == 3)
        stream.push("dd")
        stream.queue.setOpen(true)
        stream.push("ddKd")
        #expect(stream.take() == "[7] F 7 8")
        #expect(stream.queue.ledger.dropped(.noDemand) == 5)
        #expect(stream.queue.ledger.dropped(.brokenReference) == 2)
        #expect(stream.queue.ledger.isBalanced)
    }

    @Test("A lost camera passes a closed link, other gaps are told when it opens or ends")
    func lostWhileClosed() {
        var stream = LinkStream(.latest, format: .jpeg)
        stream.queue.setOpen(false)
        stream.queue.push(.gap(Gap(.filtered, count: 2, at: LinkStream.time(1))))
        #expect(stream.take() == "")
        stream.queue.push(.gap(Gap(.lost, count: 0, at: LinkStream.time(2))))
        #expect(stream.take() == "[0]")
        stream.queue.push(.end(nil))
        #expect(stream.take() == "[2] E")
    }

    @Test("A closed link that many formats, gaps and items come to stays small")
    func closedStaysSmall() {
        var stream = LinkStream(.latest, format: .jpeg)
        stream.queue.setOpen(false)
        for place in 0..<1000 {
            stream.queue.push(.format(.packets(place % 2 == 0 ? .jpeg : .empty)))
            stream.queue.push(.gap(Gap(place % 3 == 0 ? .lost : .late, at: LinkStream.time(place))))
            stream.push("K")
        }
        stream.queue.setOpen(true)
        #expect(stream.take().split(separator: " ").count <= 3)
    }

    @Test("An open link where nothing is taken stays small whatever formats come", arguments: WhenFull.allCases)
    func stuckStaysSmall(_ whenFull: WhenFull) {
        guard whenFull != .block else { return }
        var stream = LinkStream(LinkPolicy(whenFull, maxItems: 4), format: .jpeg)
        for place in 0..<1000 {
            stream.queue.push(.format(.packets(place % 2 == 0 ? .jpeg : .empty)))
            stream.push("K")
        }
        let words = stream.take().split(separator: " ")
        #expect(words.count <= 4 * 3 + 2, "\(words)")
        #expect(stream.queue.ledger.isBalanced)
    }

    @Test("An abandoned link has room, drops all and never opens again")
    func abandoned() {
        var stream = LinkStream(LinkPolicy(.block, maxItems: 1), format: .jpeg)
        stream.push("K")
        stream.queue.abandon(.stopped)
        stream.queue.setOpen(true)
        #expect(stream.queue.room > 0)
        stream.push("KK")
        stream.queue.push(.end(nil))
        #expect(stream.take() == "")
        #expect(stream.queue.ledger.dropped(.stopped) == 3)
        #expect(stream.queue.ledger.isBalanced)
    }
}
