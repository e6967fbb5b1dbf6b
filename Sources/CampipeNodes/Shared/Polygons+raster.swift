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
