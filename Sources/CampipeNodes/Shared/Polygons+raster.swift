import CampipeKit

extension Polygons {
    /// Marks the cells of a raster whose centre lies in one of the polygons, by the even-odd rule in each of them.
    ///
    /// - Returns: Row by row, true where covered.
    func covered(columns: Int, rows: Int) -> [Bool] {
        var result = [Bool](repeating: false, count: columns * rows)
        for polygon in list { Self.fill(polygon, columns, rows, &result) }
        return result
    }

    /// Marks the cells of a raster that have any part in one of the polygons, and so many around them.
    ///
    /// - Returns: Row by row, true where covered: at least where `covered` says so, of any raster over the same polygons
    ///   whose cells' centres lie in these.
    func touched(columns: Int, rows: Int, margin: Int = 0) -> [Bool] {
        // A cell that no edge crosses is in with all of it, or with none.
        var result = covered(columns: columns, rows: rows)
        for polygon in list {
            for (index, start) in polygon.enumerated() {
                Self.trace(start, polygon[(index + 1) % polygon.count], columns, rows, &result)
            }
        }
        for _ in 0..<margin { Self.grow(columns, rows, &result) }
        return result
    }

    /// Marks the cells whose inside an edge passes.
    private static func trace(_ start: Point, _ end: Point, _ columns: Int, _ rows: Int, _ result: inout [Bool]) {
        // Less than a billionth of a cell is an error of the arithmetic.
        func cells(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
            let first = max(Int((low + 1e-9).rounded(.down)), 0)
            return first..<max(first, min(Int((high - 1e-9).rounded(.up)), count))
        }
        let (x0, y0) = (start.x * Double(columns), start.y * Double(rows))
        let (x1, y1) = (end.x * Double(columns), end.y * Double(rows))
        for row in cells(min(y0, y1), max(y0, y1), rows) {
            // The part of the edge that lies in the row.
            func x(at y: Double) -> Double {
                y0 == y1 ? x0 : x0 + (min(max(y, min(y0, y1)), max(y0, y1)) - y0) / (y1 - y0) * (x1 - x0)
            }
            let (a, b) = y0 == y1 ? (x0, x1) : (x(at: Double(row)), x(at: Double(row + 1)))
            for column in cells(min(a, b), max(a, b), columns) { result[row * columns + column] = true }
        }
    }

    /// Marks the neighbours of what is marked.
    private static func grow(_ columns: Int, _ rows: Int, _ result: inout [Bool]) {
        let before = result
        for row in 0..<rows {
            for column in 0..<columns where before[row * columns + column] {
                for y in max(row - 1, 0)...min(row + 1, rows - 1) {
                    for x in max(column - 1, 0)...min(column + 1, columns - 1) { result[y * columns + x] = true }
                }
            }
        }
    }

    private static func fill(_ polygon: [Point], _ columns: Int, _ rows: Int, _ result: inout [Bool]) {
        for row in 0..<rows {
            let y = (Double(row) + 0.5) / Double(rows)
            var crossings: [Double] = []
            for (index, start) in polygon.enumerated() {
                let end = polygon[(index + 1) % polygon.count]
                guard (start.y <= y) != (end.y <= y) else { continue }
                crossings.append(start.x + (y - start.y) / (end.y - start.y) * (end.x - start.x))
            }
            crossings.sort()
            for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
                // A cell is in when its centre, (column + 0.5) / columns, lies between the two crossings.
                let first = max(Int((crossings[pair] * Double(columns) - 0.5).rounded(.up)), 0)
                let last = min(Int((crossings[pair + 1] * Double(columns) - 0.5).rounded(.down)), columns - 1)
                guard first <= last else { continue }
                for column in first...last {
                    result[row * columns + column] = true
                }
            }
        }
    }
}
