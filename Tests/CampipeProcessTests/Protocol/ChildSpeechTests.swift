import CampipeKit
import Testing

@testable import CampipeProcess

@Suite("What a child may say")
struct ChildSpeechTests {
    static let outputs = [Out<Frame>("out").descriptor, Out<Event>("events").descriptor]

    static func header(
        _ kind: MessageHeader.Kind, port: UInt8 = 0, data: Int = 0, flags: MessageHeader.Flags = [], place: UInt64 = 0
    ) -> MessageHeader {
        var header = MessageHeader(kind)
        header.port = port
        header.dataCount = data
        header.flags = flags
        header.place = place
        return header
    }

    /// One that is ready, was given an item, and announced grey frames of 4x2.
    static func talking(isSource: Bool = false) throws -> ChildSpeech {
        var speech = ChildSpeech(outputs: outputs, isSource: isSource, memory: 100..<200)
        _ = try say(&speech, header(.ready), "{\"protocol\":1,\"credit\":99}")
        if isSource { speech.grant(1) } else { speech.asked() }
        _ = try say(&speech, header(.format), "{\"pixel\":\"gray8\",\"width\":4,\"height\":2}")
        return speech
    }

    @discardableResult
    static func say(_ speech: inout ChildSpeech, _ header: MessageHeader, _ text: String = "") throws
        -> ChildSpeech.Meaning
    {
        try speech.admit(header)
        return try speech.take(header, text: Array(text.utf8)[...])
    }

    @Test("a frame of the announced size is an item, and the answer ends what was asked")
    func item() throws {
        var speech = try Self.talking()
        #expect(speech.credit == ChildSpeech.creditLimit)
        guard case .item(let item) = try Self.say(&speech, Self.header(.item, data: 8)) else {
            Issue.record("no item")
            return
        }
        #expect(item.format == .frames(FrameFormat(.gray8, size: Size(4, 2))))
        #expect(speech.unanswered == 1)
        try Self.say(&speech, Self.header(.done))
        #expect(speech.unanswered == 0)
    }

    static let refused: [(String, MessageHeader, String)] = [
        ("says twice that it is ready", header(.ready), "{\"protocol\":1}"),
        ("which only campipe does", header(.hello), ""),
        ("a frame of 9 bytes", header(.item, data: 9), ""),
        ("has no output 7", header(.format, port: 7), "{}"),
        ("on output 2, and has 2", header(.item, port: 2), ""),
        ("data with an event", header(.item, port: 1, data: 5), "{\"kind\":\"a\"}"),
        ("data with a log", header(.log, data: 5), ""),
        ("which only a source does", header(.rest), "{\"seconds\":5}"),
        ("without all of pixel", header(.format), "{\"pixel\":\"gray8\",\"width\":0,\"height\":2}"),
        ("without all of pixel", header(.format), "{\"pixel\":\"gray8\",\"width\":99999999,\"height\":2}"),
        ("at most 128MiB", header(.format), "{\"pixel\":\"rgb24\",\"width\":16384,\"height\":16384}"),
        ("announces packets on a port of frames", header(.format), "{\"kind\":\"packets\"}"),
        ("no JSON", header(.format), "{"),
        ("outside its part", header(.item, data: 8, flags: .shared, place: 99), ""),
        ("outside its part", header(.item, data: 8, flags: .shared, place: 193), ""),
        ("outside its part", header(.item, data: 8, flags: .shared, place: .max), ""),
    ]

    @Test("what may not come is refused", arguments: refused)
    func refuses(_ sentence: String, _ header: MessageHeader, _ text: String) throws {
        var speech = try Self.talking()
        let failure = #expect(throws: CampipeError.self) { try Self.say(&speech, header, text) }
        #expect("\(failure.map { "\($0)" } ?? "")".contains(sentence), "\(failure.map { "\($0)" } ?? "")")
    }

    @Test("nothing may come before the child is ready, and no other version of the protocol")
    func ready() throws {
        var speech = ChildSpeech(outputs: Self.outputs, isSource: false)
        #expect(throws: CampipeError.self) { try Self.say(&speech, Self.header(.done)) }
        let failure = #expect(throws: CampipeError.self) {
            try Self.say(&speech, Self.header(.ready), "{\"protocol\":2}")
        }
        #expect(failure?.kind == .unsupported)
    }

    @Test("a transform may make of one input what is bounded, and answers only what it was asked")
    func bounds() throws {
        var speech = try Self.talking()
        for _ in 0..<ChildSpeech.madeLimit { try Self.say(&speech, Self.header(.item, data: 8)) }
        #expect(throws: CampipeError.self) { try Self.say(&speech, Self.header(.item, data: 8)) }
        try Self.say(&speech, Self.header(.done))
        #expect(throws: CampipeError.self) { try Self.say(&speech, Self.header(.done)) }
        #expect(throws: CampipeError.self) { try Self.say(&speech, Self.header(.item, data: 8)) }
    }

    @Test("a source gives as many as it was granted")
    func credit() throws {
        var speech = try Self.talking(isSource: true)
        try Self.say(&speech, Self.header(.item, data: 8))
        #expect(throws: CampipeError.self) { try Self.say(&speech, Self.header(.item, data: 8)) }
        guard case .done(isOver: true) = try Self.say(&speech, Self.header(.done), "{\"over\":true}") else {
            Issue.record("not over")
            return
        }
    }

    @Test(
        "a source says for how long nothing is due, a day at most",
        arguments: [
            ("{\"seconds\":8.5}", Duration.milliseconds(8500)), ("{\"seconds\":2}", .seconds(2)),
            ("{\"seconds\":1e300}", .seconds(86_400)), ("{\"seconds\":-5}", .zero), ("", .zero),
        ])
    func rests(_ text: String, _ duration: Duration) throws {
        var speech = try Self.talking(isSource: true)
        guard case .rest(let said) = try Self.say(&speech, Self.header(.rest), text) else {
            Issue.record("no rest")
            return
        }
        #expect(said == duration)
    }

    @Test("formats alone do not go on for ever")
    func announcements() throws {
        var speech = try Self.talking()
        #expect(throws: CampipeError.self) {
            for _ in 0..<100 {
                try Self.say(&speech, Self.header(.format), "{\"pixel\":\"gray8\",\"width\":4,\"height\":2}")
            }
        }
    }

    static let formats: [Format] = [
        .frames(FrameFormat(.yuv420, size: Size(1280, 720), rate: 25, range: .limited, matrix: .bt709)),
        .packets(
            {
                var packets = PacketFormat(.h264, size: Size(64, 48), rate: 30, timebase: .rtpVideo)
                packets.parameterSets = Bytes([0, 1, 0xAB, 0xFF])
                packets.keyframesOnly = true
                return packets
            }()),
        .packets(PacketFormat(.jpeg)), .events,
    ]

    @Test("a format is read as it was written", arguments: formats)
    func readsFormat(_ format: Format) throws {
        let text = FormatText.map(format, align: 1).json
        #expect(try FormatText.format(JSONReader.map(text[...]), of: format.kind) == format)
    }

    @Test("an event is read as it was written, and its boxes are numbers")
    func events() throws {
        let text =
            #"{"kind":"seen","id":"7","phase":"began","payload":{"boxes":[{"x":0,"y":0.5,"width":1,"height":1,"label":"person","score":1}]}}"#
        let event = try EventText.event(
            JSONReader.map(Array(text.utf8)[...]), captured: Instant(nanoseconds: 5), node: "people")
        #expect(event.boxes == [Region(x: 0, y: 0.5, width: 1, height: 1, label: "person", score: 1)])
        let again = try EventText.event(
            JSONReader.map(EventText.map(event).json[...]), captured: event.captured, node: "other")
        #expect(again.boxes == event.boxes && again.id == "7" && again.phase == .began)
    }
}
