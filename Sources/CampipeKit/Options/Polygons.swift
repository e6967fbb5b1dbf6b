/// Areas of a picture as an option: one polygon, or a list of them; each a list of points `[x, y]`, 0…1 from the top
/// left, so that they fit every size of the stream.
public struct Polygons: Hashable, Sendable {
    /// A point of a picture: 0 to 1 of its width from the left and of its height from the top.
    public struct Point: Hashable, Sendable {
        public var x: Double
        public var y: Double

        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }
    public var list: [[Point]]

    public init(list: [[Point]]) { self.list = list }

    /// The same polygons as a file would say them: read again they are equal.
    package var value: Value {
        .list(list.map { .list($0.map { [.plain(String($0.x)), .plain(String($0.y))] }) })
    }
}

extension Polygons: OptionValue {
    public static var optionType: OptionType {
        let polygon = OptionType.list(.list(.number))
        return .either([polygon, .list(polygon)])
    }
    public static var optionPlaceholder: Polygons { Polygons(list: []) }
    public var optionText: String? { nil }

    private static let shape = "write [[0, 0], [1, 0], [1, 0.5]] for one polygon, or a list of such"

    /// Takes one polygon, and a list of them; every point that is wrong is a fault of its own.
    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Polygons? {
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
        let polygon = points.enumerated().compactMap {
            Point.read($0.element, "point", fix: "write [0.5, 0.25]", at: path.index($0.offset), into: &faults)
        }
        if polygon.count == points.count, !hasArea(polygon) {
            faults.append(
                Fault(
                    .invalidValue, at: path, "the polygon covers nothing: all its points lie on one line", fix: shape))
        }
        return polygon
    }

    /// Whether any three of the points make a triangle.
    private static func hasArea(_ polygon: [Point]) -> Bool {
        guard let first = polygon.first, let second = polygon.first(where: { $0 != first }) else { return false }
        let (across, down) = (second.x - first.x, second.y - first.y)
        return polygon.contains { abs(across * ($0.y - first.y) - down * ($0.x - first.x)) > 1e-12 }
    }
}

extension Polygons.Point {
    /// Reads a pair of numbers, 0…1 each; both are looked at, so that each that is wrong is a fault of its own.
    ///
    /// - Parameters:
    ///   - noun: What such a pair is to the option: `point`, `corner`.
    ///   - fix: What to do about a value that is no pair.
    /// - Returns: Nil where there was a fault.
    package static func read(
        _ value: Value, _ noun: String, fix: String, at path: FaultPath, into faults: inout [Fault]
    ) -> Polygons.Point? {
        guard case .list(let numbers) = value, numbers.count == 2 else {
            faults.append(Fault(.invalidValue, at: path, "a \(noun) is a pair of numbers", fix: fix))
            return nil
        }
        let x = Double.read(numbers[0], at: path.index(0), into: &faults)
        let y = Double.read(numbers[1], at: path.index(1), into: &faults)
        guard let x, let y else { return nil }
        guard (0...1).contains(x), (0...1).contains(y) else {
            faults.append(
                Fault(
                    .outOfRange, at: path, "the \(noun) [\(x), \(y)] lies outside the picture",
                    fix: "accepted: 0…1, shares of the width and height from the top left"))
            return nil
        }
        return Polygons.Point(x: x, y: y)
    }
}
