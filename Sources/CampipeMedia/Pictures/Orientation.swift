package import CampipeKit

/// One of the eight ways in which a picture can be turned and mirrored, as a value.
///
/// What stands at (x, y) of the result is found in these steps: the result is mirrored as `mirrorsX` and `mirrorsY` say,
/// and then columns and rows change places where it `transposes`.
package struct Orientation: Hashable, Sendable {
    /// Whether columns become rows.
    package let transposes: Bool
    /// Whether left and right of the result change places, last.
    package let mirrorsX: Bool
    /// Whether top and bottom of the result change places, last.
    package let mirrorsY: Bool

    private init(transposes: Bool, mirrorsX: Bool, mirrorsY: Bool) {
        self.transposes = transposes
        self.mirrorsX = mirrorsX
        self.mirrorsY = mirrorsY
    }

    /// As it is.
    package static let upright = Orientation(transposes: false, mirrorsX: false, mirrorsY: false)

    /// Turns first, then mirrors.
    ///
    /// - Parameters:
    ///   - quarters: Quarter turns clockwise.
    ///   - flipsX: Whether left and right change places.
    ///   - flipsY: Whether top and bottom change places.
    package init(quarters: Int, flipsX: Bool = false, flipsY: Bool = false) {
        let turns = ((quarters % 4) + 4) % 4
        self.init(
            transposes: turns % 2 == 1, mirrorsX: (turns == 1 || turns == 2) != flipsX,
            mirrorsY: (turns == 2 || turns == 3) != flipsY)
    }

    /// The size of a picture of `size` once turned.
    package func size(of size: Size) -> Size { transposes ? Size(size.height, size.width) : size }

    /// Where a region of the picture, 0…1, comes to lie.
    package func place(of region: Region) -> Region {
        var place = region
        if transposes {
            (place.x, place.y, place.width, place.height) = (region.y, region.x, region.height, region.width)
        }
        if mirrorsX { place.x = 1 - place.x - place.width }
        if mirrorsY { place.y = 1 - place.y - place.height }
        return place
    }
}
