import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

/// What scale, rotate, mask and encode make of one picture, beside what was looked at and kept.
///
/// `CAMPIPE_UPDATE_GOLDEN=1 swift test --filter GoldenPictureTests` writes the pictures anew; look at them then:
/// `scripts/contact-sheet` puts them on one sheet.
@Suite("Kept pictures")
struct GoldenPictureTests {
    struct Case: Sendable, CustomStringConvertible {
        var name: String
        var node: String
        var options: Value.ValueMap
        var description: String { name }
    }

    /// The porch while somebody walks by.
    private static let source: Frame = {
        let scene = DemoScene(.porch, size: Size(320, 240))
        let time = (0..<240).map { Duration.milliseconds($0 * 250) }.first { DemoScene.someoneIsThere(at: $0) } ?? .zero
        return scene.frame(at: time + .seconds(2), captured: .zero, pool: .shared)
    }()

    private static let part: Value = [["0.25", "0.1"], ["0.9", "0.8"]]
    private static let zones: Value = [
        [["0.1", "0.2"], ["0.45", "0.3"], ["0.4", "0.8"], ["0.05", "0.6"]],
        [["0.6", "0.5"], ["0.95", "0.4"], ["0.9", "0.95"]],
    ]

    static let cases = [
        Case(name: "source", node: "identity", options: [:]),
        Case(name: "scale-half", node: "scale", options: ["width": "160"]),
        Case(name: "scale-larger", node: "scale", options: ["width": "480"]),
        Case(name: "scale-contain", node: "scale", options: ["width": "200", "height": "100"]),
        Case(name: "scale-cover", node: "scale", options: ["width": "200", "height": "100", "fit": "cover"]),
        Case(name: "scale-stretch", node: "scale", options: ["width": "200", "height": "100", "fit": "stretch"]),
        Case(name: "scale-crop", node: "scale", options: ["crop": part, "width": "240"]),
        Case(name: "scale-rotate-90", node: "scale", options: ["rotate": "90", "width": "180"]),
        Case(name: "scale-rotate-270-flip", node: "scale", options: ["rotate": "270", "flip": "horizontal"]),
        Case(name: "rotate-180", node: "rotate", options: ["rotate": "180"]),
        Case(name: "rotate-flip-vertical", node: "rotate", options: ["flip": "vertical"]),
        Case(name: "rotate-crop", node: "rotate", options: ["crop": part]),
        Case(name: "mask-fill", node: "mask", options: ["zones": zones]),
        Case(name: "mask-fill-color", node: "mask", options: ["zones": zones, "color": "orange"]),
        Case(name: "mask-pixelate", node: "mask", options: ["zones": zones, "kind": "pixelate"]),
        Case(name: "mask-blur", node: "mask", options: ["zones": zones, "kind": "blur"]),
        Case(name: "encode-jpeg-20", node: "encode", options: ["quality": "20"]),
        Case(name: "encode-jpeg-4KiB", node: "encode", options: ["max_bytes": "4KiB"]),
        Case(name: "encode-jpeg-444", node: "encode", options: ["quality": "90", "sampling": "4:4:4"]),
        Case(name: "encode-h264", node: "encode", options: ["codec": "h264"]),
        Case(name: "encode-h264-300kbps", node: "encode", options: ["codec": "h264", "bitrate": "300kbps"]),
    ]

    /// What a node makes of the picture, and of what it codes the picture that comes of that.
    private static func made(_ test: Case) throws -> Frame {
        let fitting = BuiltInNodes.registry.named(test.node, in: "transforms").first {
            $0.descriptor.mainInput?.kind == .frame
        }
        let node = try NodeHarness(try #require(fitting), options: test.options)
        try node.push(source)
        try node.end()
        if let frame = node.frames.first { return frame }
        let decoder = try NodeHarness(Registration(transform: Decode.self))
        for packet in node.packets { try decoder.push(packet) }
        try decoder.end()
        return try #require(decoder.frames.first)
    }

    @Test("it is what was kept", arguments: cases)
    func kept(_ test: Case) throws {
        let frame = try Self.made(test)
        let name = "pictures/\(test.name).jpg"
        if ProcessInfo.processInfo.environment["CAMPIPE_UPDATE_GOLDEN"] == "1" {
            let bytes = try JPEGEncoder().encode(frame, quality: 96, keepsColor: true, pool: .shared)
            let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let file = tests.appending(path: "Fixtures/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes.array).write(to: file)
            return
        }
        let kept = try JPEGDecoder().decode(
            Packet(Bytes(Fixture.bytes(name)), format: .jpeg, captured: .zero, pts: MediaTime(.zero)), pool: .shared)
        #expect(kept.size == frame.size)
        guard kept.size == frame.size else { return }
        let own = try Scaler().scale(frame, pixel: .rgb24, range: .full, matrix: .bt601, pool: .shared)
        let other = try Scaler().scale(kept, pixel: .rgb24, pool: .shared)
        var sum = 0.0
        for y in 0..<own.size.height {
            for x in 0..<own.size.width * 3 {
                let difference = Double(Pictures.pixel(own, x, y)) - Double(Pictures.pixel(other, x, y))
                sum += difference * difference
            }
        }
        let mean = sum / Double(own.size.pixels * 3)
        let psnr = mean == 0 ? Double.infinity : 10 * log10(255 * 255 / mean)
        #expect(psnr > 36, "\(test.name): \(psnr) dB")
    }
}
