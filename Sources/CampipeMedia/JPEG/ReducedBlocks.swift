/// Makes three by three pixels of each of eight blocks, from the nine coefficients with the lowest frequencies.
///
/// It is libjpeg's `jpeg_idct_3x3` (jidctint.c: the inverse transform of three points, by integers, twice) to the bit, of
/// eight blocks at once: the loops are over the blocks, so that the compiler can take them together.
enum ReducedBlocks {
    /// Coefficients a block that are needed.
    static let count = 9
    /// Their places in the zigzag, row by row.
    static let zigzag = [0, 1, 5, 2, 4, 7, 3, 8, 12]
    /// Coefficients from one group of eight blocks to the next: one more a block, for what is thrown away.
    static let stride = (count + 1) * 8

    /// What the coefficients are multiplied by, row by row.
    struct Factors {
        private(set) var values = [Int16](repeating: 0, count: 9)

        /// - Parameter quantizer: That of a place in the zigzag.
        init(_ quantizer: (Int) -> UInt8) {
            for (index, place) in zigzag.enumerated() { values[index] = Int16(quantizer(place)) }
        }
    }

    /// FIX(0.707106781) and FIX(1.224744871), in 13 bits.
    private static let half: Int32 = 5793
    private static let odd: Int32 = 10_033

    /// - Parameters:
    ///   - coefficients: The first ones of all eight blocks, then the second ones, …; row by row.
    ///   - target: Gets 24 pixels in each of three rows, and a byte behind them.
    ///   - stride: Bytes from one row to the next.
    /// - Returns: false where a coefficient is wilder than pixels can give; then 32 bits would not do.
    @inline(__always)
    static func make(
        _ coefficients: UnsafePointer<Int16>, _ factors: borrowing Factors, into target: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: Int16.self, capacity: 72) { between in
            unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8) { pixels in
                let between = unsafe between.baseAddress.unsafelyUnwrapped
                let pixels = unsafe pixels.baseAddress.unsafelyUnwrapped
                var wild: Int32 = 0
                for column in 0..<3 {
                    wild |= unsafe first(
                        coefficients + column * 8, factors.values[column], factors.values[column + 3],
                        factors.values[column + 6], into: between + column * 8)
                }
                // Pixels have -1024…1023 at most, and quantizing adds a half of a step.
                guard wild == 0 else { return false }
                for row in 0..<3 {
                    unsafe second(between + row * 24, into: pixels)
                    let line = unsafe UnsafeMutableRawPointer(target + row * stride)
                    // The fourth byte is the next one's first.
                    for block in 0..<8 {
                        unsafe line.storeBytes(
                            of: pixels[block].littleEndian, toByteOffset: block &* 3, as: UInt32.self)
                    }
                }
                return true
            }
        }
    }

    /// One column: from three coefficients, of rows 24 apart, to three values of rows 24 apart.
    ///
    /// - Returns: Not 0 where a coefficient is beyond ±2048.
    @inline(__always)
    private static func first(
        _ from: UnsafePointer<Int16>, _ top: Int16, _ middle: Int16, _ bottom: Int16,
        into to: UnsafeMutablePointer<Int16>
    ) -> Int32 {
        var wild: Int32 = 0
        for block in 0..<8 {
            let a = unsafe Int32(from[block]) &* Int32(top)
            let b = unsafe Int32(from[block &+ 24]) &* Int32(middle)
            let c = unsafe Int32(from[block &+ 48]) &* Int32(bottom)
            wild |= ((a &+ 2048) | (b &+ 2048) | (c &+ 2048)) & ~4095
            let even = (a &<< 13) &+ 1024
            // Sixteen bits are enough for what is not wild, and cheaper to multiply.
            let side = Int32(Int16(truncatingIfNeeded: c)) &* half
            let outer = even &+ side
            let odd = Int32(Int16(truncatingIfNeeded: b)) &* Self.odd
            unsafe to[block] = Int16(truncatingIfNeeded: (outer &+ odd) &>> 11)
            unsafe to[block &+ 24] = Int16(truncatingIfNeeded: (even &- side &- side) &>> 11)
            unsafe to[block &+ 48] = Int16(truncatingIfNeeded: (outer &- odd) &>> 11)
        }
        return wild
    }

    /// One row: from three values, eight apart, to three pixels, the first one lowest.
    @inline(__always)
    private static func second(_ from: UnsafePointer<Int16>, into to: UnsafeMutablePointer<UInt32>) {
        for block in 0..<8 {
            let even = (unsafe Int32(from[block]) &+ 16) &<< 13
            let side = unsafe Int32(from[block &+ 16]) &* half
            let outer = even &+ side
            let odd = unsafe Int32(from[block &+ 8]) &* Self.odd
            unsafe to[block] =
                pixel(outer &+ odd) | pixel(even &- side &- side) &<< 8 | pixel(outer &- odd) &<< 16
        }
    }

    /// Rounded already; wrapped to ten bits, and cut, as libjpeg's table does.
    @inline(__always)
    private static func pixel(_ sum: Int32) -> UInt32 {
        let wrapped = ((sum &>> 18) &<< 22) &>> 22
        return UInt32(truncatingIfNeeded: min(max(wrapped &+ 128, 0), 255))
    }
}
