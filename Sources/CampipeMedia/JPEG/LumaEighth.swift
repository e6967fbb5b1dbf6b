/// Makes the luma of a JPEG at an eighth of its size: each block's DC, as TurboJPEG makes it, byte for byte.
///
/// Nothing but the entropy coding must be read for that, and of it mostly how long it is: several symbols at a time by a
/// table. It takes half of what TurboJPEG needs (docs/benchmarks.md), which still collects and tests coefficient by
/// coefficient. Only what is plain is taken: baseline or extended sequential Huffman coding with 8 bits, all components
/// in one scan, luma not subsampled against the others, no error anywhere. For all else it says no, and TurboJPEG
/// decides what the picture is, and whether it is damaged. One owner, one thread at a time.
struct LumaEighth {
    private var plain = PlainScan()

    /// - Parameters:
    ///   - target: Gets the picture, an eighth of the size both ways, rounded up.
    ///   - stride: Bytes from one row to the next.
    /// - Returns: Whether it was taken; if not, `target` may hold anything.
    mutating func decode(
        _ jpeg: UnsafeRawBufferPointer, size: (width: Int, height: Int), into target: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) -> Bool {
        guard let scan = unsafe JPEGScanHeader(jpeg), scan.width == size.width, scan.height == size.height else {
            return false
        }
        return unsafe plain.read(jpeg, scan) { codes, interval in
            guard let taken = unsafe Self.read(interval, scan, codes, target, stride) else { return false }
            return unsafe interval.isUsedUp(by: taken)
        }
    }

    /// Reads the units of one interval.
    ///
    /// - Returns: How many bits they took; nil where the data is wrong.
    private static func read(
        _ interval: PlainScan.Interval, _ scan: JPEGScanHeader, _ codes: [PlainScan.Codes],
        _ target: UnsafeMutablePointer<UInt8>, _ stride: Int
    ) -> Int? {
        let start = unsafe interval.start
        var reader = unsafe EntropyReader(start)
        let luma = unsafe codes[0]
        let (across, down) = (scan.components[0].across, scan.components[0].down)
        let (width, height) = ((scan.width + 7) / 8, (scan.height + 7) / 8)
        let scale = Int32(scan.quantizer)
        var dc: Int32 = 0
        let range = unsafe interval.units
        var column = range.lowerBound % scan.unitsAcross
        var row = range.lowerBound / scan.unitsAcross
        let limit = unsafe interval.end - start
        for _ in range {
            // What runs over the end reads zeros for one unit at most.
            if unsafe reader.taken(since: start) > limit * 8 { return nil }
            for y in row * down..<(row + 1) * down {
                for x in column * across..<(column + 1) * across {
                    guard let difference = unsafe reader.difference(luma.dc), unsafe reader.skipCoefficients(luma.ac)
                    else { return nil }
                    dc &+= difference
                    guard x < width, y < height else { continue }
                    // libjpeg's jpeg_idct_1x1: rounded, wrapped to ten bits, and cut.
                    let level = (Int32(Int16(truncatingIfNeeded: dc)) &* scale &+ 4) &>> 3
                    let wrapped = (level &<< 22) &>> 22
                    unsafe target[y * stride + x] = UInt8(clamping: wrapped &+ 128)
                }
            }
            for index in 1..<scan.components.count {
                let component = scan.components[index]
                for _ in 0..<component.across * component.down {
                    guard unsafe reader.difference(codes[index].dc) != nil,
                        unsafe reader.skipCoefficients(codes[index].ac)
                    else { return nil }
                }
            }
            column += 1
            if column == scan.unitsAcross { (column, row) = (0, row + 1) }
        }
        return unsafe reader.taken(since: start)
    }
}
