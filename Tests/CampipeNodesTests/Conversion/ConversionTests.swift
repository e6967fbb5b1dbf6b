import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Decode, scale, mask and encode")
struct ConversionTests {
    private static let sizes: [(Value.ValueMap, Size)] = [
        (["width": "640"], Size(640, 360)), (["height": "90"], Size(160, 90)),
        (["width": "200", "height": "100"], Size(200, 100)), (["max_width": "320"], Size(320, 180)),
        (["max_width": "4000"], Size(1280, 720)), ([:], Size(1280, 720)),
    ]

    @Test("a side that is left out keeps the shape", arguments: sizes)
    func scaledSize(_ options: Value.ValueMap, _ size: Size) throws {
        let harness = try NodeHarness(Registration(transform: Scale.self), options: options)
        try harness.push(Pictures.frame(.yuv420, Size(1280, 720)))
        #expect(harness.frames.first?.size == size)
    }

    @Test("a result of more than 100 megapixels is refused, by its options or when the size is known")
    func scaledTooLarge() throws {
        let scale = Registration(transform: Scale.self)
        let faults = scale.inspect(["width": "16384", "height": "16384"]).faults
        #expect(faults.map(\.sentence) == ["16384x16384 is more than 100 megapixels"])
        #expect(scale.inspect(["width": "10000", "height": "10000"]).faults.isEmpty)
        let harness = try NodeHarness(scale, options: ["width": "16384"])
        #expect { try harness.begin(.frames(FrameFormat(.yuv420, size: Size(100, 100)))) } throws: {
            ($0 as? CampipeError)?.kind == .unsupported && "\($0)".contains("100x100 to 16384x16384")
        }
        #expect(throws: CampipeError.self) { try harness.push(Pictures.frame(.yuv420, Size(64, 64))) }
        // The side that is left out counts too, and upward is a direction.
        let tall = try NodeHarness(scale, options: ["width": "1000"])
        #expect { try tall.begin(.frames(FrameFormat(.yuv420, size: Size(10, 200)))) } throws: {
            "\($0)".contains("10x200 to 1000x20000: a side is longer than 16384 pixels")
        }
        var node = Scale()
        node.width = 16384
        let fine = try node.output(for: .frames(FrameFormat(.yuv420, size: Size(1600, 500))))
        #expect(fine == .frames(FrameFormat(.yuv420, size: Size(16384, 5120))))
    }

    @Test(
        "a scale that changes nothing is pointed at, without being refused",
        arguments: [
            ([:], true), (["fit": "cover"], true), (["width": "64"], false), (["max_width": "64"], false),
            (["pixel": "gray8"], false), (["luma_only": "true"], false),
        ] as [(Value.ValueMap, Bool)])
    func scaleOfNothing(_ options: Value.ValueMap, _ isTold: Bool) {
        let faults = Registration(transform: Scale.self).inspect(options).faults
        #expect(faults.map(\.severity) == (isTold ? [.warning] : []))
    }

    @Test("scale asks for as many columns as its result needs")
    func scaleWants() throws {
        func want(_ options: Value.ValueMap) throws -> Want {
            try NodeHarness(Registration(transform: Scale.self), options: options).want(.all)
        }
        #expect(try want(["width": "640"]) == Want(maxWidth: 640))
        #expect(try want(["width": "640", "height": "640", "fit": "cover"]) == Want(maxWidth: 640, maxHeight: 640))
        #expect(try want(["height": "640"]) == Want(maxWidth: 1, maxHeight: 640))
    }

    @Test("a picture of the size asked for passes without a copy")
    func scaleNothing() throws {
        let harness = try NodeHarness(Registration(transform: Scale.self), options: ["width": "64"])
        let frame = Pictures.frame(.yuv420, Size(64, 48))
        try harness.push(frame)
        #expect(harness.frames.first?.pixels === frame.pixels)
    }

    @Test("a JPEG is decoded no larger than is needed")
    func decode() throws {
        let bytes = try JPEGEncoder().encode(Pictures.frame(.yuv420, Size(640, 480)), quality: 80, pool: .shared)
        let packet = Packet(bytes, format: .jpeg, captured: .zero, pts: MediaTime(.zero))
        for (options, size, pixel) in [
            ([:], Size(640, 480), .yuv420), (["max_width": "160"], Size(160, 120), .yuv420),
            (["max_width": "100", "luma_only": "true"], Size(160, 120), .gray8),
        ] as [(Value.ValueMap, Size, PixelFormat)] {
            let harness = try NodeHarness(Registration(transform: Decode.self), options: options)
            try harness.push(packet)
            #expect(harness.frames.first?.size == size)
            #expect(harness.frames.first?.pixel == pixel)
        }
    }

    @Test("damaged pictures are handed on, and said once a second with a count, and what is left at the end")
    func damaged() throws {
        let bytes = try JPEGEncoder().encode(
            Pictures.frame(.yuv420, Size(640, 480)) { _, x, y in UInt8((x * y) % 251) }, quality: 80, pool: .shared)
        let packet = Pictures.packet(Array(bytes.array.prefix(bytes.count / 2)))
        let harness = try NodeHarness(Registration(transform: Decode.self))
        for _ in 0..<3 { try harness.push(packet) }
        harness.clock.advance(by: .seconds(1))
        for _ in 0..<3 { try harness.push(packet) }
        try harness.end()
        #expect(harness.frames.count == 6)
        let said = harness.logged.filter { $0.message == "damaged pictures" }
        #expect(said.map(\.level) == [.warning, .warning, .warning])
        #expect(said.map { $0.facts.last?.value } == ["1", "3", "2"])
    }

    @Test("what is no JPEG fails as bad data, and the next packet is decoded")
    func badData() throws {
        let harness = try NodeHarness(Registration(transform: Decode.self))
        #expect { try harness.push(Pictures.packet([1, 2, 3])) } throws: { ($0 as? CampipeError)?.kind == .badData }
        let bytes = try JPEGEncoder().encode(Pictures.frame(.gray8, Size(16, 16)), quality: 80, pool: .shared)
        try harness.push(Packet(bytes, format: .jpeg, captured: .zero, pts: MediaTime(.zero)))
        #expect(harness.frames.count == 1)
    }

    @Test(
        "a picture beyond max_pixels fails alone, announced or not, and the stream goes on with the next",
        arguments: [
            true, false,
        ])
    func tooLarge(isAnnounced: Bool) throws {
        let harness = try NodeHarness(Registration(transform: Decode.self), options: ["max_pixels": "5000"])
        for (index, size) in [Size(64, 48), Size(640, 480), Size(64, 48)].enumerated() {
            let bytes = try JPEGEncoder().encode(Pictures.frame(.gray8, size), quality: 80, pool: .shared)
            let packet = Packet(
                bytes, format: PacketFormat(.jpeg, size: isAnnounced ? size : nil),
                captured: .zero + .milliseconds(index), pts: MediaTime(ticks: Int64(index), timebase: .nanoseconds))
            if index == 1 {
                #expect { try harness.push(packet) } throws: {
                    ($0 as? CampipeError)?.kind == .unsupported && "\($0)".contains("640x480")
                }
            } else {
                try harness.push(packet)
            }
        }
        #expect(harness.frames.map(\.size) == [Size(64, 48), Size(64, 48)])
    }

    @Test("a frame is encoded as a JPEG with its times")
    func encode() throws {
        let harness = try NodeHarness(Registration(transform: Encode<Frame>.self), options: ["quality": "70"])
        try harness.push(Pictures.frame(.yuv420, Size(64, 48), at: .milliseconds(80)))
        let packet = try #require(harness.packets.first)
        #expect(packet.captured == .zero + .milliseconds(80))
        #expect(packet.format.coding == .jpeg && packet.format.size == Size(64, 48))
        #expect(try JPEGHeader(packet.data).size == Size(64, 48))
    }

    @Test("a mask covers its polygon in place, in every layout, and nothing else", arguments: PixelFormat.allCases)
    func mask(_ pixel: PixelFormat) throws {
        let pool = FramePool()
        let left: Value = [["0", "0"], ["0.5", "0"], ["0.5", "1"], ["0", "1"]]
        let harness = try NodeHarness(Registration(transform: MaskNode.self), options: ["zones": left], pool: pool)
        let own = Pictures.frame(pixel, Size(64, 48), pool: pool) { _, x, y in UInt8(50 + (x + y) % 50) }
        let place = ObjectIdentifier(own.pixels)
        try harness.push(consume own)
        let frame = try #require(harness.takeItems(Frame.self).first)
        #expect(ObjectIdentifier(frame.pixels) == place)
        let bytes = frame.pixels.planes[0].bytesPerPixel
        for y in 0..<48 {
            for x in 0..<64 * bytes {
                let value = Pictures.pixel(frame, x, y)
                #expect(value == (x < 32 * bytes ? 0 : UInt8(50 + (x + y) % 50)))
            }
        }
        if frame.pixels.planes.count > 1 { #expect(Pictures.pixel(frame, 0, 0, plane: 1) == 128) }
    }

    @Test("a mask covers each pixel that a polygon has a part of")
    func partly() throws {
        let zone: Value = [["0", "0"], ["0.51", "0"], ["0.51", "0.52"], ["0", "0.52"]]
        let harness = try NodeHarness(Registration(transform: MaskNode.self), options: ["zones": zone])
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)) { _, _, _ in 99 })
        let frame = try #require(harness.frames.first)
        // 0.51 of 64 is 32.64, 0.52 of 48 is 24.96; in the colour it is 16.32 and 12.48.
        #expect(Pictures.pixel(frame, 32, 24) == 0 && Pictures.pixel(frame, 33, 24) == 99)
        #expect(Pictures.pixel(frame, 32, 25) == 99)
        #expect(Pictures.pixel(frame, 16, 12, plane: 1) == 128 && Pictures.pixel(frame, 17, 13, plane: 1) == 99)
    }

    @Test(
        "what is covered of a whole JPEG is covered of one that was reduced as it was decoded",
        arguments: [Size(640, 360), Size(641, 359), Size(1001, 203)], [80, 160, 320])
    func maskedReduced(_ size: Size, _ width: Int) throws {
        let shape: Value = [["0.11", "0.1"], ["0.72", "0.23"], ["0.93", "0.95"], ["0.4", "0.81"]]
        var faults: [Fault] = []
        let polygons = try #require(Polygons.read(shape, at: [], into: &faults))
        let hidden = polygons.covered(columns: size.width, rows: size.height)
        // What is to be hidden is white, all else is dark.
        let picture = Pictures.frame(.yuv420, size) { plane, x, y in
            plane > 0 ? 128 : hidden[y * size.width + x] ? 255 : 40
        }
        let bytes = try JPEGEncoder().encode(picture, quality: 95, pool: .shared)
        let decoder = try NodeHarness(
            Registration(transform: Decode.self), options: ["max_width": .plain("\(width)"), "luma_only": "true"])
        try decoder.push(Packet(bytes, format: .jpeg, captured: .zero, pts: MediaTime(.zero)))
        let small = try #require(decoder.frames.first)
        #expect(small.size.width < size.width)
        let mask = try NodeHarness(Registration(transform: MaskNode.self), options: ["zones": shape])
        try mask.push(small)
        let masked = try #require(mask.frames.first)
        var brightest: UInt8 = 0
        for y in 0..<masked.size.height {
            for x in 0..<masked.size.width { brightest = max(brightest, Pictures.pixel(masked, x, y)) }
        }
        // The whole one shows as much beside its mask, since JPEG blurs by itself.
        #expect(brightest < 75, "\(brightest)")
    }

    @Test("a mask asks for as little as it is asked for")
    func maskWant() {
        let node = Registration(transform: MaskNode.self).make(["zones": [["0", "0"], ["1", "0"], ["1", "1"]]])
        let asked = node.want(Want(.packets(.jpeg), maxWidth: 160, maxRate: 5, lumaOnly: true, quality: 50))
        #expect(asked == Want(maxWidth: 160, maxRate: 5, lumaOnly: true))
    }

    @Test("a masked picture no longer refers to the JPEG that it was decoded from", arguments: ["fill", "pixelate"])
    func maskedOrigin(cover: String) throws {
        let bytes = try JPEGEncoder().encode(Pictures.frame(.yuv420, Size(64, 48)), quality: 80, pool: .shared)
        let decoder = try NodeHarness(Registration(transform: Decode.self))
        try decoder.push(Packet(bytes, format: .jpeg, captured: .zero, pts: MediaTime(.zero)))
        let decoded = try #require(decoder.frames.first)
        #expect(decoded.origin != nil)
        // The second one is too small to cover the middle of any pixel.
        for zone in [[["0", "0"], ["1", "0"], ["1", "1"]], [["0", "0"], ["0.001", "0"], ["0", "0.001"]]] as [Value] {
            let mask = try NodeHarness(
                Registration(transform: MaskNode.self), options: ["zones": zone, "kind": .plain(cover)])
            try mask.push(decoded)
            #expect(mask.frames.count == 1 && mask.frames.first?.origin == nil)
        }
        #expect(decoded.origin != nil)
    }

    @Test("pixelating leaves one level in a square, that of what is covered alone")
    func pixelate() throws {
        let all: Value = [["0", "0"], ["1", "0"], ["1", "1"], ["0", "1"]]
        let harness = try NodeHarness(
            Registration(transform: MaskNode.self), options: ["zones": all, "kind": "pixelate"])
        try harness.push(Pictures.frame(.gray8, Size(64, 48)) { _, x, y in UInt8((x * 7 + y * 3) % 200) })
        let frame = try #require(harness.frames.first)
        for y in 0..<8 { for x in 0..<8 { #expect(Pictures.pixel(frame, x, y) == Pictures.pixel(frame, 0, 0)) } }
        #expect(Pictures.pixel(frame, 0, 0) != Pictures.pixel(frame, 8, 0))
    }
}
