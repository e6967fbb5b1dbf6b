import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Identity, discard and log")
struct PlainNodeTests {
    /// Lines that a log node wrote.
    private final class Lines: Sendable {
        let list = Lock<[String]>([])
        let outcome: LineWriter.Outcome
        init(_ outcome: LineWriter.Outcome = .written) { self.outcome = outcome }
        var services: Services {
            var services = Services()
            services.add(
                LineWriter { line in
                    self.list.withLock { $0.append(line) }
                    return self.outcome
                })
            return services
        }
    }

    private static let event = Event(
        .motionStarted, id: "watch-1", phase: .began, captured: .zero + .seconds(2), node: "watch",
        payload: ["score": 0.5, "boxes": .list([]), "note": "a \"b\"\n"])

    @Test("identity hands on the same reference")
    func identity() throws {
        let harness = try NodeHarness(Registration(transform: Identity<Packet>.self))
        let packet = Pictures.packet([1, 2, 3])
        try harness.push(packet)
        #expect(harness.packets.first?.storage === packet.storage)
    }

    @Test("discard takes all")
    func discard() throws {
        let harness = try NodeHarness(Registration(sink: Discard<Event>.self))
        #expect(try harness.push(Self.event) == .more)
    }

    @Test("an event as JSON has the keys kind, id, time, node and payload, and a repeat is left out")
    func json() throws {
        let lines = Lines()
        let harness = try NodeHarness(
            Registration(sink: LogSink<Event>.self), options: ["format": "json"], isLive: true, services: lines.services
        )
        try harness.push(Self.event)
        try harness.push(Self.event.repeated(at: .zero + .seconds(3)))
        #expect(
            lines.list.withLock { $0 } == [
                #"{"kind":"motion_started","id":"watch-1","time":"2026-01-01T00:00:02.000000Z","node":"watch","#
                    + #""payload":{"boxes":[],"note":"a \"b\"\n","score":0.5}}"#
            ])
    }

    @Test("an item as text is one line")
    func text() throws {
        let lines = Lines()
        let events = try NodeHarness(Registration(sink: LogSink<Event>.self), isLive: true, services: lines.services)
        try events.push(Self.event)
        let packets = try NodeHarness(
            Registration(sink: LogSink<Packet>.self), id: "out", services: lines.services)
        var format = PacketFormat.jpeg
        format.size = Size(640, 360)
        try packets.push(Pictures.packet([1, 2, 3], format, at: .milliseconds(1500)))
        let frames = try NodeHarness(
            Registration(sink: LogSink<Frame>.self), options: ["format": "json"], id: "out", services: lines.services)
        try frames.push(Pictures.frame(.yuv420, Size(64, 48), at: .milliseconds(40)))
        #expect(
            lines.list.withLock { $0 } == [
                #"2026-01-01T00:00:02.000000Z motion_started watch id=watch-1 boxes=[] note="a \"b\"\n" score=0.5"#,
                "1970-01-01T00:00:01.500000Z packet out jpeg 640x360 3B pts=1.5 key",
                #"{"kind":"frame","source":"out","pixel":"yuv420","size":"64x48","pts":0.04,"#
                    + #""time":"1970-01-01T00:00:00.040000Z"}"#,
            ])
    }

    @Test("when the reader of standard output has gone, the sink wants nothing more")
    func closed() throws {
        let harness = try NodeHarness(Registration(sink: LogSink<Event>.self), services: Lines(.closed).services)
        #expect(try harness.push(Self.event) == .ended)
        #expect(try harness.push(Self.event) == .ended)
        #expect(harness.logged.map(\.message) == ["nobody reads standard output any more"])
        #expect(harness.logged.map(\.level) == [.info])
    }
}

@Suite("Times and JSON")
struct TimeTextTests {
    @Test(
        "a time as ISO 8601 is UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (4_102_444_799_123_456, "2099-12-31T23:59:59.123456Z"),
        ] as [(Int64, String)])
    func iso(_ micros: Int64, _ text: String) { #expect(WallTime(microseconds: micros).iso8601 == text) }

    @Test("a strftime pattern is filled, and filled again when the second changes")
    func strftime() {
        var text = WallClockText("%Y %%H")
        #expect(text.text(at: WallTime(microseconds: 1_767_225_600_000_000 + 40_000_000_000)).hasSuffix(" %H"))
        var seconds = WallClockText("%S")
        #expect(seconds.text(at: WallTime(microseconds: 7_500_000)) == "07")
        #expect(seconds.text(at: WallTime(microseconds: 8_000_000)) == "08")
    }
}
