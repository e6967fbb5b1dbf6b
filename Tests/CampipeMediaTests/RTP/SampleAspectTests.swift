import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Pixels that are not square")
struct SampleAspectTests {
    /// Of x264 and x265, 64x48, with pixels of 12:11 and 7:5.
    private static let h264 = [
        "6764000aacd9447b0210000003001000000300a0f1225960", "6764000aacd9447bff0007000510000003001000000300a0f1225960",
    ]
    private static let h265 = [
        "42010101600000030090000003000003001ea02083165959ae4caf0268080000030008000003002840",
        "42010101600000030090000003000003001ea02083165959ae4cafff0007000568080000030008000003002840",
    ]
    private static let others = (
        h264: "68ebe3cb22c0", video: "40010c01ffff01600000030090000003000003001e959809", picture: "4401c173d089"
    )

    /// The sets of a stream with so many layers above the first.
    static func h265Sets(layers: UInt8) -> [[UInt8]] {
        var sequence = bytes(h265[0])
        sequence[2] = sequence[2] & 0xF1 | layers << 1
        // Each layer above the first has two flags behind the level, filled up to eight pairs: none is told of.
        if layers > 0, let level = sequence.firstIndex(of: 0x1E) { sequence.insert(contentsOf: [0, 0], at: level + 1) }
        return [bytes(others.video), sequence, bytes(others.picture)]
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
    }

    /// A format as RTSP brings it, and as a file does.
    private static func formats(_ coding: Coding, _ index: Int) throws -> [PacketFormat] {
        let units =
            coding == .h264
            ? [bytes(h264[index]), bytes(others.h264)]
            : [bytes(others.video), bytes(h265[index]), bytes(others.picture)]
        var open = PacketFormat(coding, size: Size(64, 48))
        open.parameterSets = Bytes(units.flatMap { NALUnits.startCode + $0 })
        var closed = open
        closed.parameterSets = Bytes(try #require(VideoConfiguration(open)).record)
        return [open, closed]
    }

    @Test(
        "the parameter sets say it, of both codings, between start codes and in a file's record",
        arguments: [Coding.h264, .h265], [0, 1])
    func read(_ coding: Coding, _ index: Int) throws {
        for format in try Self.formats(coding, index) {
            let aspect = try #require(format.sampleAspect)
            #expect(aspect == (index == 0 ? SampleAspect(12, 11) : SampleAspect(7, 5)))
            #expect(aspect.shown(Size(704, 576)) == (index == 0 ? Size(768, 576) : Size(986, 576)))
        }
    }

    @Test("square pixels, and what no camera has, are nothing to be told of")
    func square() throws {
        #expect(SampleAspect(1, 1) == nil && SampleAspect(0, 1) == nil && SampleAspect(65_535, 1) == nil)
        #expect(SampleAspect(8, 9)?.shown(Size(720, 480)) == Size(720, 540))
        for name in ["bframes.mp4", "h265-aac.mkv", "raw.h264"] {
            let (reader, _) = try MediaReaderTests.packets(name, rate: name.hasPrefix("raw") ? 10 : nil)
            #expect(reader.video.format.sampleAspect == nil)
        }
    }

    @Test("a fragmented MP4 has it as a box, and the size at which it is shown", arguments: [Coding.h264, .h265])
    func initialization(_ coding: Coding) throws {
        for format in try Self.formats(coding, 0) {
            let configuration = try #require(VideoConfiguration(format))
            let boxes = Boxes.read(FragmentMuxer.initialization(configuration).array)
            let track = try #require(boxes.first { $0.name == "moov" }?.find("trak"))
            let header = try #require(track.find("tkhd"))
            #expect(header.number(76, 4) == 70 << 16 && header.number(80, 4) == 48 << 16)
            let stsd = try #require(track.find("mdia", "minf", "stbl", "stsd"))
            let entry = try #require(stsd.inside(from: 8).first)
            let pasp = try #require(entry.inside(from: 78).first { $0.name == "pasp" })
            #expect(pasp.number(0) == 12 && pasp.number(4) == 11)
        }
    }

    @Test("a recording says it too")
    func recording() throws {
        let format = try Self.formats(.h264, 0)[1]
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("a.mp4").path
            let muxer = try Muxer(.path(path), container: .mp4, streams: [format])
            try muxer.write(
                Packet(Bytes([0, 0, 0, 2, 0x65, 0x88]), format: format, captured: .zero, pts: MediaTime(.zero)))
            try muxer.finish()
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            let pasp: [UInt8] = Array("pasp".utf8) + [0, 0, 0, 12, 0, 0, 0, 11]
            #expect(bytes.indices.contains { bytes[$0...].starts(with: pasp) })
        }
    }
}
