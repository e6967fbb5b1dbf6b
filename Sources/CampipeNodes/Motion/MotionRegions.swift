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

    /// The regions that are movers: large enough, and changed lately. The largest first.
    ///
    /// Specks are left out before regions are joined: neighbours of a mover belong to it, noise all over the picture
    /// does not.
    ///
    /// - Parameter minimum: Cells that a mover has at least.
    static func movers(_ regions: [MotionRegion], minimum: Int) -> [MotionRegion] {
        let part = max(4, minimum / 4)
        return joined(regions.filter { $0.area >= part }, within: 2)
            .filter { $0.area >= minimum && $0.moved >= part }
            .sorted { ($0.area, $1.top, $1.left) > ($1.area, $0.top, $0.left) }
    }
}

/// Finds connected regions; keeps its memory from picture to picture.
struct RegionFinder: Sendable {
    private var stack: [Int] = []
    private var left: [UInt8] = []

    /// - Returns: The regions of a mask, by rows of their uppermost cells.
    mutating func find(_ mask: MotionMask, columns: Int, rows: Int) -> [MotionRegion] {
        find(wide: mask.wide, kept: mask.kept, moved: mask.moved, columns: columns, rows: rows)
    }

    /// - Parameters:
    ///   - wide: 1 where cells hang together.
    ///   - kept: 1 where a cell stands out.
    ///   - moved: 1 where a cell changed lately.
    mutating func find(wide: [UInt8], kept: [UInt8], moved: [UInt8], columns: Int, rows: Int) -> [MotionRegion] {
        var regions: [MotionRegion] = []
        // Mostly nothing moves.
        guard MotionCells.sum(wide) > 0 else { return regions }
        left = wide
        for start in 0..<columns * rows where left[start] != 0 {
            regions.append(take(start, kept, moved, columns, rows))
        }
        return regions
    }

    /// Takes the region around a cell out of what is left.
    private mutating func take(_ start: Int, _ kept: [UInt8], _ moved: [UInt8], _ columns: Int, _ rows: Int)
        -> MotionRegion
    {
        var region = MotionRegion(
            left: start % columns, top: start / columns, right: start % columns, bottom: start / columns)
        left[start] = 0
        stack.append(start)
        while let cell = stack.popLast() {
            let (x, y) = (cell % columns, cell / columns)
            if kept[cell] != 0 {
                region.area += 1
                region.moved += Int(moved[cell])
            }
            region.left = min(region.left, x)
            region.right = max(region.right, x)
            region.bottom = max(region.bottom, y)
            for neighbourY in max(y - 1, 0)...min(y + 1, rows - 1) {
                for neighbourX in max(x - 1, 0)...min(x + 1, columns - 1) {
                    let neighbour = neighbourY * columns + neighbourX
                    guard left[neighbour] != 0 else { continue }
                    left[neighbour] = 0
                    stack.append(neighbour)
                }
            }
        }
        return region
    }
}
