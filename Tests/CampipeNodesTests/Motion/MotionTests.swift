import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Motion as a node")
struct MotionTests {
    /// A grey picture of 320x240 with noise, in which a bright block stands at `x`; nil is no block.
    private func picture(_ index: Int, block x: Int?, light: Int = 0) -> Frame {
        Pictures.frame(.gray8, Size(320, 240), at: .milliseconds(index * 200)) { _, column, row in
            if let x, (x..<x + 30).contains(column), (100..<180).contains(row) { return 200 }
            return UInt8(60 + light) &+ UInt8((column &* 31 &+ row &* 17 &+ index &* 7) % 5)
        }
    }

    private func run(_ options: Value.ValueMap = [:], blocks: [Int?]) throws -> NodeHarness {
        let harness = try NodeHarness(Registration(transform: Motion.self), options: options, id: "watch")
        for (index, block) in blocks.enumerated() { try harness.push(picture(index, block: block)) }
        return harness
    }

    private static let walk: [Int?] =
        Array(repeating: nil, count: 6) + (0..<20).map { $0 * 12 } + Array(repeating: nil, count: 40)

    @Test("an event begins once, says again that it goes on, and ends once with what its beginning said")
    func oneEvent() throws {
        let events = try run(blocks: Self.walk).events
        #expect(events.filter { $0.kind == .motionStarted && !$0.isRepeat }.count == 1)
        #expect(events.filter { $0.kind == .motionEnded }.count == 1)
        #expect(Set(events.map(\.id)).count == 1)
        let (first, last) = try (#require(events.first), #require(events.last))
        #expect(first.phase == .began && last.phase == .ended)
        #expect(last.boxes == first.boxes && last.payload["start"] == first.payload["start"])
        let repeats = events.filter(\.isRepeat)
        #expect(repeats.count >= 5)
        for (before, after) in zip(events, events.dropFirst()) where after.isRepeat {
            #expect(after.captured - before.captured <= .seconds(1))
        }
    }

    @Test("the box lies around what moves, and goes with it")
    func boxes() throws {
        let events = try run(blocks: Self.walk).events.filter { !$0.boxes.isEmpty && $0.phase == .began }
        #expect(events.count > 10)
        for event in events {
            let index = Int(((event.captured - .zero).seconds * 5).rounded())
            guard let x = Self.walk[index] else { continue }
            let box = try #require(event.boxes.first)
            #expect(abs(box.x - Double(x) / 320) < 0.05)
            #expect(abs(box.width - 30 / 320.0) < 0.06)
            #expect(abs(box.y - 100 / 240.0) < 0.05)
            #expect(abs(box.height - 80 / 240.0) < 0.1)
            #expect(try #require(event.score) > 0.8)
        }
    }

    @Test("frames pass unchanged, with no pixel copied")
    func framesPass() throws {
        let harness = try NodeHarness(Registration(transform: Motion.self))
        let pictures = (0..<5).map { picture($0, block: nil) }
        for picture in pictures { try harness.push(picture) }
        #expect(
            harness.items(Frame.self).map { ObjectIdentifier($0.pixels) }
                == pictures.map { ObjectIdentifier($0.pixels) })
    }

    @Test(
        "a moving thing outside the zone, or inside an excluded one, is no motion",
        arguments: [
            "include", "exclude",
        ])
    func zones(_ kind: String) throws {
        let upper: Value = [["0", "0"], ["1", "0"], ["1", "0.3"], ["0", "0.3"]]
        let all: Value = [["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]
        let options: Value.ValueMap = ["zones": [kind: kind == "include" ? upper : all]]
        #expect(try run(options, blocks: Self.walk).events.isEmpty)
    }

    @Test("a lamp that is switched on in a part of the picture is no motion")
    func lamp() throws {
        let harness = try NodeHarness(Registration(transform: Motion.self))
        for index in 0..<30 { try harness.push(picture(index, block: index < 10 ? nil : 100)) }
        #expect(harness.events.isEmpty)
    }

    @Test(
        "while the exposure changes, the box is still around what moves, and the light alone is no motion",
        arguments: [
            true, false,
        ])
    func exposure(_ hasMover: Bool) throws {
        let harness = try NodeHarness(Registration(transform: Motion.self))
        for index in 0..<30 {
            let light = max(0, min(20, index - 5)) * 5
            let block = hasMover && index > 5 ? (index - 5) * 10 : nil
            try harness.push(picture(index, block: block, light: light))
        }
        #expect(harness.events.isEmpty != hasMover)
        for event in harness.events where event.phase == .began && !event.boxes.isEmpty {
            #expect(event.boxes.count == 1)
            #expect(try #require(event.boxes.first).width < 0.2)
        }
    }

    @Test("what a lost camera shows when it is back is a new beginning, and ends what went on")
    func lost() throws {
        let harness = try run(blocks: Array(Self.walk.prefix(20)))
        #expect(harness.events.contains { $0.kind == .motionStarted })
        harness.gap(Gap(.lost, count: 0, at: .zero + .seconds(4)))
        for index in 30..<50 { try harness.push(picture(index, block: 250)) }
        let events = harness.events
        #expect(events.filter { $0.kind == .motionEnded }.count == 1)
        #expect(events.filter { $0.kind == .motionStarted && !$0.isRepeat }.count == 1)
    }

    @Test(
        "an event ends event_gap after the last motion though no picture comes, of a camera that is lost and one that stalls",
        arguments: [true, false])
    func silence(_ isLost: Bool) throws {
        let clock = ManualClock()
        let harness = try NodeHarness(
            Registration(transform: Motion.self), options: ["event_gap": "5s"], id: "watch", isLive: true, clock: clock)
        for (index, block) in Self.walk.prefix(20).enumerated() {
            try harness.run(until: .zero + .milliseconds(index * 200))
            try harness.push(picture(index, block: block))
        }
        let last = try #require(harness.events.last).captured
        #expect(clock.now - last < .seconds(1))
        if isLost { harness.gap(Gap(.lost, count: 0, at: clock.now)) }
        try harness.advance(by: .milliseconds(4900))
        #expect(!harness.events.contains { $0.kind == .motionEnded })
        try harness.advance(by: .milliseconds(100))
        let ended = harness.events.filter { $0.kind == .motionEnded }
        #expect(ended.count == 1)
        #expect(try #require(ended.first).captured == clock.now)
        // What it shows when it is back is a new beginning.
        try harness.advance(by: .seconds(60))
        for index in 350..<370 {
            try harness.run(until: .zero + .milliseconds(index * 200))
            try harness.push(picture(index, block: 250))
        }
        #expect(harness.events.filter { $0.kind == .motionEnded }.count == 1)
    }

    @Test("the end of the stream ends the event")
    func end() throws {
        let harness = try run(blocks: Array(Self.walk.prefix(20)))
        try harness.end()
        #expect(harness.events.last?.kind == .motionEnded)
    }

    @Test("while only events are wanted it asks for small luma at its own rate; else for what is asked of it")
    func wants() throws {
        let harness = try NodeHarness(Registration(transform: Motion.self))
        #expect(harness.want(Want(.events)) == Want(maxWidth: 160, maxRate: 5, lumaOnly: true))
        #expect(harness.want(Want(maxWidth: 640, maxRate: 10)) == Want(maxWidth: 640, maxRate: 10))
        #expect(harness.want(Want(maxWidth: 80, lumaOnly: true)) == Want(maxWidth: 160, lumaOnly: true))
        #expect(harness.want(.all) == .all)
        let every = try NodeHarness(Registration(transform: Motion.self), options: ["analyze_fps": "all"])
        #expect(every.want(Want(.events)).maxRate == nil)
    }

    @Test("an event shows pictures: at its beginning the one at hand, at its end the best; a repeat has none")
    func bestPicture() throws {
        let harness = try run(blocks: Self.walk)
        let began = try #require(harness.events.first)
        #expect(try #require(began.pictureFrame).captured == began.captured)
        let ended = try #require(harness.events.last)
        let best = try #require(ended.pictureFrame)
        // In the best one the whole block is in the picture.
        let index = Int(((best.captured - .zero).seconds * 5).rounded())
        #expect(try #require(Self.walk[index]) > 10)
        #expect(harness.events.filter(\.isRepeat).allSatisfy { $0.pictureFrame == nil && $0.picture == nil })
        #expect(ended.storage.byteCount > best.storage.byteCount)
    }

    @Test("what a camera sent as JPEG is the picture of the event, as it came")
    func ownPicture() throws {
        let harness = try NodeHarness(Registration(transform: Motion.self))
        let motionCase = try #require(MotionCase.all.first { $0.name == "person-sized-mover" })
        for frame in try motionCase.frames() { try harness.push(frame) }
        let began = try #require(harness.events.first)
        let jpegs = try Fixture.jpegs("motion/person-sized-mover.mjpeg").map { Bytes($0) }
        #expect(jpegs.contains(try #require(began.picture).data))
        #expect(began.pictureFrame == nil)
    }

    @Test("the regions that move are noted on the frames, while an event goes on, with the node as their label")
    func notes() throws {
        let harness = try run(blocks: Self.walk)
        let noted = harness.items(Frame.self, on: "frames").filter { !$0.regions.isEmpty }
        #expect(noted.count > 10)
        #expect(noted.allSatisfy { $0.regions.allSatisfy { $0.label == "watch" } })
        let began = try #require(harness.events.first).captured
        #expect(noted.allSatisfy { $0.captured >= began })
        #expect(harness.items(Frame.self, on: "frames").last?.regions == [])
    }

    @Test("an event waits for min_duration, and says since when it moves; frames do not wait")
    func minimum() throws {
        let early = try #require(run(blocks: Self.walk).events.first)
        let late = try #require(run(["min_duration": "2s"], blocks: Self.walk).events.first)
        #expect(late.payload["start"] == early.payload["start"])
        #expect(late.captured - early.captured >= .milliseconds(1600))
        #expect(try run(["min_duration": "10s"], blocks: Self.walk).events.isEmpty)
        let harness = try NodeHarness(Registration(transform: Motion.self), options: ["min_duration": "2s"])
        for index in 0..<10 {
            try harness.push(picture(index, block: nil))
            #expect(harness.items(Frame.self, on: "frames").count == index + 1)
        }
    }

    @Test(
        "the numbers behind a sensitivity can be set by themselves",
        arguments: [("threshold", "200"), ("min_area", "20%")])
    func numbers(_ key: String, _ value: String) throws {
        #expect(try run([key: .plain(value)], blocks: Self.walk).events.isEmpty)
    }

    @Test("the debug output shows model, mask and regions as one picture, and only by its name")
    func debug() throws {
        let harness = try run(blocks: Self.walk)
        let shown = harness.items(Frame.self, on: "debug")
        #expect(shown.count == Self.walk.count)
        let size = try #require(shown.last).size
        #expect(size == Size(2 * 160 * 3, 2 * 120 * 3))
        let descriptor = Registration(transform: Motion.self).descriptor
        #expect(descriptor.impliedOutputs.map(\.name) == ["frames", "events"])
        // While something moves there is red in the mask, at the lower left.
        let moving = shown[15]
        var red = 0
        for y in size.height / 2..<size.height {
            for x in 0..<size.width / 2 where Pictures.pixel(moving, x, y, plane: 2) > 200 { red += 1 }
        }
        #expect(red > 500)
    }

    private static let wrong: [(Value.ValueMap, String)] = [
        (["zones": ["include": [["0", "0"], ["1", "1"]]]], "zones.include"),
        (["mask": [["0", "0"], ["1", "0"], ["1", "1.5"]]], "mask[2]"),
        (["mask": "left"], "mask"),
        (["event_gap": "0s"], "event_gap"),
        (["threshold": "0"], "threshold"),
        (["min_area": "5"], "min_area"),
        (["min_duration": "2h"], "min_duration"),
        (["analyze_fps": "0"], "analyze_fps"),
    ]

    @Test("a zone that is no polygon is pointed at", arguments: wrong)
    func faults(_ options: Value.ValueMap, _ place: String) {
        let faults = Registration(transform: Motion.self).inspect(options).faults
        #expect(faults.map { "\($0.path)" }.contains(place))
    }

    @Test("events say the zones in which motion counts, as they were given, and nothing where none were")
    func zonesInEvents() {
        let zones = Polygons(list: [[.init(x: 0, y: 0), .init(x: 1, y: 0.25), .init(x: 0.5, y: 1)]])
        let time = CaptureTime(isLive: false, clock: ManualClock())
        let facts = MotionEpisode.Facts(start: .zero, score: 1, area: 0.5, boxes: [])
        var speaker = MotionSpeaker(node: "watch", time: time, isLive: false, zones: zones)
        #expect(speaker.event(.began(facts), at: .zero).zones == zones.list)
        #expect(speaker.event(.ended(facts, last: .zero), at: .zero).zones == zones.list)
        var everywhere = MotionSpeaker(node: "watch", time: time, isLive: false)
        #expect(everywhere.event(.began(facts), at: .zero).payload["zones"] == nil)
    }
}
