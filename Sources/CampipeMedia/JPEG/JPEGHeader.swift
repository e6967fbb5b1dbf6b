package import CampipeKit

/// What a JPEG says of itself before its first scan, read without decoding anything.
///
/// Thumbnails inside APP segments are stepped over, since segments are walked by their lengths (ITU-T T.81 annex B).
package struct JPEGHeader: Hashable, Sendable {
    /// Pixels; the height is positive, so a height given later by DNL is refused as libjpeg does.
    package let size: Size
    /// Grey has 1, YCbCr or RGB 3, CMYK 4.
    package let components: Int
    /// Whether its picture comes in several scans, coarse first.
    package let isProgressive: Bool
    /// Whether it brings Huffman tables; cameras of the AVI1 kind leave the standard ones out.
    package let hasHuffmanTables: Bool
    /// Whether its data is Huffman-coded, not arithmetic.
    package let isHuffmanCoded: Bool
    /// Whether an Adobe segment stands in it; Adobe stores CMYK inverted.
    let isAdobe: Bool
    /// Where the first SOS marker begins.
    let firstScan: Int

    /// Walks the segments up to the first scan.
    ///
    /// - Throws: `.badData` when these bytes are no JPEG with a picture in it.
    package init(_ bytes: Bytes) throws(CampipeError) {
        let parsed: Result<JPEGHeader, CampipeError> = unsafe bytes.withBytes { bytes in
            Result { () throws(CampipeError) in unsafe try JPEGHeader(walking: bytes) }
        }
        self = try parsed.get()
    }

    private init(walking bytes: UnsafeRawBufferPointer) throws(CampipeError) {
        func bad(_ found: String) -> CampipeError { CampipeError(.badData, "cannot read the JPEG: \(found)") }
        func word(_ at: Int) -> Int { unsafe Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
        guard bytes.count >= 4, unsafe bytes[0] == 0xFF, unsafe bytes[1] == 0xD8 else {
            throw unsafe bad(bytes.isEmpty ? "it is empty" : "it does not begin with FFD8")
        }
        var frame: (size: Size, components: Int, marker: UInt8)?
        var hasTables = false
        var adobe = false
        var at = 2
        while true {
            // As libjpeg: bytes that belong to no segment are stepped over, and FF may be repeated before a marker.
            while at < bytes.count, unsafe bytes[at] != 0xFF { at += 1 }
            while at < bytes.count, unsafe bytes[at] == 0xFF { at += 1 }
            guard at < bytes.count else { throw bad("it ends before its picture") }
            let marker = unsafe bytes[at]
            at += 1
            switch marker {
            case 0x00, 0x01, 0xD0...0xD8: continue
            case 0xD9: throw bad("it ends before its picture")
            default: break
            }
            guard at + 2 <= bytes.count, word(at) >= 2, at + word(at) <= bytes.count else {
                throw bad("it ends inside a segment")
            }
            switch marker {
            case 0xC4: hasTables = true
            case 0xEE:
                let name = unsafe UnsafeRawBufferPointer(rebasing: bytes[(at + 2)..<(at + word(at))])
                if unsafe name.starts(with: "Adobe".utf8) { adobe = true }
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard word(at) >= 8 else { throw bad("its frame header is too short") }
                frame = unsafe (Size(word(at + 5), word(at + 3)), Int(bytes[at + 7]), marker)
            case 0xDA:
                guard let frame else { throw bad("its scan comes before its frame header") }
                guard frame.size.width > 0, frame.size.height > 0 else {
                    throw bad("its size is \(frame.size)")
                }
                size = frame.size
                components = frame.components
                isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(frame.marker)
                isHuffmanCoded = frame.marker < 0xC8
                hasHuffmanTables = hasTables
                isAdobe = adobe
                firstScan = at - 2
                return
            default: break
            }
            at += word(at)
        }
    }
}
