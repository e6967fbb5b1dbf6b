import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Times of files whose pictures are not shown in the order in which they stand")
struct FileTimesTests {
    /// When the pictures of a file are shown, in milliseconds since the first one, in the file's order.
    private func shown(_ packets: [Packet]) throws -> [Int] {
        let first = try #require(packets.map(\.pts).min()).duration
        return packets.map { Int((($0.pts.duration - first).seconds * 1000).rounded()) }
    }

    @Test(
        "pictures come with the times at which they are shown, none before it is decoded, whatever the file keeps",
        arguments: ["mkv", "ts", "avi", "h264"])
    func reordered(_ kind: String) throws {
        let (reader, original) = try MediaReaderTests.packets("bframes.mp4")
        try Fixture.withFolder { folder in
            var path = try Fixture.url("video/bframes.\(kind)").path
            if let container = Container(path: path) {
                path = folder.appendingPathComponent("x.\(kind)").path
                let muxer = try Muxer(.path(path), container: container, streams: [reader.video.format])
                for packet in original { try muxer.write(packet) }
                try muxer.finish()
            }
            let (copy, packets) = try MediaReaderTests.packets(at: path, rate: kind == "h264" ? 10 : nil)
            #expect(try shown(packets) == shown(original))
            #expect(packets.allSatisfy { $0.dts <= $0.pts })
            #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.dts < $1.dts })
            for (packet, like) in zip(packets, original) {
                #expect(packet.captured - packets[0].captured == packet.pts.duration - packets[0].pts.duration)
                #expect(packet.isKeyframe == like.isKeyframe)
            }
            let decoder = try VideoDecoder(copy.video.format)
            var frames: [Frame] = []
            for packet in packets { frames += try decoder.decode(packet, pool: .shared) }
            frames += try decoder.drain(pool: .shared)
            let times = frames.map(\.pts.duration.seconds)
            #expect(times.count == 20)
            for (one, next) in zip(times, times.dropFirst()) { #expect(abs(next - one - 0.1) < 0.002) }
        }
    }

    @Test("of other codings a picture between two others is known by its kind")
    func between() throws {
        let (reader, packets) = try MediaReaderTests.packets("mpeg4.avi")
        #expect(packets.count == 20 && packets.allSatisfy { $0.dts <= $0.pts })
        let decoder = try VideoDecoder(reader.video.format)
        var frames: [Frame] = []
        for packet in packets { frames += try decoder.decode(packet, pool: .shared) }
        frames += try decoder.drain(pool: .shared)
        #expect(frames.map { Int(($0.pts.duration.seconds * 10).rounded()) } == Array(0..<20))
        #expect(frames.map { Int(($0.captured - .zero).seconds * 10 + 0.5) } == Array(0..<20))
    }

    @Test("the times of showing wait for as many pictures as the stream reorders, and no more")
    func waiting() {
        func packet(_ number: Int64, isKeyframe: Bool = false) -> Packet {
            let time = MediaTime(ticks: number * 10, timebase: Timebase(1, 100))
            return Packet(
                Bytes([UInt8(number)]), format: PacketFormat(.h264, timebase: Timebase(1, 100)),
                captured: .zero + time.duration, pts: time, dts: time, isKeyframe: isKeyframe)
        }
        var times = ShownTimes(depth: 1)
        var found: [[Int64]] = []
        // I0 P4 B2, a second time behind it; the last P stands alone.
        for (number, order) in [0, 4, 2, 0, 4, 2, 6].enumerated() {
            times.add(packet(Int64(number), isKeyframe: order == 0), order: order)
            while let next = times.take() { found.append([next.pts.ticks, next.dts.ticks]) }
        }
        #expect(found == [[0, -10], [20, 0], [10, 10], [30, 20], [50, 30], [40, 40]])
        let hasLast = times.end()
        let (last, none) = (times.take(), times.take())
        #expect(hasLast && last?.pts.ticks == 60 && none == nil)
        let isEmpty = !times.end()
        #expect(isEmpty)
    }
}

@Suite("Times of a file that jump forward")
struct JumpTests {
    private static let format = PacketFormat(.h264, rate: 10, timebase: Timebase(1, 1000))

    @Test("begin anew where a container's times may, from 10 s on; elsewhere a hole is a hole")
    func leap() {
        for (isDiscontinuous, next, wanted) in [
            (true, 3_600_000, 1100), (true, 10_900, 10_900), (false, 3_600_000, 3_600_000),
        ] as [(Bool, Int64, Int64)] {
            var clock = StreamClock(Self.format, isDiscontinuous: isDiscontinuous)
            for time: Int64 in [900, 1000] { _ = clock.place(pts: time, dts: time, duration: 100) }
            #expect(clock.place(pts: next + 80, dts: next, duration: 100) == (wanted + 80, wanted))
            #expect(clock.place(pts: next + 180, dts: next + 100, duration: 100) == (wanted + 180, wanted + 100))
        }
    }

    @Test("a stream that jumps with another one moves as far, so that sound stays with its picture")
    func together() {
        var picture = StreamClock(Self.format, isDiscontinuous: true)
        var sound = StreamClock(PacketFormat(.aac, timebase: Timebase(1, 48_000)), isDiscontinuous: true)
        _ = picture.place(pts: 1000, dts: 1000, duration: 100)
        _ = sound.place(pts: 48_000, dts: 48_000, duration: 1024)
        _ = picture.place(pts: 9_000_000, dts: 9_000_000, duration: 100)
        #expect(picture.moved.duration == .milliseconds(-8_998_900))
        // 20 ms later than the picture.
        let time: Int64 = 9_000_020 * 48
        #expect(sound.place(pts: time, dts: time, duration: 1024, moved: picture.moved) == (1120 * 48, 1120 * 48))
        #expect(sound.moved == picture.moved)
        // What the other one did long ago is of no use to the next jump.
        let next = sound.place(pts: 0, dts: 0, duration: 1024, moved: picture.moved)
        #expect(next.dts == 1120 * 48 + 1024)
    }

    @Test("two transport streams are one, with sound; the reader says where, and how far")
    func spliced() throws {
        let bytes = try Fixture.bytes("video/sound.ts").array
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("x.ts").path
            try Data(bytes + Self.later(bytes, by: 3 * 3600 * 90_000)).write(to: URL(fileURLWithPath: path))
            func read(_ path: String) throws -> (MediaReader, [Packet]) {
                let reader = try MediaReader(path: path)
                reader.select(audio: true)
                var packets: [Packet] = []
                while let packet = try reader.next() { packets.append(packet) }
                return (reader, packets)
            }
            let (_, once) = try read(try Fixture.url("video/sound.ts").path)
            let (reader, twice) = try read(path)
            #expect(twice.count == once.count * 2)
            let jump = try #require(reader.jump)
            #expect(abs((jump.by - .seconds(3 * 3600)).seconds) < 10, "\(jump)")
            let end = try #require(twice.map(\.captured).max()) - Instant.zero
            let whole = try #require(once.map(\.captured).max()) - Instant.zero
            #expect(end < whole * 2 + .seconds(1), "\(end)")
            // Picture and sound are as far apart as before.
            func first(_ packets: ArraySlice<Packet>, isAudio: Bool) -> Duration? {
                packets.first { $0.format.isAudio == isAudio }.map { $0.pts.duration }
            }
            var apart: [Duration] = []
            for half in [twice[..<once.count], twice[once.count...]] {
                apart.append(
                    try #require(first(half, isAudio: true)) - #require(first(half, isAudio: false)))
            }
            #expect(abs((apart[0] - apart[1]).seconds) < 0.001, "\(apart)")
        }
    }

    /// The same transport stream with all times of its PES packets and its clock so much later, in ticks of 90 kHz.
    private static func later(_ stream: [UInt8], by ticks: UInt64) -> [UInt8] {
        var bytes = stream
        func move(_ place: Int) {
            let time =
                UInt64(bytes[place] >> 1 & 7) << 30 | UInt64(bytes[place + 1]) << 22 | UInt64(bytes[place + 2] >> 1)
                << 15
                | UInt64(bytes[place + 3]) << 7 | UInt64(bytes[place + 4] >> 1)
            let moved = time + ticks
            bytes[place] = bytes[place] & 0xF1 | UInt8(moved >> 30 & 7) << 1
            bytes[place + 1] = UInt8(moved >> 22 & 0xFF)
            bytes[place + 2] = UInt8(moved >> 15 & 0x7F) << 1 | 1
            bytes[place + 3] = UInt8(moved >> 7 & 0xFF)
            bytes[place + 4] = UInt8(moved & 0x7F) << 1 | 1
        }
        for packet in stride(from: 0, to: bytes.count, by: 188) where bytes[packet + 1] & 0x40 != 0 {
            let hasField = bytes[packet + 3] & 0x20 != 0
            let start = packet + 4 + (hasField ? 1 + Int(bytes[packet + 4]) : 0)
            guard start + 14 < packet + 188, bytes[start..<start + 3].elementsEqual([0, 0, 1]) else { continue }
            if bytes[start + 7] & 0x80 != 0 { move(start + 9) }
            if bytes[start + 7] & 0x40 != 0 { move(start + 14) }
        }
        return bytes
    }
}
