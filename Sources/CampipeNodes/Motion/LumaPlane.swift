import CampipeKit

/// A small picture of luma: what motion is looked for in.
struct LumaPlane: Sendable {
    private(set) var columns = 0
    private(set) var rows = 0
    /// Row by row, without gaps.
    private(set) var cells: [UInt8] = []
    private var sums: [UInt16] = []

    /// Takes the luma of a frame, averaged over squares so that at least `target` columns remain, twice as many at
    /// most.
    ///
    /// The memory is kept from one frame to the next. What does not fill a square at the right and lower edge is left
    /// out.
    ///
    /// - Precondition: the frame has luma.
    mutating func take(_ frame: borrowing Frame, target: Int) {
        let size = frame.size
        // Sums of a square's rows have 16 bits: 257 of the brightest.
        let side = min(max(1, size.width / target), 128, size.height)
        columns = size.width / side
        rows = size.height / side
        if cells.count != columns * rows { cells = [UInt8](repeating: 0, count: columns * rows) }
        let across = columns * side
        if sums.count != across { sums = [UInt16](repeating: 0, count: across) }
        let (columns, rows) = (columns, rows)
        unsafe frame.withPlane(0) { luma, plane in
            unsafe cells.withUnsafeMutableBufferPointer { cells in
                guard let target = cells.baseAddress else { return }
                if side == 1 {
                    for y in 0..<rows {
                        unsafe (target + y * columns).update(from: luma + y * plane.stride, count: columns)
                    }
                    return
                }
                unsafe sums.withUnsafeMutableBufferPointer { sums in
                    guard let sums = sums.baseAddress else { return }
                    for row in 0..<rows {
                        let first = unsafe luma + row * side * plane.stride
                        unsafe Self.addRows(first, stride: plane.stride, count: side, across: across, to: sums)
                        unsafe Self.average(sums, side: side, columns: columns, to: target + row * columns)
                    }
                }
            }
        }
    }

    private static func addRows(
        _ first: UnsafePointer<UInt8>, stride: Int, count: Int, across: Int, to sums: UnsafeMutablePointer<UInt16>
    ) {
        for x in 0..<across { unsafe sums[x] = UInt16(first[x]) }
        for y in 1..<count {
            let row = unsafe first + y * stride
            for x in 0..<across { unsafe sums[x] &+= UInt16(row[x]) }
        }
    }

    private static func average(
        _ sums: UnsafePointer<UInt16>, side: Int, columns: Int, to target: UnsafeMutablePointer<UInt8>
    ) {
        let area = UInt32(side * side)
        for column in 0..<columns {
            var total: UInt32 = area / 2
            let square = unsafe sums + column * side
            for x in 0..<side { total &+= UInt32(unsafe square[x]) }
            unsafe target[column] = UInt8(truncatingIfNeeded: total / area)
        }
    }
}
