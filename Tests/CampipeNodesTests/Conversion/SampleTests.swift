import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Sample")
struct SampleTests {
    private func sample<T: Item>(_ type: T.Type, _ options: Value.ValueMap) throws -> NodeHarness {
        try NodeHarness(Registration(transform: Sample<T>.self), options: options)
    }

    @Test("one picture each ten seconds is taken, and the others leave gaps that say sampled")
    func every() throws {
        let harness = try sample(Packet.self, ["every": "10s"])
        for number in 0..<63 { try harness.push(Pictures.packet([1], at: .milliseconds(number * 500))) }
        let expected: [Instant] = [0, 10, 20, 30].map { .zero + .seconds($0) }
        #expect(harness.packets.map(\.captured) == expected)
        let gaps = harness.emissions().compactMap(\.gap)
        #expect(gaps.map(\.count).reduce(0, +) == 59)
        #expect(gaps.allSatisfy { $0.reasons.list == [.sampled] })
        #expect(harness.packets.allSatisfy { $0.pts == MediaTime($0.captured - .zero) })
    }

    @Test("a rate is kept of jittering cameras too, without missing every second picture")
    func jitter() throws {
        let harness = try sample(Frame.self, ["max_fps": "5"])
        for number in 0..<50 {
            let jitter = [0, 9, -7, 4, -9][number % 5]
            try harness.push(Pictures.frame(.yuv420, Size(16, 16), at: .milliseconds(number * 100 + 10 + jitter)))
        }
        #expect((24...26).contains(harness.frames.count), "\(harness.frames.count)")
        #expect(harness.want(.all).maxRate == 10)
    }

    @Test("played at a rate of their own, pictures follow one another at it and keep when they were captured")
    func replayed() throws {
        let packets = try sample(Packet.self, ["every": "10s", "play_fps": "25"])
        let frames = try sample(Frame.self, ["every": "10s", "play_fps": "25"])
        for number in 0..<40 {
            try packets.push(Pictures.packet([1], PacketFormat(.jpeg, rate: 1), at: .seconds(5 + number)))
            try frames.push(Pictures.frame(.yuv420, Size(16, 16), at: .seconds(5 + number)))
        }
        let shown: [Duration] = [5000, 5040, 5080, 5120].map { .milliseconds($0) }
        let captured: [Instant] = [5, 15, 25, 35].map { .zero + .seconds($0) }
        #expect(packets.packets.map(\.pts.duration) == shown)
        #expect(packets.packets.allSatisfy { $0.dts == $0.pts })
        #expect(packets.packets.map(\.captured) == captured)
        #expect(packets.packets.allSatisfy { $0.format.rate == 25 && $0.duration == .milliseconds(40) })
        #expect(frames.frames.map(\.pts.duration) == shown)
        #expect(frames.frames.allSatisfy { $0.format.rate == 25 })
    }

    @Test("of packets that need one another only keyframes are taken, and only by time")
    func keyframes() throws {
        let harness = try sample(Packet.self, ["every": "2s"])
        let format = PacketFormat(.h264, size: Size(16, 16))
        for number in 0..<100 {
            try harness.push(
                Pictures.packet([1], format, at: .milliseconds(number * 100), isKeyframe: number % 15 == 0))
        }
        #expect(harness.packets.allSatisfy { $0.isKeyframe })
        let expected: [Instant] = [0, 3000, 4500, 6000, 9000].map { .zero + .milliseconds($0) }
        #expect(harness.packets.map(\.captured) == expected)
        let rate = try sample(Packet.self, ["max_fps": "5"])
        #expect { try rate.begin(.packets(format)) } throws: { ($0 as? CampipeError)?.kind == .unsupported }
        try rate.begin(.packets(.jpeg))
    }

    @Test(
        "of video that reorders pictures, a keyframe that was taken is a picture at once, not when the next one comes")
    func atOnce() throws {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        let reader = try MediaReader(path: folder.appendingPathComponent("pictures/bframes.mp4").path)
        let sample = try sample(Packet.self, ["every": "100ms"])
        let decode = try NodeHarness(Registration(transform: Decode.self))
        let whole = try NodeHarness(Registration(transform: Decode.self))
        var (keyframes, seen) = (0, 0)
        while let packet = try reader.next() {
            try whole.push(packet)
            try sample.push(packet)
            for taken in sample.takeItems(Packet.self) {
                keyframes += 1
                #expect(taken.format.keyframesOnly)
                let captured = taken.captured
                try decode.push(taken)
                let frames = decode.takeItems(Frame.self)
                #expect(frames.map(\.captured) == [captured])
                seen += frames.count
            }
        }
        #expect(keyframes == 2 && seen == 2)
        // Of all packets pictures come later, in their order.
        #expect(whole.frames.count < 20 && whole.frames.count > 10)
    }

    @Test("a frame that nobody else holds stays so, and keeps its origin and what was found in it")
    func untouched() throws {
        let harness = try sample(Frame.self, ["every": "1s", "play_fps": "30"])
        let origin = Pictures.packet([1])
        var frame = Frame(
            Pictures.frame(.yuv420, Size(16, 16)).pixels, captured: .zero, pts: MediaTime(.zero), origin: origin)
        frame.regions = [Region(x: 0, y: 0, width: 1, height: 1)]
        frame.isDamaged = true
        let pixels = ObjectIdentifier(frame.pixels)
        try harness.push(consume frame)
        var taken = try #require(harness.takeItems(Frame.self).first)
        #expect(taken.origin != nil && taken.regions.count == 1 && taken.isDamaged)
        taken.mapLuma { $0 }
        #expect(ObjectIdentifier(taken.pixels) == pixels)
    }

    @Test("what cannot go together is said")
    func faults() {
        let inspect = { (options: Value.ValueMap) in
            Registration(transform: Sample<Packet>.self).inspect(options).faults.map(\.sentence)
        }
        #expect(inspect(["every": "10s", "max_fps": "5"]) == ["max_fps does not go with every"])
        #expect(inspect([:]) == ["this sample takes every picture"])
        #expect(inspect(["every": "10"]) == ["10 has no unit"])
    }
}
