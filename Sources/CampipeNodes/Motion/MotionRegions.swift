/// A connected part of the picture that stands out from the background.
struct MotionRegion: Hashable, Sendable {
    var left: Int
    var top: Int
    /// The last column and row that belong to it.
    var right: Int
    var bottom: Int
    /// Cells that stand out.
    var area = 0
    /// Of these, the ones that changed lately.
    var moved = 0
}

extension MotionRegion {
    /// Whether the boxes are at most so many cells apart.
    private func isNear(_ other: MotionRegion, within cells: Int) -> Bool {
        left <= other.right + cells && other.left <= right + cells && top <= other.bottom + cells
            && other.top <= bottom + cells
    }

    /// Regions whose boxes touch or nearly do, as one: a person is often seen in parts.
    static func joined(_ regions: [MotionRegion], within cells: Int) -> [MotionRegion] {
        var result: [MotionRegion] = []
        for region in regions {
            var grown = region
            // A region that grew may have become a neighbour of earlier ones.
            while let index = result.firstIndex(where: { $0.isNear(grown, within: cells) }) {
                let other = result.remove(at: index)
                grown.left = min(grown.left, other.left)
                grown.top = min(grown.top, other.top)
                grown.right = max(grown.right, other.right)
                grown.bottom = max(grown.bottom, other.bottom)
                grown.area += other.area
                grown.moved += other.moved
            }
            result.append(grown)
        }
        return result
    }
}

/// Finds connected regions; keeps its memory from picture to picture.
struct RegionFinder: Sendable {
    private var stack: [Int] = []

    /// - Parameters:
    ///   - wide: 1 where cells hang together; it is changed to 0 on the way.
    ///   - kept: 1 where a cell stands out.
    ///   - moved: 1 where a cell changed lately.
    /// - Returns: The regions, by rows of their uppermost cells.
    mutating func find(
        wide: UnsafeMutablePointer<UInt8>, kept: UnsafePointer<UInt8>, moved: UnsafePointer<UInt8>, columns: Int,
        rows: Int
    ) -> [MotionRegion] {
        var regions: [MotionRegion] = []
        for start in 0..<columns * rows where unsafe wide[start] != 0 {
            var region = MotionRegion(
                left: start % columns, top: start / columns, right: start % columns, bottom: start / columns)
            unsafe wide[start] = 0
            stack.append(start)
            while let cell = stack.popLast() {
                let (x, y) = (cell % columns, cell / columns)
                if unsafe kept[cell] != 0 {
                    region.area += 1
                    region.moved += Int(unsafe moved[cell])
                }
                region.left = min(region.left, x)
                region.right = max(region.right, x)
                region.bottom = max(region.bottom, y)
                for neighbourY in max(y - 1, 0)...min(y + 1, rows - 1) {
                    for neighbourX in max(x - 1, 0)...min(x + 1, columns - 1) {
                        let neighbour = neighbourY * columns + neighbourX
                        guard unsafe wide[neighbour] != 0 else { continue }
                        unsafe wide[neighbour] = 0
                        stack.append(neighbour)
                    }
                }
            }
            regions.append(region)
        }
        return regions
    }
}
