import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Where a file was cut")
struct FileEndTests {
    private func look(_ bytes: ArraySlice<UInt8>) -> FileEnd? {
        let bytes = Array(bytes)
        return FileEnd.look(bytes.count) { Array(bytes[min($0, bytes.count)..<min($0 + $1, bytes.count)]) }
    }

    @Test(
        "a whole file has no such place; one that was cut has it before the cut, and says what is missing",
        arguments: ["h265-aac.mkv", "bframes.mp4", "stream.ts", "bframes.avi"])
    func cut(_ name: String) throws {
        let bytes = try Fixture.bytes("video/\(name)").array
        #expect(look(bytes[...]) == nil)
        for length in [bytes.count * 6 / 10 | 1, bytes.count - 5] {
            let end = try #require(look(bytes[..<length]), "\(length)")
            #expect(end.offset <= length && end.missing > 0 && length + end.missing <= bytes.count)
        }
    }

    @Test("Matroska that is written without going back says it by the block that is not whole")
    func live() throws {
        var bytes: [UInt8] = []
        let (reader, packets) = try MediaReaderTests.packets("bframes.mp4")
        let muxer = try Muxer(.bytes { bytes += $0.array }, container: .mkv, streams: [reader.video.format])
        for packet in packets { try muxer.write(packet) }
        try muxer.finish()
        #expect(look(bytes[...]) == nil)
        let end = try #require(look(bytes.dropLast(700)))
        #expect(end.missing <= 700 + 16 && end.offset < bytes.count - 700)
    }

    @Test("fragments say it, and what is behind the last box is none of the file's")
    func fragments() throws {
        var bytes: [UInt8] = []
        let (reader, packets) = try MediaReaderTests.packets("bframes.mp4")
        let muxer = try Muxer(.bytes { bytes += $0.array }, container: .mp4, streams: [reader.video.format])
        for packet in packets { try muxer.write(packet) }
        try muxer.finish()
        #expect(look(bytes[...]) == nil)
        #expect(look(bytes.dropLast(bytes.count / 3)) != nil)
        #expect(look((bytes + [0xFF, 1, 2, 3, 0, 1, 2, 3, 4])[...]) == nil)
    }

    @Test("what is none of these, and noise behind a head, says nothing and ends")
    func foreign() throws {
        for bytes in [
            [], [0x47], [UInt8](repeating: 0x47, count: 188 * 2), Array("RIFF".utf8) + [UInt8](repeating: 0, count: 40),
            [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 100),
            [0, 0, 0, 0] + Array("ftyp".utf8) + [UInt8](repeating: 0, count: 40),
        ] {
            #expect(look(bytes[...]) == nil)
        }
    }

    @Test("an MP4 that lost its index is refused by what it lacks")
    func index() throws {
        let bytes = try Fixture.bytes("video/bframes.mp4").array
        let moov = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("moov".utf8)) }) - 4
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("x.mp4").path
            // Only where the index stands at the end is there anything before it.
            let mdat = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("mdat".utf8)) }) - 4
            let lost = moov > mdat ? Array(bytes[..<moov]) : Array(bytes[..<moov]) + bytes[mdat...]
            try Data(lost).write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: CampipeError.self) { _ = try MediaReader(path: path) }
            #expect(error?.kind == .badData && error?.message.contains("its index (moov) is missing") == true)
            #expect(!FileEnd.lacksIndex(try Fixture.url("video/bframes.mp4").path))
        }
    }
}
