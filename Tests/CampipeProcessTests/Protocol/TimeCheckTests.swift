import CampipeKit
import Testing

@testable import CampipeProcess

@Suite("The times that a child gives")
struct TimeCheckTests {
    static func header(captured: Int64 = MessageHeader.noTime, pts: Int64 = MessageHeader.noTime) -> MessageHeader {
        var header = MessageHeader(.item)
        header.captured = captured
        header.pts = pts
        return header
    }
    static let second: Int64 = 1_000_000_000
    /// An input at 100 s of the line, of a stream with ticks of 1/90000 s that do not fit nanoseconds.
    static let input = ItemTimes(
        captured: .zero + .seconds(100), pts: MediaTime(ticks: 3003, timebase: .rtpVideo))

    @Test("an item that repeats its input's times in nanoseconds has them exactly; so has one that gives none")
    func exact() {
        var check = TimeCheck()
        check.gave(Self.input)
        let same = Self.header(captured: 100 * Self.second, pts: Self.input.pts.duration.nanoseconds)
        #expect(check.ofTransform(same, port: 0, isInOrder: true) == Self.input)
        #expect(check.ofTransform(Self.header(), port: 0, isInOrder: true) == Self.input)
        #expect(check.mended == 0)
    }

    @Test(
        "times that cannot be are those of the input instead",
        arguments: [
            header(captured: 101 * second), header(captured: 10 * second), header(captured: .max),
            header(captured: .min + 1), header(pts: 3600 * second), header(pts: -3600 * second), header(pts: .max),
        ])
    func mended(_ header: MessageHeader) {
        var check = TimeCheck()
        check.gave(Self.input)
        let times = check.ofTransform(header, port: 0, isInOrder: true)
        #expect(times == Self.input)
        #expect(check.mended == 1)
    }

    @Test("presentation times do not go backwards on an output")
    func order() {
        var check = TimeCheck()
        check.gave(Self.input)
        let later = check.ofTransform(Self.header(pts: 2 * Self.second), port: 0, isInOrder: true)
        let earlier = check.ofTransform(Self.header(pts: Self.second), port: 0, isInOrder: true)
        #expect(later?.pts == earlier?.pts)
        #expect(check.mended == 1)
        // Another output has an order of its own.
        #expect(
            check.ofTransform(Self.header(pts: Self.second), port: 1, isInOrder: true)?.pts == MediaTime(.seconds(1)))
    }

    @Test("a live source's item was captured when it says, unless that cannot be")
    func source() {
        var check = TimeCheck()
        let now = Instant.zero + .seconds(100)
        func captured(_ said: Int64) -> Instant {
            check.ofSource(Self.header(captured: said), timebase: .nanoseconds, isLive: true, now: now).captured
        }
        #expect(captured(99 * Self.second) == .zero + .seconds(99))
        #expect(captured(101 * Self.second) == now)
        #expect(captured(1) == now)
        #expect(captured(MessageHeader.noTime) == now)
        #expect(check.mended == 2)
    }

    @Test("of a source that is not live the time of capture is that of presentation")
    func stored() {
        var check = TimeCheck()
        let times = check.ofSource(
            Self.header(pts: 2 * Self.second), timebase: .rtpVideo, isLive: false, now: .zero + .seconds(9))
        #expect(times == ItemTimes(captured: .zero + .seconds(2), pts: MediaTime(ticks: 180_000, timebase: .rtpVideo)))
    }
}
