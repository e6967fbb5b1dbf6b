import CampipeKit

/// What is left of the covered part of a plane once it is coarse: one level a square, the average of what is covered in
/// it. Whatever is painted from it holds no more than these few numbers, so that nobody can undo it.
///
/// A square of which less than a quarter is covered takes the level of its neighbour, since an average of few pixels
/// would show them.
struct Mosaic: Sendable {
    private let side: Int
    private let across: Int
    private let down: Int
    /// -1 where nothing is covered.
    private let levels: [Int]

    /// - Parameter base: The first byte of the plane that is averaged.
    init(_ spans: CoveredSpans, _ base: UnsafeMutablePointer<UInt8>, _ plane: PixelBuffer.Plane, side: Int) {
        self.side = side
        across = max(1, (spans.columns + side - 1) / side)
        down = max(1, (spans.rows.count + side - 1) / side)
        var sums = [Int](repeating: 0, count: across * down)
        var counts = sums
        for (y, row) in spans.rows.enumerated() {
            let line = unsafe base + y * plane.stride
            for span in row {
                for x in span {
                    let square = y / side * across + x / side
                    sums[square] += Int(unsafe line[x * plane.bytesPerPixel])
                    counts[square] += 1
                }
            }
        }
        let whole = side * side
        let total = counts.reduce(0, +)
        let average = total == 0 ? 0 : sums.reduce(0, +) / total
        var levels = [Int](repeating: -1, count: across * down)
        for row in 0..<down {
            for column in 0..<across where counts[row * across + column] > 0 {
                var square = row * across + column
                if counts[square] * 4 < whole {
                    for y in max(0, row - 1)...min(down - 1, row + 1) {
                        for x in max(0, column - 1)...min(across - 1, column + 1)
                        where counts[y * across + x] > counts[square] { square = y * across + x }
                    }
                }
                levels[row * across + column] =
                    counts[square] * 4 < whole ? average : sums[square] / counts[square]
            }
        }
        self.levels = levels
    }

    /// The level of the square that a covered pixel is in.
    @inline(__always)
    func flat(_ x: Int, _ y: Int) -> UInt8 { UInt8(clamping: levels[y / side * across + x / side]) }

    /// The level at a covered pixel where those of the squares pass into one another.
    @inline(__always)
    func smooth(_ x: Int, _ y: Int) -> UInt8 {
        let own = levels[y / side * across + x / side]
        // Twice the distance from the centre of the square before, in pixels: 0 up to twice the side.
        let (left, right) = (2 * x + 1 + side, 2 * y + 1 + side)
        let (column, toRight) = (left / (2 * side) - 1, left % (2 * side))
        let (row, toBottom) = (right / (2 * side) - 1, right % (2 * side))
        func level(_ column: Int, _ row: Int) -> Int {
            guard column >= 0, column < across, row >= 0, row < down else { return own }
            let level = levels[row * across + column]
            return level < 0 ? own : level
        }
        let full = 2 * side
        let top = level(column, row) * (full - toRight) + level(column + 1, row) * toRight
        let bottom = level(column, row + 1) * (full - toRight) + level(column + 1, row + 1) * toRight
        return UInt8(clamping: (top * (full - toBottom) + bottom * toBottom + full * full / 2) / (full * full))
    }
}
