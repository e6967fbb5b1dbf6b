import Glibc

/// Makes the luma of a JPEG at an eighth of its size: each block's DC, as TurboJPEG makes it, byte for byte.
///
/// Nothing but the entropy coding must be read for that, and of it mostly how long it is: several symbols at a time by a
/// table. It takes half of what TurboJPEG needs (docs/benchmarks.md), which still collects and tests coefficient by
/// coefficient. Only what is plain is taken: baseline or extended sequential Huffman coding with 8 bits, all components
/// in one scan, luma not subsampled against the others, no error anywhere. For all else it says no, and TurboJPEG
/// decides what the picture is, and whether it is damaged. One owner, one thread at a time.
struct LumaEighth {
    private var tables: [HuffmanTable?] = Array(repeating: nil, count: 8)
    /// The entropy-coded data with the stuffing taken out.
    private let scratch = Scratch()
    /// Where intervals begin in it; the last is the end.
    private var starts: [Int] = []

    /// - Parameters:
    ///   - target: Gets the picture, an eighth of the size both ways, rounded up.
    ///   - stride: Bytes from one row to the next.
    /// - Returns: Whether it was taken; if not, `target` may hold anything.
    mutating func decode(
        _ jpeg: UnsafeRawBufferPointer, size: (width: Int, height: Int), into target: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) -> Bool {
        guard let scan = unsafe JPEGScanHeader(jpeg), scan.width == size.width, scan.height == size.height,
            unsafe loadTables(scan, jpeg)
        else { return false }
        let data = unsafe UnsafeRawBufferPointer(rebasing: jpeg[scan.data...])
        return unsafe scratch.withBytes(data.count + EntropyReader.slack * 16) { plain in
            guard unsafe takeOutStuffing(data, hasIntervals: scan.interval > 0, into: plain) else { return false }
            return unsafe read(scan, UnsafeRawPointer(plain), target, stride)
        }
    }

    /// Makes the tables that the scan names, unless they are those of the picture before, as they mostly are.
    private mutating func loadTables(_ scan: JPEGScanHeader, _ jpeg: UnsafeRawBufferPointer) -> Bool {
        for component in scan.components {
            for (index, isAC) in [(component.dc, false), (component.ac + 4, true)] {
                guard let place = scan.tables[index] else { return false }
                let definition = unsafe jpeg[place]
                if let known = tables[index], unsafe known.definition.count == definition.count,
                    unsafe known.definition.elementsEqual(definition)
                {
                    continue
                }
                guard let table = unsafe HuffmanTable(Array(definition), isAC: isAC), isAC || table.largest <= 11 else {
                    tables[index] = nil
                    return false
                }
                tables[index] = table
            }
        }
        return true
    }

    /// Copies the data up to the end marker, without the zeros behind FF and without restart markers.
    ///
    /// - Returns: false unless restart markers come in order, and the end marker after the data.
    private mutating func takeOutStuffing(
        _ data: UnsafeRawBufferPointer, hasIntervals: Bool, into target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        starts.removeAll(keepingCapacity: true)
        starts.append(0)
        guard let base = data.baseAddress else { return false }
        var from = 0
        var to = 0
        while from + 1 < data.count,
            let found = unsafe memchr(base + from, 0xFF, data.count - from - 1)
        {
            let length = unsafe UnsafeRawPointer(found) - (base + from)
            unsafe memcpy(target + to, base + from, length)
            to += length
            from += length + 2
            switch unsafe data[from - 1] {
            case 0:
                unsafe target[to] = 0xFF
                to += 1
            case 0xD9:
                starts.append(to)
                unsafe memset(target + to, 0, EntropyReader.slack * 16)
                return true
            case let marker where hasIntervals && marker == 0xD0 + UInt8((starts.count - 1) & 7): starts.append(to)
            default: return false
            }
        }
        return false
    }

    /// Reads all intervals.
    private func read(
        _ scan: JPEGScanHeader, _ data: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ stride: Int
    ) -> Bool {
        let units = scan.unitsAcross * scan.unitsDown
        let perInterval = scan.interval > 0 ? scan.interval : units
        guard (units + perInterval - 1) / perInterval == starts.count - 1 else { return false }
        return unsafe withCodes(scan.components) { codes in
            for interval in 0..<starts.count - 1 {
                let first = interval * perInterval
                let range = first..<min(first + perInterval, units)
                let start = unsafe data + starts[interval]
                guard
                    let taken = unsafe Self.read(
                        range, scan, codes, start, end: data + starts[interval + 1], target, stride)
                else { return false }
                // Up to seven bits fill the last byte.
                let left = (starts[interval + 1] - starts[interval]) * 8 - taken
                guard (0...7).contains(left) else { return false }
            }
            return true
        }
    }

    /// Reads the units of one interval.
    ///
    /// - Returns: How many bits they took; nil where the data is wrong.
    private static func read(
        _ range: Range<Int>, _ scan: JPEGScanHeader, _ codes: [(dc: EntropyReader.Codes, ac: EntropyReader.Codes)],
        _ start: UnsafeRawPointer, end: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ stride: Int
    ) -> Int? {
        var reader = unsafe EntropyReader(start)
        let luma = unsafe codes[0]
        let (across, down) = (scan.components[0].across, scan.components[0].down)
        let (width, height) = ((scan.width + 7) / 8, (scan.height + 7) / 8)
        let scale = Int32(scan.quantizer)
        var dc: Int32 = 0
        var column = range.lowerBound % scan.unitsAcross
        var row = range.lowerBound / scan.unitsAcross
        let limit = unsafe end - start
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

    /// Lends the tables' memory, of each component.
    private func withCodes(
        _ components: [JPEGScanHeader.Component],
        _ body: ([(dc: EntropyReader.Codes, ac: EntropyReader.Codes)]) -> Bool
    ) -> Bool {
        func lend(_ index: Int, _ lent: [(dc: EntropyReader.Codes, ac: EntropyReader.Codes)]) -> Bool {
            guard index < components.count else { return unsafe body(lent) }
            guard let dc = tables[components[index].dc], let ac = tables[components[index].ac + 4] else { return false }
            return unsafe Self.withCodes(dc) { dc in
                unsafe Self.withCodes(ac) { ac in unsafe lend(index + 1, lent + [(dc, ac)]) }
            }
        }
        return unsafe lend(0, [])
    }

    private static func withCodes(_ table: HuffmanTable, _ body: (EntropyReader.Codes) -> Bool) -> Bool {
        unsafe table.single.withUnsafeBufferPointer { single in
            unsafe table.several.withUnsafeBufferPointer { several in
                unsafe table.definition.withUnsafeBufferPointer { definition in
                    unsafe table.long.withUnsafeBufferPointer { long in
                        guard let single = single.baseAddress, let symbols = definition.baseAddress,
                            let long = long.baseAddress
                        else { return false }
                        return unsafe body(
                            EntropyReader.Codes(
                                single: single, several: several.baseAddress ?? single, long: long,
                                symbols: symbols + 16))
                    }
                }
            }
        }
    }
}
