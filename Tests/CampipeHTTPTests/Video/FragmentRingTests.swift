import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("Who is sent which fragment")
struct FragmentRingTests {
    /// A ring that is filled ten times a second.
    private struct Stream {
        var ring: FragmentRing
        var now = Instant.zero
        var count = 0
        var sent: [(number: Int, isKey: Bool)] = []
        let start = Outgoing(Bytes([0]))

        init(maxBytes: Int = 1 << 20) { ring = FragmentRing(maxBytes: maxBytes) }

        mutating func add(isKey: Bool, bytes: Int = 100) {
            now = .zero + .milliseconds(count * 100)
            count += 1
            let message = Outgoing(Bytes([UInt8](repeating: 0, count: bytes)))
            ring.append(FragmentRing.Entry(message: message, start: start, isKey: isKey, at: now))
        }
    }

    @Test("a new viewer begins at the newest keyframe, and waits for one where there is none or it is old")
    func begin() {
        var stream = Stream()
        var place: FragmentRing.Place?
        stream.add(isKey: false)
        #expect(stream.ring.next(&place, now: stream.now) == nil && stream.ring.count == 0)
        for index in 0..<15 { stream.add(isKey: index % 10 == 0) }
        let first = stream.ring.next(&place, now: stream.now)
        #expect(first?.entry.isKey == true && first?.skipped == 0 && place?.number == 12)
        var late: FragmentRing.Place?
        #expect(stream.ring.next(&late, now: stream.now + .milliseconds(2001)) == nil)
    }

    @Test("a viewer gets each fragment once, in order")
    func order() {
        var stream = Stream()
        var place: FragmentRing.Place?
        var taken = 0
        for index in 0..<100 {
            stream.add(isKey: index % 10 == 0)
            while let next = stream.ring.next(&place, now: stream.now) {
                #expect(next.skipped == 0 && next.entry.isKey == (taken % 10 == 0))
                taken += 1
            }
        }
        #expect(taken == 100)
    }

    @Test("sound is for those that listen; the others get the pictures, each once")
    func sound() {
        var stream = Stream()
        var (hearing, deaf): (FragmentRing.Place?, FragmentRing.Place?)
        var (heard, seen) = ([Bool](), 0)
        for index in 0..<50 {
            stream.add(isKey: index % 20 == 0)
            stream.ring.append(
                FragmentRing.Entry(
                    message: Outgoing(Bytes([9])), start: stream.start, isKey: false, at: stream.now, isSound: true))
            while let next = stream.ring.next(&hearing, now: stream.now) { heard.append(next.entry.isSound) }
            while let next = stream.ring.next(&deaf, now: stream.now, hears: false) {
                #expect(!next.entry.isSound && next.skipped == 0)
                seen += 1
            }
        }
        #expect(heard == (0..<100).map { $0 % 2 == 1 } && seen == 50)
    }

    @Test("what a slow viewer misses is counted in pictures, whether it listens or not", arguments: [true, false])
    func missed(hears: Bool) {
        var stream = Stream()
        var place: FragmentRing.Place?
        func add(_ isKey: Bool) {
            stream.add(isKey: isKey)
            for _ in 0..<3 {
                stream.ring.append(
                    FragmentRing.Entry(
                        message: Outgoing(Bytes([9])), start: stream.start, isKey: false, at: stream.now, isSound: true)
                )
            }
        }
        add(true)
        _ = stream.ring.next(&place, now: stream.now, hears: hears)
        for index in 1..<70 { add(index % 10 == 0) }
        // The group from 40 on is held, since the newest of those before it is 2.0 s old.
        #expect(stream.ring.missed(before: place) == 39)
        let next = stream.ring.next(&place, now: stream.now, hears: hears)
        #expect(next?.entry.isKey == true && next?.skipped == 59 && place?.picture == 61)
        #expect(stream.ring.missed(before: place) == 0)
    }

    @Test("a viewer that is over two seconds behind goes on at the newest keyframe; one that is not, with what is next")
    func slow() {
        var stream = Stream()
        var place: FragmentRing.Place?
        for index in 0..<16 { stream.add(isKey: index % 10 == 0) }
        _ = stream.ring.next(&place, now: stream.now)
        #expect(place?.number == 11)
        for index in 16..<32 { stream.add(isKey: index % 10 == 0) }
        // 2.0 s behind.
        #expect(stream.ring.next(&place, now: stream.now)?.skipped == 0 && place?.number == 12)
        for index in 32..<36 { stream.add(isKey: index % 10 == 0) }
        let next = stream.ring.next(&place, now: stream.now)
        #expect(next?.entry.isKey == true && next?.skipped == 18 && place?.number == 31)
    }

    @Test("where keyframes are far apart a slow viewer goes on with what is held, until there is one")
    func longGroup() {
        var stream = Stream()
        var place: FragmentRing.Place?
        stream.add(isKey: true)
        _ = stream.ring.next(&place, now: stream.now)
        for _ in 0..<100 { stream.add(isKey: false) }
        #expect(stream.ring.next(&place, now: stream.now)?.skipped == 0 && place?.number == 2)
        stream.add(isKey: true)
        let next = stream.ring.next(&place, now: stream.now)
        #expect(next?.entry.isKey == true && next?.skipped == 99)
    }

    @Test("what is held is bounded in time and bytes, and never begins without a keyframe", arguments: [1, 7, 10, 55])
    func bounded(_ group: Int) {
        var stream = Stream(maxBytes: 5000)
        for index in 0..<400 {
            stream.add(isKey: index % group == 0)
            #expect(stream.ring.byteCount <= 5000)
            // Two seconds, and a group on either side.
            #expect(stream.ring.count <= 20 + 2 * group)
            var place: FragmentRing.Place?
            if let next = stream.ring.next(&place, now: stream.now) { #expect(next.entry.isKey) }
        }
        // A group of 55 is larger than the limit: it is given up, and the next one is served.
        #expect(group != 55 || stream.ring.count < 50)
    }

    @Test("a viewer whose group was given up waits for a keyframe, and never gets a picture without it")
    func givenUp() {
        var stream = Stream(maxBytes: 2000)
        var place: FragmentRing.Place?
        stream.add(isKey: true)
        _ = stream.ring.next(&place, now: stream.now)
        for _ in 0..<30 { stream.add(isKey: false) }
        #expect(stream.ring.next(&place, now: stream.now) == nil)
        stream.add(isKey: true)
        #expect(stream.ring.next(&place, now: stream.now)?.entry.isKey == true)
    }

    @Test("the rate follows what is held")
    func rate() {
        var stream = Stream()
        #expect(stream.ring.bytesPerSecond == nil)
        for index in 0..<21 { stream.add(isKey: index % 10 == 0, bytes: 1000) }
        #expect(abs((stream.ring.bytesPerSecond ?? 0) - 10_500) < 600)
    }
}
