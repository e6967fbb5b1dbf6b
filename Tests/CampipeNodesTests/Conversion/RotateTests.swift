import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Rotate")
struct RotateTests {
    private func packet(_ size: Size) throws -> Packet {
        let frame = Pictures.frame(.yuv420, size, at: .milliseconds(40)) { plane, x, y in
            plane == 0 ? UInt8((x * 2 + y) % 200 + 20) : 128
        }
        let bytes = try JPEGEncoder().encode(frame, quality: 85, pool: .shared)
        return Packet(
            bytes, format: PacketFormat(.jpeg, size: size), captured: frame.captured, pts: frame.pts)
    }

    @Test(
        "JPEGs keep their times and get their turned size, whether their blocks allow it or not",
        arguments: [(Size(64, 48), false), (Size(64, 40), true), (Size(61, 33), true)])
    func packets(_ size: Size, isEncodedAgain: Bool) throws {
        let harness = try NodeHarness(Registration(transform: Rotate<Packet>.self), options: ["rotate": "90"])
        let packet = try packet(size)
        try harness.push(packet)
        try harness.push(packet)
        let turned = try #require(harness.packets.first)
        #expect(turned.format.size == Size(size.height, size.width))
        #expect(turned.captured == packet.captured && turned.pts == packet.pts)
        let (before, after) = (
            try JPEGDecoder().decode(packet, pool: .shared), try JPEGDecoder().decode(turned, pool: .shared)
        )
        #expect(after.size == Size(size.height, size.width))
        var worst = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let other = Pictures.pixel(after, size.height - 1 - y, x)
                worst = max(worst, abs(Int(Pictures.pixel(before, x, y)) - Int(other)))
            }
        }
        #expect(worst <= (isEncodedAgain ? 40 : 2), "\(worst)")
        let said = harness.logged.filter { $0.message.hasPrefix("JPEGs are encoded again") }
        #expect(said.count == (isEncodedAgain ? 1 : 0))
    }

    @Test("frames are turned too, as small as they are needed")
    func frames() throws {
        let harness = try NodeHarness(
            Registration(transform: Rotate<Frame>.self), options: ["rotate": "270", "flip": "horizontal"])
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        #expect(harness.frames.first?.size == Size(48, 64))
        #expect(harness.want(Want(maxWidth: 160)).maxHeight == 160)
    }

    @Test("a rotate without anything to do is pointed at")
    func nothing() {
        let faults = Registration(transform: Rotate<Packet>.self).inspect([:]).faults
        #expect(faults.map(\.sentence) == ["this rotate changes nothing"])
        #expect(faults.map(\.severity) == [.warning])
    }
}
