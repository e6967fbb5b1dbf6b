import CampipeKit

/// The covered parts of a plane's rows, and what is done to them in place.
struct CoveredSpans: Sendable {
    let columns: Int
    let rows: [[Range<Int>]]

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

    /// Sets what is covered to one colour.
    ///
    /// - Parameter levels: As many as a pixel of the plane has bytes.
    func fill(_ base: UnsafeMutablePointer<UInt8>, _ plane: PixelBuffer.Plane, levels: [UInt8]) {
        let bytes = plane.bytesPerPixel
        for (y, spans) in rows.enumerated() {
            for span in spans {
                let start = unsafe base + y * plane.stride + span.lowerBound * bytes
                if bytes == 1 {
                    unsafe start.update(repeating: levels[0], count: span.count)
                } else {
                    for at in 0..<span.count * bytes { unsafe start[at] = levels[at % bytes] }
                }
            }
        }
    }

    /// Replaces what is covered by averages of squares: flat, or one passing into the next.
    ///
    /// - Parameter side: Pixels of a square's side.
    func coarsen(_ base: UnsafeMutablePointer<UInt8>, _ plane: PixelBuffer.Plane, side: Int, isSmooth: Bool) {
        let bytes = plane.bytesPerPixel
        for byte in 0..<bytes {
            let mosaic = unsafe Mosaic(self, base + byte, plane, side: side)
            for (y, spans) in rows.enumerated() {
                let row = unsafe base + y * plane.stride + byte
                for span in spans {
                    for x in span {
                        unsafe row[x * bytes] = isSmooth ? mosaic.smooth(x, y) : mosaic.flat(x, y)
                    }
                }
            }
        }
    }
}
