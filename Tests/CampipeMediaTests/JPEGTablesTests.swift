import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Huffman tables that cameras leave out")
struct JPEGTablesTests {
    @Test(
        "are put in front of the scan, and the picture stays the same", arguments: ["no-dht-avi1", "no-app-segments"])
    func inserted(_ name: String) throws {
        let bare = try Fixture.bytes("jpeg/\(name).jpg")
        #expect(try !JPEGHeader(bare).hasHuffmanTables)
        let whole = JPEGTables.insertingHuffman(bare)
        #expect(try JPEGHeader(whole).hasHuffmanTables)
        #expect(whole.count == bare.count + 420)
        let before = try JPEGDecoder().decode(Fixture.packet(bare), pool: .shared)
        let after = try JPEGDecoder().decode(Fixture.packet(whole), pool: .shared)
        for plane in 0..<3 { #expect(FrameCompare.rows(before, plane) == FrameCompare.rows(after, plane)) }
    }

    @Test("are the encoder's own")
    func standard() throws {
        // TurboJPEG writes the standard tables, each in a segment of its own.
        let frame = Made.gradient(.yuv420, Size(32, 32))
        let jpeg = try JPEGEncoder().encode(frame, quality: 80, pool: .shared).array
        var tables: [UInt8] = []
        var at = 2
        while jpeg[at + 1] != 0xDA {
            let length = Int(jpeg[at + 2]) << 8 | Int(jpeg[at + 3])
            if jpeg[at + 1] == 0xC4 { tables += jpeg[(at + 4)..<(at + 2 + length)] }
            at += 2 + length
        }
        #expect(tables == Array(JPEGTables.segment[4...]))
    }

    @Test(
        "a JPEG that has them, or is none, comes back as the same bytes",
        arguments: ["444", "progressive", "empty", "soi-eoi-only"])
    func untouched(_ name: String) throws {
        let bytes = try Fixture.bytes("jpeg/\(name).jpg")
        #expect(JPEGTables.insertingHuffman(bytes) === bytes)
    }
}
