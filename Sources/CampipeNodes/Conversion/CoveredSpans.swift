import CampipeKit

/// The covered parts of a plane's rows, and what is done to them in place.
struct CoveredSpans: Sendable {
    let columns: Int
    private let rows: [[Range<Int>]]

    /// Covers each pixel that has any part in a polygon.
    ///
    /// - Parameters:
    ///   - columns: Columns of the plane, whatever bytes one has.
    ///   - margin: How many pixels are covered around them too.
    init(_ polygons: Polygons, columns: Int, rows: Int, margin: Int = 0) {
        self.columns = columns
        let covered = polygons.touched(columns: columns, rows: rows, margin: margin)
        self.rows = (0..<rows).map { row in
            var spans: [Range<Int>] = []
            var start: Int?
            for column in 0...columns {
                let isIn = column < columns && covered[row * columns + column]
                if isIn, start == nil { start = column }
                if !isIn, let begun = start {
                    spans.append(begun..<column)
                    start = nil
                }
            }
            return spans
        }
    }

    /// Sets what is covered to one level.
    func fill(_ base: UnsafeMutablePointer<UInt8>, _ plane: PixelBuffer.Plane, level: UInt8) {
        for (y, spans) in rows.enumerated() {
            for span in spans {
                let start = unsafe base + y * plane.stride + span.lowerBound * plane.bytesPerPixel
                unsafe start.update(repeating: level, count: span.count * plane.bytesPerPixel)
            }
        }
    }

    /// Gives all covered pixels of a square their average, which holds nothing of what is outside.
    func pixelate(_ base: UnsafeMutablePointer<UInt8>, _ plane: PixelBuffer.Plane, side: Int) {
        let bytes = plane.bytesPerPixel
        for top in stride(from: 0, to: rows.count, by: side) {
            let lines = top..<min(top + side, rows.count)
            for left in stride(from: 0, to: columns, by: side) {
                let square = left..<min(left + side, columns)
                for byte in 0..<bytes {
                    var (sum, count) = (0, 0)
                    for y in lines {
                        for span in rows[y] {
                            for x in span.clamped(to: square) {
                                sum += Int(unsafe base[y * plane.stride + x * bytes + byte])
                                count += 1
                            }
                        }
                    }
                    guard count > 0 else { break }
                    let average = UInt8(sum / count)
                    for y in lines {
                        for span in rows[y] {
                            for x in span.clamped(to: square) {
                                unsafe base[y * plane.stride + x * bytes + byte] = average
                            }
                        }
                    }
                }
            }
        }
    }
}
