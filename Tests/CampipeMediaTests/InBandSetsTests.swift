import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Parameter sets within a file's stream")
struct InBandSetsTests {
    /// A format and the sets of a real stream, as NAL units.
    private func stream() throws -> (format: PacketFormat, units: [[UInt8]]) {
        let (reader, _) = try MediaReaderTests.packets("raw.h264", rate: 10)
        let described = try #require(reader.video.format.parameterSets).array
        return (reader.video.format, NALUnits.find(in: described).map { Array(described[$0]) })
    }

    private func joined(_ units: [[UInt8]]) -> Bytes { Bytes(units.flatMap { NALUnits.startCode + $0 }) }

    @Test("what comes again changes nothing")
    func again() throws {
        let (format, units) = try stream()
        var sets = try #require(InBandSets(format))
        #expect(sets.isComplete)
        sets.learn(joined(units))
        #expect(sets.format == format)
    }

    @Test("half of them is not enough to begin with, until the rest comes")
    func incomplete() throws {
        let (format, units) = try stream()
        for kept in units.indices {
            var half = format
            half.parameterSets = joined([units[kept]])
            var sets = try #require(InBandSets(half))
            #expect(!sets.isComplete)
            sets.learn(joined([[0x65, 1, 2, 3, 4]]))
            #expect(!sets.isComplete)
            sets.learn(joined(units))
            #expect(sets.isComplete && sets.format.parameterSets == joined(units))
            #expect(sets.format.size == Size(160, 120))
        }
    }

    @Test("other codings have none, and those that stand apart are left alone")
    func others() throws {
        let (reader, _) = try MediaReaderTests.packets("bframes.mp4")
        #expect(InBandSets(reader.video.format) == nil)
        #expect(InBandSets(PacketFormat(.jpeg)) == nil)
    }
}
