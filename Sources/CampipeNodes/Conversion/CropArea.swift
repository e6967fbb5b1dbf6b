import CampipeKit
import CampipeMedia

/// A part of a picture as an option: its top left and its bottom right corner, `[[0.25, 0], [0.75, 1]]`, each a point
/// as those of polygons are, so that it fits every size of the stream.
struct CropArea: Hashable, Sendable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    /// Its share of the width.
    var width: Double { right - left }
    /// Its share of the height.
    var height: Double { bottom - top }

    /// The part in pixels: its edges lie at the nearest even columns and rows, so that colour stays in place, or at the
    /// picture's own edge; at least two pixels of each side.
    func rect(in size: Size) -> PixelRect {
        let (x, width) = Self.span(left, right, of: size.width)
        let (y, height) = Self.span(top, bottom, of: size.height)
        return PixelRect(x: x, y: y, width: width, height: height)
    }

    private static func span(_ from: Double, _ to: Double, of length: Int) -> (start: Int, length: Int) {
        func even(_ share: Double) -> Int { Int((share * Double(length) / 2).rounded()) * 2 }
        let start = min(even(from), max(0, (length - 1) & ~1))
        let end = to >= 1 ? length : min(length, max(even(to), start + 2))
        return (start, max(1, end - start))
    }
}

extension CropArea: OptionValue {
    static var optionType: OptionType { .list(.list(.number)) }
    static var optionPlaceholder: CropArea { CropArea(left: 0, top: 0, right: 1, bottom: 1) }
    var optionText: String? {
        let numbers = [left, top, right, bottom].map { $0.optionText ?? "" }
        return "[[\(numbers[0]), \(numbers[1])], [\(numbers[2]), \(numbers[3])]]"
    }

    private static let shape = "write two corners, [[0.25, 0], [0.75, 1]]: the top left one, then the bottom right one"

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> CropArea? {
        guard case .list(let corners) = value, corners.count == 2 else {
            faults.append(
                Fault(.wrongKind, at: path, "found \(value.kindText), expected the two corners of a part", fix: shape))
            return nil
        }
        let points = corners.enumerated().compactMap {
            Polygons.Point.read($0.element, "corner", fix: shape, at: path.index($0.offset), into: &faults)
        }
        guard points.count == 2 else { return nil }
        let area = CropArea(left: points[0].x, top: points[0].y, right: points[1].x, bottom: points[1].y)
        guard area.width > 0, area.height > 0 else {
            faults.append(
                Fault(
                    .invalidValue, at: path, "the part is empty: its second corner is not right of and below the first",
                    fix: shape))
            return nil
        }
        return area
    }
}
