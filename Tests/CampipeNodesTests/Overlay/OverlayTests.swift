import CampipeKit
import CampipeMedia
import Foundation
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

    @Test("the regions that a frame itself has are drawn, and an event's of the same node are not drawn beside them")
    func notedRegions() throws {
        let harness = try NodeHarness(Registration(join: Overlay.self), options: ["draw": ["boxes"]])
        var frame = picture()
        frame.regions = [Region(x: 0.1, y: 0.1, width: 0.2, height: 0.2, label: "yard/watch")]
        try harness.push(frame, sides: ["events": [event(at: .zero)]])
        let drawn = try #require(harness.takeItems(Frame.self).first)
        #expect(painted(drawn, columns: 0..<120, rows: 0..<70) > 100)
        #expect(painted(drawn, columns: 150..<250, rows: 80..<140) == 0)
        frame.regions[0].label = "other"
        try harness.push(frame)
        let both = try #require(harness.takeItems(Frame.self).first)
        #expect(painted(both, columns: 150..<250, rows: 80..<140) > 100)
    }

    @Test("the zones that an event says are outlined; what is no polygon is passed over")
    func zones() throws {
        let harness = try NodeHarness(Registration(join: Overlay.self), options: ["draw": ["zones"]])
        let zone = Polygons(list: [[.init(x: 0, y: 0), .init(x: 1, y: 0), .init(x: 1, y: 1)]]).eventValue
        guard case .list(let polygons) = zone else { return }
        let event = Event(
            .motionStarted, id: "1", phase: .began, captured: .zero, node: "watch",
            payload: ["zones": .list(polygons + ["x", .list([.list([2, "y"])])])])
        try harness.push(picture(), sides: ["events": [event]])
        let drawn = try #require(harness.frames.first)
        #expect(Pictures.pixel(drawn, 160, 0) > 150)
        #expect(Pictures.pixel(drawn, 319, 100) > 150)
        #expect(Pictures.pixel(drawn, 160, 90) > 150)
        #expect(Pictures.pixel(drawn, 20, 150) == 100)
    }

    @Test("letters are drawn when the text or the size changes, not for each picture; an image when the format does")
    func drawnOnce() throws {
        let style = OverlayPainter.Style(
            position: .top, share: 0.1, color: .white, background: nil, outline: .black)
        let painter = OverlayPainter(style, renderer: try TextRenderer())
        let image = ImagePainter(
            AlphaPicture(width: 2, height: 2, pixels: [UInt8](repeating: 255, count: 16)), position: .topLeft,
            share: 0.1, opacity: 1)
        for number in 0..<50 {
            var frame = picture()
            try painter.paint("second \(number / 25)", on: &frame)
            image.paint(on: &frame)
        }
        #expect(painter.layouts == 2)
        #expect(image.conversions == 1)
        var larger = Pictures.frame(.nv12, Size(640, 360))
        try painter.paint("second 1", on: &larger)
        image.paint(on: &larger)
        #expect(painter.layouts == 3)
        #expect(image.conversions == 2)
    }

    @Test("a file that is no image fails when the node opens, by its path", arguments: ["missing.png", "text.png"])
    func image(_ name: String) throws {
        let folder = try TemporaryFolder()
        try Data("no picture at all, only text".utf8).write(to: URL(filePath: folder.path + "/text.png"))
        let path = folder.path + "/" + name
        #expect {
            _ = try NodeHarness(Registration(join: Overlay.self), options: ["image": .plain(path)])
        } throws: { error in
            guard let error = error as? CampipeError else { return false }
            return error.message.contains(path) && error.kind == (name == "text.png" ? .badData : .notFound)
                && error.fix != nil
        }
    }

    @Test(
        "a field that asks for events that do not come is pointed at",
        arguments: [
            ("{watch.score}", [], "{watch.score} asks for events, and none come here", "add events: [watch]"),
            (
                "{event.class}", [], "{event.class} asks for events, and none come here",
                "add events: with the id of what finds them"
            ),
            ("{wach.score}", ["watch"], "no events of \"wach\" come here", "did you mean \"watch\"?"),
            ("{door.score}", ["watch"], "no events of \"door\" come here", "known: watch"),
        ])
    func unheard(_ text: String, _ events: [String], _ sentence: String, _ fix: String) {
        let overlay = Registration(join: Overlay.self)
        let faults = overlay.inspect(["text": .plain(text)], inputs: ["input": ["front"], "events": events]).faults
        #expect(faults.map(\.sentence) == [sentence] && faults.map(\.fix) == [fix])
        #expect(faults.first?.path == ["text"] && faults.first?.span == 0..<text.count)
    }

    @Test(
        "a field whose events come, or may come, is not",
        arguments: [
            ("{watch.score}", ["watch"]), ("{watch.score}", ["yard/watch"]), ("{event.class}", ["watch"]),
            ("{watch.score}", ["w*"]), ("{source} {fps}", []),
        ])
    func heard(_ text: String, _ events: [String]) {
        let overlay = Registration(join: Overlay.self)
        #expect(overlay.inspect(["text": .plain(text)], inputs: ["events": events]).faults.isEmpty)
    }

    @Test("an edge of letters is a colour or none")
    func edges() {
        let overlay = Registration(join: Overlay.self)
        #expect(overlay.inspect(["text": "x", "outline": "none"]).faults.isEmpty)
        #expect(overlay.inspect(["text": "x", "outline": "#204060"]).faults.isEmpty)
        let fix = overlay.inspect(["text": "x", "outline": "blu"]).faults.first?.fix
        #expect(fix?.hasPrefix("did you mean blue?") == true)
    }
}
