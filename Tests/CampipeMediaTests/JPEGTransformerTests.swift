import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("JPEGs turned without loss")
struct JPEGTransformerTests {
    private static let inverse: [(Orientation, Orientation)] = [
        (Orientation(quarters: 1), Orientation(quarters: 3)), (Orientation(quarters: 2), Orientation(quarters: 2)),
        (Orientation(quarters: 3), Orientation(quarters: 1)),
        (Orientation(quarters: 0, flipsX: true), Orientation(quarters: 0, flipsX: true)),
        (Orientation(quarters: 0, flipsY: true), Orientation(quarters: 0, flipsY: true)),
        (Orientation(quarters: 1, flipsX: true), Orientation(quarters: 1, flipsX: true)),
        (Orientation(quarters: 1, flipsY: true), Orientation(quarters: 1, flipsY: true)),
    ]
    private let pool = FramePool()

    private func jpeg(_ size: Size, _ pixel: PixelFormat = .yuv420, keepsColor: Bool = false) throws -> Bytes {
        let frame = Made.frame(pixel, size) { plane, x, y in
            plane == 0 ? 40 + x + y / 2 + (x / 9 + y / 7) % 2 * 40 : 90 + x / 2 + plane * 20
        }
        return try JPEGEncoder().encode(frame, quality: 85, keepsColor: keepsColor, pool: pool)
    }

    private func decoded(_ bytes: Bytes) throws -> Frame {
        try JPEGDecoder().decode(Fixture.packet(bytes), pool: pool)
    }

    @Test("there and back again is the same picture to the last level", arguments: 0..<7, [false, true])
    func lossless(_ index: Int, keepsColor: Bool) throws {
        let (there, back) = Self.inverse[index]
        let original = try jpeg(Size(96, 64), keepsColor: keepsColor)
        let turned = try #require(try JPEGTransformer().transform(original, there))
        #expect(!turned.isDamaged)
        let returned = try #require(try JPEGTransformer().transform(turned.jpeg, back))
        let (first, last) = (try decoded(original), try decoded(returned.jpeg))
        for plane in 0..<3 { #expect(FrameCompare.rows(first, plane) == FrameCompare.rows(last, plane)) }
        // And it is what a turn of the decoded picture gives, but for the rounding of the transform.
        let expected = try Turner.turn(first, there, scaler: Scaler(), pool: pool)
        #expect(try decoded(turned.jpeg).size == expected.size)
        #expect(FrameCompare.psnr(try decoded(turned.jpeg), expected) > 48)
    }

    @Test("an edge within a block that would have to move is not moved")
    func partial() throws {
        let jpeg = try jpeg(Size(96, 40))
        let transformer = JPEGTransformer()
        // 40 rows are two blocks and a half: upside down the half one would be on top.
        #expect(try transformer.transform(jpeg, Orientation(quarters: 0, flipsY: true)) == nil)
        #expect(try transformer.transform(jpeg, Orientation(quarters: 1)) == nil)
        #expect(try transformer.transform(jpeg, Orientation(quarters: 2)) == nil)
        #expect(try transformer.transform(jpeg, Orientation(quarters: 0, flipsX: true)) != nil)
        #expect(try transformer.transform(jpeg, Orientation(quarters: 3)) != nil)
    }

    @Test("a part is cut out where all its edges lie between blocks or are the picture's")
    func parts() throws {
        let jpeg = try jpeg(Size(96, 72))
        let whole = try decoded(jpeg)
        let transformer = JPEGTransformer()
        func cut(_ part: PixelRect) throws -> Frame? {
            try transformer.transform(jpeg, part: part, .upright).map { try decoded($0.jpeg) }
        }
        let part = PixelRect(x: 32, y: 16, width: 64, height: 56)
        let cut1 = try #require(try cut(part))
        #expect(cut1.size == part.size)
        for y in 0..<56 {
            for x in 0..<64 { #expect(FrameCompare.level(cut1, x, y) == FrameCompare.level(whole, x + 32, y + 16)) }
        }
        #expect(try cut(PixelRect(x: 8, y: 16, width: 40, height: 32)) == nil)
        #expect(try cut(PixelRect(x: 16, y: 8, width: 32, height: 40)) == nil)
        #expect(try cut(PixelRect(x: 16, y: 16, width: 40, height: 32)) == nil)
        #expect(try cut(PixelRect(x: 16, y: 16, width: 32, height: 24)) == nil)
        let both = try #require(
            try transformer.transform(
                jpeg, part: PixelRect(x: 32, y: 16, width: 64, height: 48), Orientation(quarters: 1)))
        #expect(try decoded(both.jpeg).size == Size(48, 64))
    }

    @Test(
        "what cameras send can be turned",
        arguments: [
            "444", "422", "440", "411", "grayscale", "progressive", "restart-markers", "no-dht-avi1", "three-dqt",
        ])
    func cases(_ name: String) throws {
        let packet = try Fixture.jpeg(name)
        let turned = try #require(
            try JPEGTransformer().transform(packet.data, Orientation(quarters: 0, flipsX: true)), "\(name)")
        let expected = try Turner.turn(
            try JPEGDecoder().decode(packet, pool: pool), Orientation(quarters: 0, flipsX: true), scaler: Scaler(),
            pool: pool)
        #expect(FrameCompare.psnr(try decoded(turned.jpeg), expected) > 40)
    }

    @Test("what stands beside the picture does not go along")
    func exif() throws {
        let packet = try Fixture.jpeg("exif-thumbnail")
        let turned = try #require(try JPEGTransformer().transform(packet.data, Orientation(quarters: 0, flipsX: true)))
        #expect(!Array(turned.jpeg.array).contains(sequence: Array("Exif".utf8)))
        #expect(Array(packet.data.array).contains(sequence: Array("Exif".utf8)))
    }

    @Test("a damaged JPEG comes out marked, and bombs and what is no JPEG are refused")
    func broken() throws {
        let whole = try jpeg(Size(96, 64))
        let transformer = JPEGTransformer()
        let cut = Bytes(Array(whole.array.prefix(whole.count / 2)))
        #expect(try transformer.transform(cut, Orientation(quarters: 2))?.isDamaged == true)
        #expect(throws: CampipeError.self) { try transformer.transform(Bytes([1, 2, 3]), .upright) }
        #expect { try transformer.transform(try Fixture.jpeg("dimension-bomb").data, .upright) } throws: {
            ($0 as? CampipeError)?.kind == .unsupported
        }
        #expect(try transformer.transform(whole, Orientation(quarters: 2))?.isDamaged == false)
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
