import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Grid as a node")
struct GridTests {
    private let grid = Registration(mixer: Grid.self)

    private func harness(_ options: Value.ValueMap = [:], feeds: [Feed]? = nil) throws -> NodeHarness {
        var all: Value.ValueMap = ["width": "320", "height": "90", "labels": "none"]
        for entry in options.entries { all[entry.key] = entry.value }
        return try NodeHarness(grid, options: all, feeds: feeds)
    }

    private func picture(_ level: UInt8, at time: Duration, _ size: Size = Size(64, 36)) -> Frame {
        Pictures.frame(.yuv420, size, at: time) { plane, _, _ in plane == 0 ? level : 128 }
    }

    private func mixed(_ harness: NodeHarness, at time: Duration) throws -> Frame {
        try harness.mix(at: .zero + time)
        return try #require(harness.takeItems(Frame.self).last)
    }

    /// The luma in the middle of each of two cells.
    private func middles(_ frame: Frame) -> [Int] { [80, 240].map { Int(Pictures.pixel(frame, $0, 45)) } }

    @Test("each input is in its cell, and a cell keeps its picture until the next")
    func cells() throws {
        let harness = try harness()
        #expect(try middles(mixed(harness, at: .zero)) == [40, 40])
        harness.push(picture(100, at: .milliseconds(50)), part: 0)
        let first = try mixed(harness, at: .milliseconds(100))
        #expect(middles(first) == [100, 40])
        #expect(first.captured == .zero + .milliseconds(100) && first.pts.duration == .milliseconds(100))
        #expect(first.size == Size(320, 90) && first.format.rate == 10)
        harness.push(picture(200, at: .milliseconds(150), Size(31, 17)), part: 1)
        #expect(try middles(mixed(harness, at: .milliseconds(200))) == [100, 200])
    }

    @Test("a picture in which no cell changed shares the pixels of the one before")
    func shared() throws {
        let harness = try harness()
        harness.push(picture(100, at: .zero), part: 0)
        let first = try mixed(harness, at: .zero)
        let second = try mixed(harness, at: .milliseconds(100))
        #expect(first.pixels === second.pixels && second.captured > first.captured)
        harness.push(picture(101, at: .milliseconds(150)), part: 0)
        #expect(try mixed(harness, at: .milliseconds(200)).pixels !== second.pixels)
    }

    @Test("a lost camera, one that ended and one that never came show NO SIGNAL, and are live again by a picture")
    func lost() throws {
        func words(_ frame: Frame, _ columns: Range<Int>) -> Int {
            (0..<90).reduce(0) { sum, y in sum + columns.count { Pictures.pixel(frame, $0, y) > 200 } }
        }
        let harness = try harness()
        harness.push(picture(100, at: .zero), part: 0)
        #expect(try words(mixed(harness, at: .zero), 0..<160) == 0)
        harness.set(.lost, part: 0)
        let lost = try mixed(harness, at: .milliseconds(100))
        #expect(words(lost, 0..<160) > 20 && words(lost, 160..<320) == 0)
        harness.push(picture(120, at: .milliseconds(150)), part: 0)
        let back = try mixed(harness, at: .milliseconds(200))
        #expect(words(back, 0..<160) == 0 && middles(back)[0] == 120)
        harness.set(.ended, part: 0)
        #expect(try words(mixed(harness, at: .milliseconds(300)), 0..<160) > 20)
        // The second never came.
        #expect(try words(mixed(harness, at: .milliseconds(2100)), 160..<320) > 20)
    }

    @Test("a picture that gets old is dimmed, with its age, once a second")
    func stale() throws {
        let harness = try harness()
        harness.push(picture(200, at: .zero), part: 0)
        let live = try mixed(harness, at: .zero)
        #expect(try mixed(harness, at: .milliseconds(1900)).pixels === live.pixels)
        let old = try mixed(harness, at: .milliseconds(2100))
        #expect(Pictures.pixel(old, 10, 5) == 80)
        #expect(try mixed(harness, at: .milliseconds(2900)).pixels === old.pixels)
        #expect(try mixed(harness, at: .milliseconds(3100)).pixels !== old.pixels)
        harness.push(picture(200, at: .milliseconds(3150)), part: 0)
        #expect(try Pictures.pixel(mixed(harness, at: .milliseconds(3200)), 10, 5) == 200)
    }

    @Test("a damaged picture is shown only where no good one is younger than a second")
    func damaged() throws {
        let harness = try harness()
        func push(_ level: UInt8, _ time: Duration, isDamaged: Bool) throws -> Int {
            var frame = picture(level, at: time)
            frame.isDamaged = isDamaged
            harness.push(frame, part: 0)
            return try middles(mixed(harness, at: time))[0]
        }
        #expect(try push(50, .zero, isDamaged: true) == 50)
        #expect(try push(100, .milliseconds(100), isDamaged: false) == 100)
        #expect(try push(60, .milliseconds(500), isDamaged: true) == 100)
        #expect(try push(70, .milliseconds(1100), isDamaged: true) == 70)
    }

    @Test("what is switched off says so at once; names are the cameras'")
    func off() throws {
        let feeds = [Feed(id: "yard/cam", source: "yard/cam", camera: "yard"), Feed(id: "gate", isOff: true)]
        let frame = try mixed(harness(["labels": "names"], feeds: feeds), at: .zero)
        #expect((0..<90).contains { y in (160..<320).contains { Pictures.pixel(frame, $0, y) == 160 } })
        #expect(GridLabels.names.texts(for: feeds) == ["yard", "gate"])
        let twins = [Feed(id: "small", source: "front"), Feed(id: "front"), Feed(id: "back")]
        #expect(GridLabels.names.texts(for: twins) == ["small", "front", "back"])
        #expect(GridLabels.texts(["A"]).texts(for: twins) == ["A", "", ""])
    }

    @Test("each input is wanted as wide as its cell and as often as the grid goes")
    func wants() {
        let box = grid.make(["width": "1280", "fps": "10"])
        #expect(box.want(.all, ofEachOf: 4) == Want(maxWidth: 640, maxRate: 10))
        #expect(box.want(Want(maxRate: 5), ofEachOf: 9) == Want(maxWidth: 428, maxRate: 5))
        #expect(box.rate == 10)
    }

    @Test(
        "the layout makes pictures of 16:9 largest, and covers everything without overlap",
        arguments: [
            (2, Size(1280, 720), 2), (3, Size(1280, 720), 2), (4, Size(1280, 720), 2), (5, Size(1280, 720), 3),
            (9, Size(1280, 720), 3), (16, Size(1280, 720), 4), (36, Size(1920, 1080), 6), (3, Size(1920, 360), 3),
            (4, Size(360, 1280), 1),
        ])
    func layout(_ count: Int, _ size: Size, _ columns: Int) {
        let layout = GridLayout(count, in: size)
        #expect(layout.columns == columns)
        #expect(layout.cells.allSatisfy { $0.x % 2 == 0 && $0.y % 2 == 0 && $0.width > 0 && $0.height > 0 })
        #expect(layout.cells.allSatisfy { $0.x + $0.width <= size.width && $0.y + $0.height <= size.height })
        for (index, cell) in layout.cells.enumerated() {
            for other in layout.cells[..<index] {
                #expect(
                    cell.x >= other.x + other.width || other.x >= cell.x + cell.width
                        || cell.y >= other.y + other.height || other.y >= cell.y + cell.height)
            }
        }
        if count % columns == 0 {
            #expect(layout.cells.reduce(0) { $0 + $1.width * $1.height } == size.pixels)
        }
    }

    @Test(
        "faults are pointed at, with what would be right",
        arguments: [
            ("width", "641", "write 642"),
            ("labels", "name", "did you mean \"names\"? accepted: names, none, or a list of texts"),
            ("columns", "0", "accepted: 1…36"), ("fps", "100", "accepted: 0.1…60"),
        ])
    func faults(_ key: String, _ value: String, _ fix: String) {
        let faults = grid.inspect(Value.ValueMap([.init(key, .plain(value))])).faults
        #expect(faults.map(\.fix) == [fix] && faults.map(\.path) == [FaultPath([.key(key)])])
    }

    @Test("more labels than inputs are a fault; how many a pattern names is not known")
    func tooManyLabels() {
        let options: Value.ValueMap = ["labels": ["A", "B", "C"]]
        #expect(
            grid.inspect(options, inputs: ["inputs": ["a", "b"]]).faults.map(\.sentence) == [
                "there are 3 labels for 2 inputs"
            ])
        #expect(grid.inspect(options, inputs: ["inputs": ["a", "*/b"]]).faults.isEmpty)
    }

    @Test("a wall of four looks as it was once seen to")
    func golden() throws {
        let feeds = ["front", "yard", "gate", "Tür"].map { Feed(id: $0) }
        let harness = try NodeHarness(grid, options: ["width": "640", "height": "360"], feeds: feeds)
        let scene = DemoScene(.bars, size: Size(320, 180))
        harness.push(scene.frame(at: .zero, captured: .zero, pool: .shared), part: 0)
        harness.push(picture(180, at: .zero, Size(100, 100)), part: 1)
        harness.set(.lost, part: 2)
        _ = try mixed(harness, at: .zero)
        harness.push(scene.frame(at: .zero, captured: .zero + .seconds(4), pool: .shared), part: 0)
        let frame = try mixed(harness, at: .seconds(4))
        #expect(try GoldenPicture.likeness(frame, "grid-4") > 34)
    }
}
