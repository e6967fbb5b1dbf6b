import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Fragmented MP4")
struct FragmentMuxerTests {
    /// What a muxer made of packets.
    struct Made {
        var initializations: [Initialization] = []
        var fragments: [Fragment] = []
        var bytes: [UInt8] = []
    }

    static func mux(_ packets: [Packet], _ muxer: inout FragmentMuxer) -> Made {
        var made = Made()
        for packet in packets {
            switch muxer.take(packet) {
            case .none: continue
            case .begin(let initialization, let fragment):
                made.initializations.append(initialization)
                made.bytes += initialization.bytes.array + fragment.head.array + fragment.body.array
                made.fragments.append(fragment)
            case .fragment(let fragment):
                made.bytes += fragment.head.array + fragment.body.array
                made.fragments.append(fragment)
            }
        }
        return made
    }

    static func mux(_ packets: [Packet]) -> Made {
        var muxer = FragmentMuxer()
        return mux(packets, &muxer)
    }

    /// The same pictures in the shape in which RTSP brings them: start codes, and the sets with them.
    static func withStartCodes(_ packets: [Packet]) throws -> [Packet] {
        try packets.map { packet in
            let sets = try #require(packet.format.parameterSets).array
            var format = packet.format
            var units: [[UInt8]] = []
            var at = 8
            units.append(Array(sets[at..<(at + Int(sets[6]) << 8 + Int(sets[7]))]))
            at += units[0].count + 1
            units.append(Array(sets[(at + 2)..<(at + 2 + Int(sets[at]) << 8 + Int(sets[at + 1]))]))
            format.parameterSets = Bytes(units.flatMap { [0, 0, 0, 1] + $0 })
            var bytes: [UInt8] = []
            let data = packet.data.array
            at = 0
            while at + 4 <= data.count {
                let length = data[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
                bytes += [0, 0, 0, 1] + data[(at + 4)..<(at + 4 + length)]
                at += 4 + length
            }
            return Packet(
                Bytes(bytes), format: format, captured: packet.captured, pts: packet.pts, dts: packet.dts,
                isKeyframe: packet.isKeyframe, isDisposable: packet.isDisposable)
        }
    }

    @Test(
        "what is made is read again with the same pictures, times and marks",
        arguments: [
            ("bframes.mp4", "avc1."), ("raw.h264", "avc1."), ("stream.ts", "avc1."), ("h265-aac.mkv", "hvc1."),
        ])
    func roundTrip(_ name: String, _ codecs: String) throws {
        let (_, packets) = try MediaReaderTests.packets(name, rate: name.hasPrefix("raw") ? 10 : nil)
        let made = Self.mux(packets)
        #expect(made.initializations.count == 1 && made.fragments.count == packets.count)
        #expect(made.initializations[0].configuration.codecs.hasPrefix(codecs))
        #expect(made.initializations[0].configuration.size == Size(160, 120))
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("live.mp4")
            try Data(made.bytes).write(to: path)
            let (reader, read) = try MediaReaderTests.packets(at: path.path)
            #expect(read.count == packets.count)
            #expect(read.map(\.isKeyframe) == packets.map(\.isKeyframe))
            #expect(reader.video.format.size == Size(160, 120))
            // Where pictures are shown before their decoding time, the reader moves all of them by as much.
            let moved = read[0].pts.duration - packets[0].pts.duration
            for (a, b) in zip(read, packets) {
                #expect(abs((a.dts.duration - b.dts.duration + packets[0].dts.duration).seconds) < 0.001)
                #expect(abs((a.pts.duration - b.pts.duration - moved).seconds) < 0.001)
            }
            let before = try VideoDecoderTests.frames(packets, packets[0].format, pool: FramePool())
            let after = try VideoDecoderTests.frames(read, reader.video.format, pool: FramePool())
            #expect(before.count == after.count)
            for (a, b) in zip(before, after) { #expect(FrameCompare.psnr(a, b) > 90) }
        }
    }

    @Test("each fragment is a moof and an mdat of one picture, with its duration, size and marks")
    func fragments() throws {
        let (_, packets) = try MediaReaderTests.packets("bframes.mp4")
        let made = Self.mux(packets)
        var last = -1
        for (index, fragment) in made.fragments.enumerated() {
            let facts = try #require(FragmentFacts(fragment.head.array + fragment.body.array))
            #expect(facts.sequence == index + 1)
            #expect(facts.time > last && facts.time == Int(fragment.time))
            last = facts.time
            #expect(facts.duration == 9000 && facts.size == facts.data.count && facts.data == packets[index].data.array)
            #expect(facts.dataOffset == facts.moofSize + 8)
            #expect((facts.flags & 0x0001_0000 == 0) == packets[index].isKeyframe)
            #expect((facts.flags & 0x0080_0000 != 0) == packets[index].isDisposable)
            #expect(facts.shownLater >= 0)
            // The bytes themselves are shared, not copied.
            #expect(fragment.body === packets[index].data)
        }
        #expect(made.fragments[0].time == 0)
    }

    @Test("start codes become lengths, and the record is the one that a file has")
    func startCodes() throws {
        let (_, packets) = try MediaReaderTests.packets("bframes.mp4")
        let made = Self.mux(packets)
        let other = Self.mux(try Self.withStartCodes(packets))
        #expect(other.fragments.map(\.body) == made.fragments.map(\.body))
        #expect(other.initializations.map(\.bytes) == made.initializations.map(\.bytes))
    }

    @Test("new parameter sets begin anew at the next keyframe, with another initialization; times go on")
    func formatChange() throws {
        let (_, first) = try MediaReaderTests.packets("bframes.mp4")
        let (_, second) = try MediaReaderTests.packets("raw.h264", rate: 10)
        var muxer = FragmentMuxer()
        let before = Self.mux(first, &muxer)
        // In the middle of a group there is nothing to begin with.
        let after = Self.mux(Array(second.dropFirst()), &muxer)
        #expect(after.initializations.count == 1)
        #expect(after.initializations[0].configuration != before.initializations[0].configuration)
        #expect(after.fragments.count < second.count && after.fragments[0].isKey)
        #expect(after.fragments[0].time > before.fragments[before.fragments.count - 1].time)
        #expect(Self.mux([second[0]], &muxer).initializations.isEmpty)
    }

    @Test("decoding times only grow: over a gap as long as it was, and over a step back by one picture")
    func times() throws {
        let (_, packets) = try MediaReaderTests.packets("bframes.mp4")
        func at(_ packet: Packet, _ milliseconds: Int64) -> Packet {
            var moved = packet
            moved.dts = MediaTime(.milliseconds(milliseconds))
            moved.pts = MediaTime(.milliseconds(milliseconds))
            return moved
        }
        let times: [Int64] = [5000, 5100, 5100, 5080, 65_000, 65_100, 100, 200]
        let made = Self.mux(times.map { at(packets[0], $0) })
        let ticks = made.fragments.map(\.time)
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 < $1 })
        #expect(ticks[0] == 0 && ticks[1] == 9000 && ticks[4] == 5_400_000 && ticks[5] == 5_409_000)
        #expect(ticks[6] == 5_418_000 && ticks[7] == 5_427_000)
        // What no stream has is left out.
        var muxer = FragmentMuxer()
        for ticks in [Int64.max, 0, Int64.min, Int64.max - 1, 9000] {
            var damaged = packets[0]
            damaged.dts = MediaTime(ticks: ticks, timebase: Timebase(1, 90_000))
            damaged.pts = damaged.dts
            let isTime = ticks == 0 || ticks == 9000
            #expect(Self.mux([damaged], &muxer).fragments.map(\.time) == (isTime ? [ticks] : []))
        }
    }

    @Test("without parameter sets, of other codings, and before a keyframe nothing is made")
    func nothing() throws {
        let (_, packets) = try MediaReaderTests.packets("bframes.mp4")
        var bare = PacketFormat.h264
        bare.size = Size(160, 120)
        #expect(Self.mux([packets[0].replacing(packets[0].data, format: bare)]).fragments.isEmpty)
        #expect(Self.mux([packets[1], packets[2]]).fragments.isEmpty)
        #expect(Self.mux([Packet(packets[0].data, format: .jpeg, captured: .zero, pts: packets[0].pts)]).bytes.isEmpty)
        var broken = packets[0].format
        for sets: [UInt8] in [[0], [0, 0, 0, 1, 0x67, 1, 2, 3], [0, 0, 0, 1, 0x68, 0xEE, 0x3C, 0x80]] {
            broken.parameterSets = Bytes(sets)
            #expect(VideoConfiguration(broken) == nil)
        }
    }

    @Test("the record of H.265 says what FFmpeg's does, but for how it may be decoded in parallel")
    func hvcC() throws {
        let reader = try MediaReader(path: Fixture.url("video/h265-aac.mkv").path)
        let theirs = try #require(reader.video.format.parameterSets).array
        let units = PacketFormat.units(ofRecord: theirs, .h265).filter { (32...34).contains($0[0] >> 1 & 63) }
        var format = PacketFormat.h265
        format.parameterSets = Bytes(units.flatMap { NALUnits.startCode + $0 })
        let configuration = try #require(VideoConfiguration(format))
        let ours = configuration.record
        // Version, profile, constraints and level; chroma, depths; layers and the length of lengths.
        for index in Array(0...12) + [16, 17, 18, 21] { #expect(ours[index] == theirs[index], "byte \(index)") }
        #expect(ours[22] == 3)
        #expect(PacketFormat.units(ofRecord: ours, .h265) == units)
        var recorded = format
        recorded.parameterSets = Bytes(theirs)
        recorded.size = configuration.size
        #expect(VideoConfiguration(recorded)?.codecs == configuration.codecs)
    }

    @Test(
        "the name of a codec is as browsers want it",
        arguments: [
            (Coding.h264, [1, 0x64, 0, 0x28, 0xFF, 0xE1, 0, 0], "avc1.640028"),
            (
                .h265, [1, 1, 0x60, 0, 0, 0, 0xB0, 0, 0, 0, 0, 0, 93] + [UInt8](repeating: 0, count: 10),
                "hvc1.1.6.L93.B0"
            ),
            (
                .h265, [1, 0x22, 0x20, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 120] + [UInt8](repeating: 0, count: 10),
                "hvc1.2.4.H120.90"
            ),
        ])
    func names(_ coding: Coding, _ record: [UInt8], _ name: String) throws {
        var format = PacketFormat(coding, size: Size(160, 120))
        format.parameterSets = Bytes(record)
        #expect(VideoConfiguration(format)?.codecs == name)
    }
}
