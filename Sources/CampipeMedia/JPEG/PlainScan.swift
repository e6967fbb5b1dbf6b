import Glibc

/// The one scan of a plain JPEG, ready to be read: its tables, and its data without byte-stuffing.
///
/// What `LumaEighth` and `ThreeEighths` share. Tables are kept from picture to picture, since they are mostly the same.
/// One owner, one thread at a time.
struct PlainScan {
    private var tables: [HuffmanTable?] = Array(repeating: nil, count: 8)
    /// The entropy-coded data with the stuffing taken out.
    private let scratch = Scratch()
    /// Where intervals begin in it; the last is the end.
    private var starts: [Int] = []

    /// The tables of a component, for the time of a picture.
    @unsafe struct Codes {
        var dc: EntropyReader.Codes
        var ac: EntropyReader.Codes
    }

    /// One run of units between restart markers.
    @unsafe struct Interval {
        var units: Range<Int>
        var start: UnsafeRawPointer
        var end: UnsafeRawPointer

        /// Whether that many bits are all there are: up to seven more fill the last byte.
        func isUsedUp(by bits: Int) -> Bool { unsafe (0...7).contains((end - start) * 8 - bits) }
    }

    /// Lends the tables of each component, in the scan's order, and one interval after the other.
    ///
    /// - Parameter body: Says whether the interval was good; the first that was not is the last.
    /// - Returns: Whether all of them were good, and the tables and markers too.
    mutating func read(
        _ jpeg: UnsafeRawBufferPointer, _ scan: JPEGScanHeader, _ body: ([Codes], Interval) -> Bool
    ) -> Bool {
        guard unsafe loadTables(scan, jpeg) else { return false }
        let data = unsafe UnsafeRawBufferPointer(rebasing: jpeg[scan.data...])
        return unsafe scratch.withBytes(data.count + EntropyReader.slack * 16) { plain in
            guard unsafe takeOutStuffing(data, hasIntervals: scan.interval > 0, into: plain) else { return false }
            let units = scan.unitsAcross * scan.unitsDown
            let perInterval = scan.interval > 0 ? scan.interval : units
            guard (units + perInterval - 1) / perInterval == starts.count - 1 else { return false }
            return unsafe withCodes(scan.components) { codes in
                for index in 0..<starts.count - 1 {
                    let first = index * perInterval
                    let interval = unsafe Interval(
                        units: first..<min(first + perInterval, units), start: UnsafeRawPointer(plain) + starts[index],
                        end: UnsafeRawPointer(plain) + starts[index + 1])
                    guard unsafe body(codes, interval) else { return false }
                }
                return true
            }
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

    /// Lends the tables' memory, of each component.
    private func withCodes(_ components: [JPEGScanHeader.Component], _ body: ([Codes]) -> Bool) -> Bool {
        func lend(_ index: Int, _ lent: [Codes]) -> Bool {
            guard index < components.count else { return unsafe body(lent) }
            guard let dc = tables[components[index].dc], let ac = tables[components[index].ac + 4] else { return false }
            return unsafe Self.withCodes(dc) { dc in
                unsafe Self.withCodes(ac) { ac in unsafe lend(index + 1, lent + [Codes(dc: dc, ac: ac)]) }
            }
        }
        return unsafe lend(0, [])
    }

    private static func withCodes(_ table: HuffmanTable, _ body: (EntropyReader.Codes) -> Bool) -> Bool {
        unsafe table.single.withUnsafeBufferPointer { single in
            unsafe table.several.withUnsafeBufferPointer { several in
                unsafe table.valued.withUnsafeBufferPointer { valued in
                    unsafe table.definition.withUnsafeBufferPointer { definition in
                        unsafe table.long.withUnsafeBufferPointer { long in
                            guard let single = single.baseAddress, let several = several.baseAddress,
                                let valued = valued.baseAddress, let symbols = definition.baseAddress,
                                let long = long.baseAddress
                            else { return false }
                            return unsafe body(
                                EntropyReader.Codes(
                                    single: single, several: several, valued: valued, long: long, symbols: symbols + 16)
                            )
                        }
                    }
                }
            }
        }
    }
}
