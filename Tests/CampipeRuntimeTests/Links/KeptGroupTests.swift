import CampipeKit
import Testing

@testable import CampipeRuntime

/// What a link begins with that is made while a stream goes on.
@Suite("A link that begins with the newest group")
struct KeptGroupTests {
    private static func packet(_ place: Int, isKey: Bool, bytes: Int = 10) -> ItemStorage {
        Packet(
            Bytes([UInt8](repeating: 0, count: bytes)), format: .h264, captured: .zero + .milliseconds(place * 100),
            pts: MediaTime(ticks: Int64(place), timebase: Timebase(1, 10)), isKeyframe: isKey
        ).storage
    }

    private static func places(_ items: [ItemStorage]) -> [Int64] {
        items.map { $0.captured.nanoseconds / 100_000_000 }
    }

    @Test("it is all from the newest keyframe on, while that is fresh")
    func group() {
        var kept = KeptGroup()
        for place in 0..<25 { kept.add(Self.packet(place, isKey: place == 3 || place == 20)) }
        let now = Instant.zero + .milliseconds(2400)
        #expect(Self.places(kept.current(at: now)) == [20, 21, 22, 23, 24])
        #expect(!kept.current(at: now + .seconds(2)).isEmpty)
        #expect(kept.current(at: now + .milliseconds(2001)).isEmpty)
        kept.clear()
        kept.add(Self.packet(25, isKey: false))
        #expect(kept.current(at: now).isEmpty)
    }

    @Test("a group that is too long or too large is let go, until the next keyframe")
    func limits() {
        var kept = KeptGroup()
        for place in 0...121 { kept.add(Self.packet(place, isKey: place == 0)) }
        #expect(kept.current(at: .zero + .milliseconds(12_100)).isEmpty)
        kept.add(Self.packet(130, isKey: true))
        #expect(Self.places(kept.current(at: .zero + .seconds(13))) == [130])
        kept.add(Self.packet(131, isKey: false, bytes: KeptGroup.maxBytes))
        #expect(kept.current(at: .zero + .seconds(13)).isEmpty)
    }

    @Test("it comes behind the format, its keyframe marked so that it is never late, and what follows goes on from it")
    func begins() {
        var stream = LinkStream(.gop)
        stream.queue.push(.format(.packets(.h264)))
        let begins = stream.begin("Kdd")
        #expect(begins)
        stream.push("dd")
        #expect(stream.take() == "F 0! 1 2 3 4")
        #expect(stream.queue.ledger.isBalanced && stream.queue.ledger.offered == 5)
    }

    @Test("the limits count what comes behind it")
    func beyondLimits() {
        var stream = LinkStream(LinkPolicy(.dropGOP, maxItems: 2))
        stream.queue.push(.format(.packets(.h264)))
        let begins = stream.begin("Kddddd")
        #expect(begins)
        stream.push("dd")
        #expect(stream.take(limit: 3) == "F 0! 1 2")
        stream.push("d")
        #expect(stream.take() == "3 4 5 6 7 [1]")
        stream.push("dK")
        #expect(stream.take() == "[1] 10")
        #expect(stream.queue.ledger.isBalanced)
    }

    @Test("a closed link keeps what it misses, and begins with that when it opens; the gap says what was before")
    func opensAgain() {
        var stream = LinkStream(.gop)
        stream.queue.keepsGroup = true
        stream.queue.push(.format(.packets(.h264)))
        stream.push("Kd", isLive: true)
        _ = stream.take()
        stream.queue.setOpen(false)
        stream.push("dKdKd", isLive: true)
        stream.queue.setOpen(true)
        stream.push("d", isLive: true)
        #expect(stream.take() == "[3] 5! 6 7")
        #expect(stream.queue.ledger.isBalanced)
        // The keyframe was taken before it closed: nothing of that group is given twice.
        stream.queue.setOpen(false)
        stream.push("dd", isLive: true)
        stream.queue.setOpen(true)
        stream.push("dK", isLive: true)
        #expect(stream.take() == "[3] 11")
        // A hole in the group, or a new format, ends it.
        stream.queue.setOpen(false)
        stream.push("Kd", isLive: true)
        stream.queue.push(.gap(Gap(.overrun, at: LinkStream.time(13))))
        stream.push("d", isLive: true)
        stream.queue.setOpen(true)
        #expect(stream.take() == "[4]")
        #expect(stream.queue.ledger.isBalanced)
    }

    @Test("a link that has begun, is closed, or drops otherwise has no use for it")
    func noUse() {
        var begun = LinkStream(.gop)
        begun.queue.push(.format(.packets(.h264)))
        begun.push("K")
        let hasBegun = begun.begin("Kd")
        #expect(!hasBegun)
        var closed = LinkStream(.gop)
        closed.queue.push(.format(.packets(.h264)))
        closed.queue.setOpen(false)
        let isOpen = closed.begin("Kd")
        #expect(!isOpen)
        var latest = LinkStream(.latest)
        latest.queue.push(.format(.packets(.h264)))
        let isGroup = latest.begin("Kd")
        #expect(!isGroup)
        var broken = LinkStream(.gop)
        broken.queue.push(.format(.packets(.h264)))
        let isWhole = broken.begin("dd")
        #expect(!isWhole)
    }
}
