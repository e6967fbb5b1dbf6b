import CampipeKit

/// Areas of a picture as an option: one polygon, or a list of them; each a list of points `[x, y]`, 0…1 from the top
/// left, so that they fit every size of the stream.
struct Polygons: Hashable, Sendable {
    struct Point: Hashable, Sendable {
        var x: Double
        var y: Double
    }
    var list: [[Point]]

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

extension Polygons: OptionValue {
    static var optionType: OptionType { .list(.list(.list(.number))) }
    static var optionPlaceholder: Polygons { Polygons(list: []) }
    var optionText: String? { nil }

    private static let shape = "write [[0, 0], [1, 0], [1, 0.5]] for one polygon, or a list of such"

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Polygons? {
        guard case .list(let elements) = value else {
            faults.append(Fault(.wrongKind, at: path, "found \(value.kindText), expected polygons", fix: shape))
            return nil
        }
        let before = faults.count
        // One polygon is a list of points, whose first is a list of numbers.
        var isOne = false
        if case .list(let first)? = elements.first, case .scalar? = first.first { isOne = true }
        let list =
            isOne
            ? [polygon(value, at: path, into: &faults)]
            : elements.enumerated().map { polygon($0.element, at: path.index($0.offset), into: &faults) }
        return faults.count == before ? Polygons(list: list) : nil
    }

    private static func polygon(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> [Point] {
        guard case .list(let points) = value, points.count >= 3 else {
            faults.append(Fault(.invalidValue, at: path, "a polygon is a list of three points or more", fix: shape))
            return []
        }
        return points.enumerated().compactMap { index, value in
            let path = path.index(index)
            guard case .list(let numbers) = value, numbers.count == 2,
                let x = Double.read(numbers[0], at: path.index(0), into: &faults),
                let y = Double.read(numbers[1], at: path.index(1), into: &faults)
            else {
                faults.append(Fault(.invalidValue, at: path, "a point is a pair of numbers", fix: "write [0.5, 0.25]"))
                return nil
            }
            guard (0...1).contains(x), (0...1).contains(y) else {
                faults.append(
                    Fault(
                        .outOfRange, at: path, "the point [\(x), \(y)] lies outside the picture",
                        fix: "accepted: 0…1, shares of the width and height from the top left"))
                return nil
            }
            return Point(x: x, y: y)
        }
    }
}
