import Glibc

/// Makes the planes of a JPEG at three eighths of their size: three by three pixels of each block, as TurboJPEG makes
/// them, byte for byte.
///
/// Nine coefficients of a block are enough for that, all of them among its first thirteen; the others are stepped over,
/// several at a time. Only what is plain is taken, as by `LumaEighth`, and of it what has all its colour in one block a
/// unit; for all else it says no. One owner, one thread at a time.
struct ThreeEighths {
    private var plain = PlainScan()
    /// The coefficients of a row of units, and the rows of pixels that eight blocks after eight give.
    private let coefficients = Scratch()
    private let lines = Scratch()

    /// A plane to be made.
    @unsafe struct Target {
        var start: UnsafeMutablePointer<UInt8>
        var stride: Int
        var width: Int
        var height: Int
    }

    /// Where each coefficient goes by its place in the zigzag, in lanes of eight blocks; what is not needed goes behind
    /// them.
    private static let places: [UInt8] = {
        var places = [UInt8](repeating: UInt8(ReducedBlocks.count * 8), count: 12 + 17)
        for (place, slot) in zip(ReducedBlocks.zigzag, 0...) { places[place] = UInt8(slot * 8) }
        return places
    }()
    private static let last = 12

    /// - Parameters:
    ///   - targets: Planes of luma and colours, or of luma alone; what is beyond their width and height is cut off.
    /// - Returns: Whether it was taken; if not, the targets may hold anything.
    mutating func decode(
        _ jpeg: UnsafeRawBufferPointer, size: (width: Int, height: Int), into targets: [Target]
    ) -> Bool {
        guard let scan = unsafe JPEGScanHeader(jpeg), scan.width == size.width, scan.height == size.height,
            unsafe targets.count <= scan.components.count,
            scan.components.dropFirst().allSatisfy({ $0.across == 1 && $0.down == 1 })
        else { return false }
        let layout = unsafe RowLayout(scan, planes: targets.count)
        let factors = unsafe scan.components.prefix(targets.count).map { component in
            ReducedBlocks.Factors { unsafe jpeg[component.quantizers + $0] }
        }
        let longest = layout.planes.map(\.lineStride).max() ?? 0
        return unsafe coefficients.withBytes(layout.count * 2) { bytes in
            unsafe lines.withBytes(3 * longest) { lines in
                let row = unsafe UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Int16.self)
                return unsafe plain.read(jpeg, scan) { codes, interval in
                    guard
                        let taken = unsafe Self.read(
                            interval, scan, codes, layout, row,
                            flush: { number in
                                for unsafe(index, target) in unsafe targets.enumerated() {
                                    guard
                                        unsafe Self.make(
                                            layout.planes[index], factors[index], row, number, lines, target)
                                    else { return false }
                                }
                                return true
                            })
                    else { return false }
                    return unsafe interval.isUsedUp(by: taken)
                }
            }
        }
    }

    /// How the coefficients of a row of units lie: row of blocks after row of blocks, in groups of eight blocks, each
    /// with the first coefficients of all eight, then the second ones. A value.
    private struct RowLayout {
        struct Plane {
            /// Where it begins.
            var start: Int
            /// Groups of eight blocks a row, and rows of blocks.
            var groups: Int
            var down: Int
            /// Bytes from one row of pixels to the next: those of all groups, and one more, which the last one writes.
            var lineStride: Int { groups * 24 + 8 }
        }
        private(set) var planes: [Plane] = []
        /// Coefficients in all.
        private(set) var count = 0

        init(_ scan: JPEGScanHeader, planes wanted: Int) {
            for component in scan.components.prefix(wanted) {
                let groups = (scan.unitsAcross * component.across + 7) / 8
                planes.append(Plane(start: count, groups: groups, down: component.down))
                count += groups * component.down * ReducedBlocks.stride
            }
        }
    }

    /// A block of a unit.
    @unsafe private struct Block {
        var codes: PlainScan.Codes
        /// The number of its component, whose DC it goes on from.
        var component: Int
        /// Where its row of blocks begins; nil is not wanted.
        var row: Int?
        /// Blocks a unit across, and which of them it is.
        var across: Int
        var column: Int
    }

    /// Reads the units of one interval; `flush` gets the number of each row of units that is whole.
    ///
    /// - Returns: How many bits they took; nil where the data is wrong, or a row was.
    private static func read(
        _ interval: PlainScan.Interval, _ scan: JPEGScanHeader, _ codes: [PlainScan.Codes], _ layout: RowLayout,
        _ row: UnsafeMutablePointer<Int16>, flush: (Int) -> Bool
    ) -> Int? {
        var blocks: [Block] = unsafe []
        for (index, component) in scan.components.enumerated() {
            for y in 0..<component.down {
                var row: Int?
                if index < layout.planes.count {
                    row = layout.planes[index].start + y * layout.planes[index].groups * ReducedBlocks.stride
                }
                for x in 0..<component.across {
                    unsafe blocks.append(
                        Block(codes: codes[index], component: index, row: row, across: component.across, column: x))
                }
            }
        }
        return unsafe blocks.withUnsafeBufferPointer { blocks in
            unsafe places.withUnsafeBufferPointer { places in
                unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4) { dc in
                    guard let places = places.baseAddress, let dc = dc.baseAddress else { return nil }
                    unsafe dc.initialize(repeating: 0, count: 4)
                    return unsafe read(interval, scan.unitsAcross, blocks, places, dc, row, layout.count, flush)
                }
            }
        }
    }

    private static func read(
        _ interval: PlainScan.Interval, _ unitsAcross: Int, _ blocks: UnsafeBufferPointer<Block>,
        _ places: UnsafePointer<UInt8>, _ dc: UnsafeMutablePointer<Int32>, _ row: UnsafeMutablePointer<Int16>,
        _ count: Int, _ flush: (Int) -> Bool
    ) -> Int? {
        let start = unsafe interval.start
        let limit = unsafe (interval.end - start) * 8
        var reader = unsafe EntropyReader(start)
        for unit in unsafe interval.units {
            let column = unit % unitsAcross
            if column == 0 { unsafe row.update(repeating: 0, count: count) }
            // What runs over the end reads zeros for one unit at most.
            if unsafe reader.taken(since: start) > limit { return nil }
            for index in blocks.indices {
                let block = unsafe blocks.baseAddress.unsafelyUnwrapped + index
                guard let difference = unsafe reader.difference(block.pointee.codes.dc) else { return nil }
                guard let first = unsafe block.pointee.row else {
                    guard unsafe reader.skipCoefficients(block.pointee.codes.ac) else { return nil }
                    continue
                }
                let own = unsafe dc[block.pointee.component] &+ difference
                unsafe dc[block.pointee.component] = own
                let x = unsafe column &* block.pointee.across &+ block.pointee.column
                let target = unsafe row + (first &+ (x &>> 3) &* ReducedBlocks.stride &+ x & 7)
                unsafe target[0] = Int16(truncatingIfNeeded: own)
                guard unsafe reader.coefficients(block.pointee.codes.ac, to: last, places, into: target) else {
                    return nil
                }
            }
            if column == unitsAcross - 1, !flush(unit / unitsAcross) { return nil }
        }
        return unsafe reader.taken(since: start)
    }

    /// Makes the pixels of a plane from a row of units.
    ///
    /// - Returns: false where a coefficient is wilder than pixels can give.
    private static func make(
        _ plane: RowLayout.Plane, _ factors: ReducedBlocks.Factors, _ row: UnsafePointer<Int16>, _ number: Int,
        _ lines: UnsafeMutablePointer<UInt8>, _ target: Target
    ) -> Bool {
        let length = plane.lineStride
        for y in 0..<plane.down {
            let start = unsafe row + plane.start + y * plane.groups * ReducedBlocks.stride
            for group in 0..<plane.groups {
                guard
                    unsafe ReducedBlocks.make(
                        start + group * ReducedBlocks.stride, factors, into: lines + group * 24, stride: length)
                else { return false }
            }
            let top = (number * plane.down + y) * 3
            for line in 0..<max(0, min(3, unsafe target.height - top)) {
                unsafe memcpy(
                    target.start + (top + line) * target.stride, lines + line * length, min(target.width, length))
            }
        }
        return true
    }
}
