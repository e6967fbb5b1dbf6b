import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("The parts of motion, each by itself")
struct MotionPartTests {
    // MARK: Regions

    struct Shape: Sendable, CustomTestStringConvertible {
        var rows: [String]
        /// left, top, right, bottom, area, moved
        var regions: [[Int]]
        var testDescription: String { rows.joined(separator: "/") }
    }

    static let shapes = [
        Shape(rows: ["....", "....", "...."], regions: []),
        Shape(rows: ["....", ".##.", ".#m."], regions: [[1, 1, 2, 2, 4, 1]]),
        // Corners that touch hang together.
        Shape(rows: ["#...", ".m..", "...m"], regions: [[0, 0, 1, 1, 2, 1], [3, 2, 3, 2, 1, 1]]),
        Shape(
            rows: ["##..#", "....#", "m...#"], regions: [[0, 0, 1, 0, 2, 0], [4, 0, 4, 2, 3, 0], [0, 2, 0, 2, 1, 1]]),
        Shape(
            rows: ["#####", "#...#", "#.m.#", "#...#", "#####"], regions: [[0, 0, 4, 4, 16, 0], [2, 2, 2, 2, 1, 1]]),
    ]

    @Test("what hangs together is one region, with its bounds and its counts", arguments: shapes)
    func regions(_ shape: Shape) throws {
        let columns = shape.rows[0].count
        let text = shape.rows.joined()
        let marks = text.map { UInt8($0 == "." ? 0 : 1) }
        let moved = text.map { UInt8($0 == "m" ? 1 : 0) }
        var finder = RegionFinder()
        for _ in 0..<2 {
            let found = finder.find(wide: marks, kept: marks, moved: moved, columns: columns, rows: shape.rows.count)
            #expect(found.map { [$0.left, $0.top, $0.right, $0.bottom, $0.area, $0.moved] } == shape.regions)
        }
    }

    @Test("parts near one another are one mover; specks, and what rests, are none")
    func movers() {
        func region(_ left: Int, _ top: Int, area: Int, moved: Int) -> MotionRegion {
            MotionRegion(left: left, top: top, right: left + 9, bottom: top + 9, area: area, moved: moved)
        }
        let parts = [
            region(0, 0, area: 30, moved: 20), region(11, 0, area: 25, moved: 0), region(40, 0, area: 60, moved: 3),
            region(80, 0, area: 3, moved: 3), region(80, 40, area: 200, moved: 90),
        ]
        let movers = MotionRegion.movers(parts, minimum: 40)
        #expect(movers.map(\.area) == [200, 55])
        #expect(movers.last.map { [$0.left, $0.right] } == [0, 20])
    }

    // MARK: Model

    private func model(_ levels: [UInt8], threshold: Int = 14) -> BackgroundModel {
        var model = BackgroundModel(count: levels.count, threshold: threshold)
        model.begin(levels)
        return model
    }

    private func settled(_ model: inout BackgroundModel, _ picture: [UInt8], state: UInt8, seconds: Int) {
        var fit = ExposureFit()
        let looked = [UInt8](repeating: 1, count: picture.count)
        fit.fit(picture: picture, before: picture, looked: looked)
        for _ in 0..<seconds * 5 {
            model.adapt(to: fit)
            model.follow(
                picture, states: [UInt8](repeating: state, count: picture.count), interval: .milliseconds(200))
        }
        model.adapt(to: fit)
    }

    @Test(
        "the background follows what rests soonest, what is background next, what moves last",
        arguments: [(UInt8(0), 4), (1, 40), (2, 6)])
    func follows(_ state: UInt8, _ time: Int) {
        var model = model([100])
        settled(&model, [200], state: state, seconds: time)
        // After its time it has gone 63 % of the way.
        #expect((155...170).contains(model.levels[0]))
    }

    @Test("a place that is restless needs a larger change; one where something passes does not")
    func unrest() {
        var model = model([100, 100])
        var fit = ExposureFit()
        fit.fit(picture: [100, 100], before: [100, 100], looked: [1, 1])
        for index in 0..<300 {
            // The first sways all the time, by the second somebody passes: 2 s each half minute.
            let sways: UInt8 = index % 3 == 0 ? 70 : index % 3 == 1 ? 100 : 130
            let passes: UInt8 = index % 150 < 10 ? 180 : 100
            model.adapt(to: fit)
            model.follow([sways, passes], states: [1, 1], interval: .milliseconds(200))
        }
        model.adapt(to: fit)
        #expect(model.limits[0] > 45)
        #expect(model.limits[1] < 22)
        model.begin([100, 100])
        #expect(model.limits[0] > 45)
        model.forget()
        model.begin([100, 100])
        #expect(model.limits == [14, 14])
    }

    @Test("noise raises all limits at once, and lets them fall slowly")
    func noise() {
        var model = model([UInt8](repeating: 100, count: 4000))
        var fit = ExposureFit()
        let looked = [UInt8](repeating: 1, count: 4000)
        let quiet = [UInt8](repeating: 100, count: 4000)
        let noisy = (0..<4000).map { UInt8(88 + ($0 * 7919) % 25) }
        #expect(model.limit == 14)
        fit.fit(picture: noisy, before: quiet, looked: looked)
        model.adapt(to: fit)
        let raised = model.limit
        #expect(raised > 24)
        fit.fit(picture: quiet, before: quiet, looked: looked)
        model.adapt(to: fit)
        #expect(model.limit > raised - 3)
        for _ in 0..<100 { model.adapt(to: fit) }
        #expect(model.limit == 14)
    }

    @Test("the light is followed at once: an offset, and a gain")
    func light() {
        let before = (0..<4000).map { UInt8(40 + $0 % 150) }
        var model = model(before)
        var fit = ExposureFit()
        let brighter = before.map { UInt8(Int($0) * 6 / 5 + 4) }
        fit.fit(picture: brighter, before: before, looked: [UInt8](repeating: 1, count: 4000))
        model.adapt(to: fit)
        #expect(zip(model.levels, brighter).allSatisfy { abs(Int($0) - Int($1)) <= 6 })
    }

    // MARK: Mask

    @Test("the mask has what stands out, what of it moved, and leaves specks and what does not count out")
    func mask() {
        let (columns, rows) = (12, 8)
        var picture = [UInt8](repeating: 100, count: columns * rows)
        let model = model(picture)
        let reference = picture
        for y in 2...4 { for x in 2...4 { picture[y * columns + x] = 160 } }
        picture[6 * columns + 9] = 200
        var counted = [UInt8](repeating: 1, count: columns * rows)
        var mask = MotionMask(count: columns * rows)
        mask.take(picture, against: model, reference: reference, counted: counted, columns: columns, rows: rows)
        #expect(mask.changed.reduce(0) { $0 + Int($1) } == 10)
        #expect(mask.moved == mask.changed)
        // Of a square of nine the corners have four marks around them.
        #expect(mask.kept.reduce(0) { $0 + Int($1) } == 5)
        #expect(mask.wide[6 * columns + 9] == 0)
        mask.take(picture, against: model, reference: picture, counted: counted, columns: columns, rows: rows)
        #expect(mask.moved.allSatisfy { $0 == 0 })
        #expect(mask.kept.contains(1))
        for index in counted.indices { counted[index] = 0 }
        mask.take(picture, against: model, reference: nil, counted: counted, columns: columns, rows: rows)
        #expect(mask.changed.allSatisfy { $0 == 0 } && mask.kept.allSatisfy { $0 == 0 })
    }

    // MARK: Pictures of a moment ago

    @Test("a picture is compared with the youngest that is old enough")
    func references() {
        var references = References(baseline: .milliseconds(150))
        #expect(references.reference(at: .zero) == nil)
        for index in 0..<20 { references.remember([UInt8(index)], at: .zero + .milliseconds(index * 40)) }
        // Kept are those of 0, 160, 320, 480, 640 ms; the last two of them.
        let now = Instant.zero + .milliseconds(760)
        #expect(references.reference(at: now).map { [Int($0.cells[0])] } == [12])
        #expect(references.reference(at: .zero + .milliseconds(800)).map { [Int($0.cells[0])] } == [16])
        references.forget()
        #expect(references.reference(at: now) == nil)
    }

    // MARK: Events

    struct Story: Sendable, CustomTestStringConvertible {
        var name: String
        /// Pictures, five a second: `.` still, `m` moves.
        var pictures: String
        var minimum = Duration.zero
        /// What is said by which picture: b, g, e.
        var said: [Int: String]
        var testDescription: String { name }
    }

    static let stories = [
        Story(name: "nothing", pictures: "............", said: [:]),
        Story(name: "one", pictures: "..mmm" + dots(12), said: [2: "b", 7: "g", 12: "g", 14: "e"]),
        Story(
            name: "a pause within the gap", pictures: ".m....m" + dots(12), said: [1: "b", 6: "g", 11: "g", 16: "e"]),
        Story(
            name: "two", pictures: "m" + dots(12) + "m" + dots(10),
            said: [0: "b", 5: "g", 10: "e", 13: "b", 18: "g", 23: "e"]),
        Story(name: "too short", pictures: "mmm" + dots(10), minimum: .seconds(1), said: [:]),
        Story(
            name: "long enough", pictures: "mmmmmmm" + dots(12), minimum: .seconds(1),
            said: [5: "b", 10: "g", 15: "g", 16: "e"]),
    ]

    private static func dots(_ count: Int) -> String { String(repeating: ".", count: count) }

    @Test("an event begins once, goes on each second, and ends once after the gap", arguments: stories)
    func episode(_ story: Story) {
        var episode = MotionEpisode(gap: .seconds(2), minimum: story.minimum)
        var said: [Int: String] = [:]
        var since: Instant?
        for (index, sign) in story.pictures.enumerated() {
            let at = Instant.zero + .milliseconds(index * 200)
            if sign == "m", since == nil { since = at } else if sign == "." { since = nil }
            let observation = MotionDetector.Observation(isMotion: sign == "m", since: since ?? at)
            switch episode.saw(observation, at: at) {
            case .began(let facts):
                said[index] = "b"
                #expect(facts.start == since)
            case .goesOn: said[index] = "g"
            case .ended: said[index] = "e"
            case nil: break
            }
        }
        #expect(said == story.said)
        #expect(!episode.isActive && episode.end() == nil)
    }

    @Test("the best picture is the one with the largest mover; one that the edge cuts counts half")
    func best() {
        func box(_ x: Double, _ side: Double) -> [Region] { [Region(x: x, y: 0.2, width: side, height: side)] }
        var best = BestPicture()
        for (index, regions) in [box(0, 0.3), box(0.1, 0.25), box(0.3, 0.24), box(0.7, 0.3)].enumerated() {
            best.saw(Pictures.frame(.gray8, Size(8, 8), at: .seconds(index)), regions, pool: .shared)
        }
        let event = Event(.motionEnded, id: "1", captured: .zero, node: "watch")
        #expect(best.show(event).pictureFrame?.captured == .zero + .seconds(1))
        best.forget()
        #expect(best.show(event).pictureFrame == nil)
    }

    // MARK: Guards

    @Sendable private static func scene(_ x: Int, _ y: Int) -> Int { 60 + (x * 5 + y * 3) % 90 }

    private func plane(_ level: (Int, Int) -> Int) -> LumaPlane {
        var plane = LumaPlane()
        let frame = Pictures.frame(.gray8, Size(160, 120)) { _, x, y in UInt8(max(0, min(255, level(x, y)))) }
        plane.take(frame, target: 160)
        return plane
    }

    static let changes: [(String, @Sendable (Int, Int, Int) -> Int)] = [
        ("the light goes off", { index, x, y in index < 20 ? scene(x, y) : scene(x, y) / 4 }),
        (
            "day to infrared",
            { index, x, y in
                // Black while the filter moves, then another picture of the same place that brightens.
                index < 20 ? scene(x, y) : index < 23 ? 8 : (255 - scene(x, y)) * min(index - 15, 14) / 14
            }
        ),
        ("clouds", { index, x, y in scene(x, y) * (100 - min(max(index - 10, 0), 20) * 2) / 100 }),
        ("a quarter is lit", { index, x, y in scene(x, y) + (index >= 20 && x < 80 && y < 60 ? 70 : 0) }),
    ]

    @Test("the light alone is no motion", arguments: 0..<4)
    func lights(_ number: Int) {
        var detector = MotionDetector(MotionSettings(.medium))
        for index in 0..<60 {
            let plane = plane { Self.changes[number].1(index, $0, $1) }
            let seen = detector.look(plane, at: .zero + .milliseconds(index * 200))
            #expect(!seen.isMotion, "\(Self.changes[number].0), picture \(index)")
        }
    }
}
