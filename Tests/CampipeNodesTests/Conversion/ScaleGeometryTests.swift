import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Parts, turns and mirrors of scale and rotate")
struct ScaleGeometryTests {
    private static let part: Value = [["0.25", "0"], ["0.75", "0.5"]]

    private static let sizes: [(Value.ValueMap, Size, Size)] = [
        (["crop": part], Size(1280, 720), Size(640, 360)), (["rotate": "90"], Size(1280, 720), Size(720, 1280)),
        (["rotate": "180", "width": "640"], Size(1280, 720), Size(640, 360)),
        (["rotate": "270", "width": "90"], Size(1280, 720), Size(90, 160)),
        (["rotate": "90", "height": "640", "crop": part], Size(1280, 720), Size(360, 640)),
        (["rotate": "90", "max_width": "360"], Size(1280, 720), Size(360, 640)),
        (["flip": "horizontal", "width": "100", "height": "60", "fit": "cover"], Size(1281, 719), Size(100, 60)),
        // Odd sources: edges of a part lie where colour begins, and their own edge is kept.
        (["crop": [["0.5", "0.5"], ["1", "1"]]], Size(641, 481), Size(321, 241)),
        (["crop": [["0.999", "0.999"], ["1", "1"]]], Size(641, 481), Size(1, 1)),
        (["crop": [["0", "0"], ["0.001", "0.001"]]], Size(641, 481), Size(2, 2)),
        (["rotate": "90"], Size(641, 481), Size(481, 641)),
        (["rotate": "90", "width": "64"], Size(641, 481), Size(64, 84)), (["flip": "vertical"], Size(1, 1), Size(1, 1)),
    ]

    @Test("the size that comes out is the one that was announced", arguments: sizes)
    func size(_ options: Value.ValueMap, _ source: Size, _ result: Size) throws {
        for pixel in [PixelFormat.yuv420, .yuv422, .gray8, .rgb24] {
            let harness = try NodeHarness(Registration(transform: Scale.self), options: options)
            try harness.push(Pictures.frame(pixel, source))
            let frame = try #require(harness.frames.first)
            #expect(frame.size == result)
            guard case .frames(let announced)? = harness.emissions().lazy.compactMap(\.format).first else {
                Issue.record("no format")
                continue
            }
            #expect(announced.size == result && announced.pixel == frame.pixel)
        }
    }

    @Test("a part is the same pixels, not others beside them")
    func part() throws {
        let harness = try NodeHarness(Registration(transform: Scale.self), options: ["crop": Self.part])
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)) { plane, x, y in UInt8(plane * 60 + x + y) })
        let frame = try #require(harness.frames.first)
        for y in 0..<24 { for x in 0..<32 { #expect(Pictures.pixel(frame, x, y) == UInt8(16 + x + y)) } }
        for y in 0..<12 {
            for x in 0..<16 { #expect(Pictures.pixel(frame, x, y, plane: 2) == UInt8(120 + 8 + x + y)) }
        }
    }

    @Test("cover after a part cuts within it, and contain puts bars around it")
    func fits() throws {
        // Dark outside the part, light inside.
        let source = Pictures.frame(.gray8, Size(128, 128)) { _, x, y in (32..<96).contains(x) && y < 64 ? 200 : 10 }
        func scaled(_ fit: String) throws -> Frame {
            let harness = try NodeHarness(
                Registration(transform: Scale.self),
                options: ["crop": Self.part, "width": "64", "height": "32", "fit": .plain(fit)])
            try harness.push(source)
            return try #require(harness.frames.first)
        }
        let cover = try scaled("cover")
        for (x, y) in [(0, 0), (63, 0), (0, 31), (63, 31)] { #expect(Pictures.pixel(cover, x, y) == 200) }
        let contain = try scaled("contain")
        #expect(Pictures.pixel(contain, 0, 16) == 0 && Pictures.pixel(contain, 63, 16) == 0)
        #expect(Pictures.pixel(contain, 17, 0) == 200 && Pictures.pixel(contain, 46, 31) == 200)
    }

    @Test("no more is asked for than the result needs, and no less for a part, a turn or cut edges")
    func wants() throws {
        func want(_ options: Value.ValueMap, _ downstream: Want = .all) throws -> [Int?] {
            let want = try NodeHarness(Registration(transform: Scale.self), options: options).want(downstream)
            return [want.maxWidth, want.maxHeight]
        }
        #expect(try want(["width": "320", "crop": Self.part]) == [640, nil])
        #expect(try want(["width": "320", "height": "320", "fit": "cover"]) == [320, 320])
        #expect(try want(["width": "320", "height": "180", "fit": "cover", "crop": Self.part]) == [640, 360])
        #expect(try want(["width": "320", "height": "180", "rotate": "90"]) == [1, 320])
        #expect(try want(["width": "320", "rotate": "180"]) == [320, nil])
        #expect(try want(["height": "320"]) == [1, 320])
        #expect(try want(["rotate": "90"], Want(maxWidth: 320)) == [1, 320])
        #expect(try want(["flip": "vertical"], Want(maxWidth: 320, maxHeight: 90)) == [320, 90])
        #expect(try want(["rotate": "90"]) == [nil, nil])
        let panorama = Want(maxWidth: 320, maxHeight: 320).columns(of: Size(3840, 1080))
        #expect(panorama == 1138)
    }

    @Test("what was found in a picture is where it is seen, and nothing of what was cut off")
    func regions() throws {
        let harness = try NodeHarness(
            Registration(transform: Scale.self), options: ["crop": Self.part, "flip": "horizontal", "width": "32"])
        var frame = Pictures.frame(.yuv420, Size(64, 48))
        frame.regions = [
            Region(x: 0.25, y: 0, width: 0.25, height: 0.25, label: "in"),
            Region(x: 0, y: 0.75, width: 0.2, height: 0.2, label: "out"),
        ]
        try harness.push(frame)
        let found = try #require(harness.frames.first).regions
        #expect(found == [Region(x: 0.5, y: 0, width: 0.5, height: 0.5, label: "in")])
    }

    @Test("each number of a corner that is none is told, as each of a polygon's point is")
    func pairs() {
        let corners: Value.ValueMap = ["crop": [["a", "b"], ["1", "c"]]]
        let places = Registration(transform: Scale.self).inspect(corners).faults.map { "\($0.path)" }
        #expect(places == ["crop[0][0]", "crop[0][1]", "crop[1][1]"])
    }

    private static let faulty: [(Value.ValueMap, String)] = [
        (["crop": [["0", "0"], ["1", "1"], ["1", "0"]]], "found a list, expected the two corners of a part"),
        (
            ["crop": [["0.5", "0"], ["0.5", "1"]]],
            "the part is empty: its second corner is not right of and below the first"
        ),
        (["crop": [["0", "0"], ["1.5", "1"]]], "the corner [1.5, 1.0] lies outside the picture"),
        (["crop": [["0"], ["1", "1"]]], "a corner is a pair of numbers"),
        (["rotate": "45"], "\"45\" is not known here"), (["flip": "left"], "\"left\" is not known here"),
    ]

    @Test("what is wrong with a part or a turn is said", arguments: faulty)
    func faults(_ options: Value.ValueMap, _ sentence: String) {
        for registration in [Registration(transform: Scale.self), Registration(transform: Rotate<Frame>.self)] {
            #expect(registration.inspect(options).faults.filter { $0.severity == .error }.map(\.sentence) == [sentence])
        }
    }
}
