import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("How much of a stream is decoded")
struct DecodingEffortTests {
    /// Three seconds at ten a second, a keyframe each second; nobody refers to the last picture of a group.
    private static func film() throws -> [Packet] {
        let scene = DemoScene(.still, size: Size(160, 120))
        var encoder: VideoEncoder?
        var packets: [Packet] = []
        for index in 0..<30 {
            let time = Duration.milliseconds(index * 100)
            let frame = scene.frame(at: time, rate: 10, captured: .zero + time, pool: .shared)
            let own = try encoder ?? VideoEncoder(frame.format)
            encoder = own
            packets += try own.encode(frame, pool: .shared)
        }
        packets += try encoder?.drain() ?? []
        return packets.enumerated().map { index, packet in
            Packet(
                packet.data, format: packet.format, captured: packet.captured, pts: packet.pts, dts: packet.dts,
                isKeyframe: packet.isKeyframe, isDisposable: index % 10 == 9)
        }
    }

    @Test(
        "all, those that others need, or keyframes; what is left out is counted as sampled, which is no loss",
        arguments: [
            ("all", Array(0..<30)), ("reference", (0..<30).filter { $0 % 10 != 9 }), ("keyframes", [0, 10, 20]),
        ])
    func effort(_ word: String, _ numbers: [Int]) throws {
        let harness = try NodeHarness(Registration(transform: Decode.self), options: ["effort": .plain(word)])
        let film = try Self.film()
        #expect(film.filter(\.isKeyframe).count == 3)
        for packet in film { try harness.push(packet) }
        try harness.end()
        #expect(harness.frames.map { Int($0.pts.duration.seconds * 10 + 0.5) } == numbers)
        #expect(harness.frames.allSatisfy { !$0.isDamaged })
        #expect(harness.removed == (numbers.count == 30 ? [:] : [.sampled: 30 - numbers.count]))
    }

    @Test("a keyframe comes out at once, though a stream may hold pictures back")
    func atOnce() throws {
        let harness = try NodeHarness(Registration(transform: Decode.self), options: ["effort": "keyframes"])
        let film = try Self.film()
        for (index, packet) in film.prefix(11).enumerated() {
            try harness.push(packet)
            #expect(harness.frames.count == (index < 10 ? 1 : 2))
        }
        #expect(harness.holds == 0)
    }

    @Test("JPEGs are decoded whatever it says")
    func jpeg() throws {
        let bytes = try JPEGEncoder().encode(Pictures.frame(.gray8, Size(16, 16)), quality: 80, pool: .shared)
        let harness = try NodeHarness(Registration(transform: Decode.self), options: ["effort": "keyframes"])
        for _ in 0..<3 { try harness.push(Packet(bytes, format: .jpeg, captured: .zero, pts: MediaTime(.zero))) }
        #expect(harness.frames.count == 3)
    }
}
