import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Overlay as a node")
struct OverlayTests {
    private func picture(at time: Duration = .zero, pool: FramePool = .shared) -> Frame {
        Pictures.frame(.yuv420, Size(320, 180), at: time, pool: pool)
    }

    private func event(_ kind: EventKind = .motionStarted, phase: Event.Phase = .began, at time: Duration) -> Event {
        Event(
            kind, id: "1", phase: phase, captured: .zero + time, node: "yard/watch",
            payload: [
                "score": 0.42, "class": "person",
                "boxes": .list([Region(x: 0.5, y: 0.5, width: 0.25, height: 0.25).value]),
            ])
    }

    /// How many luma pixels of a part differ from the plain picture.
    private func painted(_ frame: Frame, columns: Range<Int> = 0..<320, rows: Range<Int> = 0..<180) -> Int {
        rows.reduce(0) { sum, y in sum + columns.count { Pictures.pixel(frame, $0, y) != 100 } }
    }

    @Test(
        "text stands in its corner and nowhere else",
        arguments: [
            ("top_left", 0..<160, 0..<90), ("top_right", 160..<320, 0..<90), ("bottom_left", 0..<160, 90..<180),
            ("bottom_right", 160..<320, 90..<180), ("top", 80..<240, 0..<90), ("bottom", 80..<240, 90..<180),
        ])
    func corner(_ position: String, _ columns: Range<Int>, _ rows: Range<Int>) throws {
        let harness = try NodeHarness(
            Registration(join: Overlay.self),
            options: ["text": "{source}", "position": .plain(position), "size": "8%"],
            id: "cam1")
        try harness.push(picture())
        let frame = try #require(harness.frames.first)
        let inside = painted(frame, columns: columns, rows: rows)
        #expect(inside > 50)
        #expect(inside == painted(frame))
    }

    @Test("an overlay of nothing is pointed at, without being refused")
    func nothing() {
        let overlay = Registration(join: Overlay.self)
        #expect(overlay.inspect([:]).faults.map(\.severity) == [.warning])
        #expect(overlay.inspect(["text": "x"]).faults.isEmpty)
        #expect(overlay.inspect(["draw": ["boxes"]]).faults.isEmpty)
        let faults = overlay.inspect(["text": "%H %Q"]).faults
        #expect(faults.map(\.code) == [.invalidValue])
        #expect(faults.map(\.path) == [["text"]])
    }

    @Test("a frame that nobody else holds is painted where it is, and a shared one keeps its pixels")
    func inPlace() throws {
        let harness = try NodeHarness(Registration(join: Overlay.self), options: ["text": "x"])
        let own = picture()
        let place = ObjectIdentifier(own.pixels)
        try harness.push(consume own)
        #expect(harness.takeItems(Frame.self).first.map { ObjectIdentifier($0.pixels) } == place)
        let shared = picture()
        try harness.push(shared)
        #expect(harness.takeItems(Frame.self).first.map { $0.pixels === shared.pixels } == false)
        #expect(painted(shared) == 0)
    }

    @Test("the box of an event is drawn while it goes on, and not after it ended or was not said again")
    func boxes() throws {
        let harness = try NodeHarness(Registration(join: Overlay.self), options: ["draw": ["boxes"]])
        func push(_ time: Duration, _ events: [Event] = []) throws -> Int {
            try harness.push(picture(at: time), sides: ["events": events])
            return painted(try #require(harness.takeItems(Frame.self).first), columns: 150..<250, rows: 80..<140)
        }
        #expect(try push(.zero) == 0)
        #expect(try push(.milliseconds(100), [event(at: .milliseconds(100))]) > 100)
        #expect(try push(.milliseconds(1000)) > 100)
        #expect(try push(.milliseconds(1500)) == 0)
        #expect(try push(.milliseconds(1600), [event(at: .milliseconds(1600))]) > 100)
        #expect(try push(.milliseconds(1700), [event(.motionEnded, phase: .ended, at: .milliseconds(1700))]) == 0)
    }

    @Test("fields show what the newest event says; without one they are empty")
    func fields() throws {
        var content = OverlayContent(
            try OverlayText("{camera}|{event.class}|{watch.score}|{event.kind}|{other.score}"), source: "yard/cam",
            camera: "yard")
        #expect(content.text(at: .zero, time: WallTime(microseconds: 0)) == "yard||||")
        content.happened(event(at: .zero))
        let text = content.text(at: .zero + .milliseconds(500), time: WallTime(microseconds: 0))
        #expect(text == "yard|person|42%|motion_started|")
    }

    @Test("the rate is that of the pictures, and changes once a second")
    func rate() throws {
        var content = OverlayContent(try OverlayText("{fps}"), source: "", camera: "")
        var texts: [String] = []
        for number in 0..<60 {
            let time = Instant.zero + .milliseconds(40 * number)
            content.came(time)
            texts.append(content.text(at: time, time: WallTime(microseconds: 0)))
        }
        #expect(texts[30] == "25" && texts[24] == texts[1])
    }

    @Test(
        "faults in text and colours are pointed at",
        arguments: [
            ("text", "{sorce}", FaultCode.unknownField), ("text", "a } b", .invalidValue),
            ("color", "grean", .invalidValue),
            ("size", "90%", .outOfRange), ("position", "left", .unknownEnumValue),
        ])
    func faults(_ key: String, _ value: String, _ code: FaultCode) {
        let faults = Registration(join: Overlay.self).inspect(Value.ValueMap([.init(key, .text(value))])).faults
        #expect(faults.map(\.code) == [code] && faults.map(\.path) == [FaultPath([.key(key)])])
    }
}
