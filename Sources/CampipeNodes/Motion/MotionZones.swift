import CampipeKit

/// Where motion counts.
struct MotionZones: OptionGroup, Hashable {
    /// Nothing given means everywhere.
    @Option("Polygons in which motion counts; without any, everywhere.") var include: Polygons? = nil
    @Option("Polygons in which motion does not count.") var exclude: Polygons? = nil

    /// Areas that are not even looked at: a clock in the picture, a busy road.
    var mask: Polygons?

    /// Both areas as rasters of 1 and 0: the cells that are looked at, and the ones of them in which motion counts.
    func rasters(columns: Int, rows: Int) -> (looked: [UInt8], counted: [UInt8]) {
        let masked = mask?.covered(columns: columns, rows: rows)
        let included = include?.covered(columns: columns, rows: rows)
        let excluded = exclude?.covered(columns: columns, rows: rows)
        let looked = (0..<columns * rows).map { UInt8(masked?[$0] == true ? 0 : 1) }
        let counted = looked.indices.map { index in
            included?[index] == false || excluded?[index] == true ? 0 : looked[index]
        }
        return (looked, counted)
    }

    static func == (left: MotionZones, right: MotionZones) -> Bool {
        left.include == right.include && left.exclude == right.exclude && left.mask == right.mask
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(include)
        hasher.combine(exclude)
        hasher.combine(mask)
    }
}
