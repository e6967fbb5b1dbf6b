import CampipeKit
import CampipeMedia

/// What becomes of a picture's shape, as a value: a part is taken, turned, mirrored, and fitted into a size.
struct PictureGeometry: Hashable, Sendable {
    var crop: CropArea?
    var orientation = Orientation.upright
    /// Of the result; a side that is left out follows from the other.
    var width: Int?
    var height: Int?
    /// The result is made no wider; only without `width` and `height`.
    var maxWidth: Int?
    var fit = Fit.contain

    /// What is taken of a picture.
    func part(of size: Size) -> PixelRect { crop?.rect(in: size) ?? PixelRect(size) }

    /// What becomes of a size; a side that is left out is rounded to whole pairs, which colour needs.
    func size(of size: Size) -> Size {
        let turned = orientation.size(of: part(of: size).size)
        func other(_ side: Int, _ own: Int, _ across: Int) -> Int { max(2, (side * own * 2 / across + 1) / 2 & ~1) }
        switch (width, height) {
        case (let width?, let height?): return Size(width, height)
        case (let width?, nil): return Size(width, other(turned.height, width, turned.width))
        case (nil, let height?): return Size(other(turned.width, height, turned.height), height)
        case (nil, nil):
            guard let maxWidth, turned.width > maxWidth else { return turned }
            return Size(maxWidth, other(turned.height, maxWidth, turned.width))
        }
    }

    /// The size before the picture is turned, where it is scaled: the turn is then one of fewer pixels, mostly.
    func sizeBeforeTurn(of size: Size) -> Size { orientation.size(of: self.size(of: size)) }

    /// What is needed of a picture so that the result loses nothing: as many pixels of both sides as it shows, so that
    /// a decoder in front may reduce as much as it can.
    func want(_ downstream: Want) -> Want {
        var want = Want(maxRate: downstream.maxRate, lumaOnly: downstream.lumaOnly)
        // What the result needs across and down.
        var needed: (columns: Int?, rows: Int?) =
            switch (width, height) {
            // Of what has bars one side is enough, and across is never too few.
            case (let width?, .some) where fit == .contain: (width, nil)
            case (nil, nil): (maxWidth ?? downstream.maxWidth, downstream.maxWidth == nil ? nil : downstream.maxHeight)
            default: (width, height)
            }
        if orientation.transposes { needed = (needed.rows, needed.columns) }
        guard needed.columns != nil || needed.rows != nil else { return want }
        func whole(_ side: Int, _ share: Double) -> Int { Int((Double(side) / share).rounded(.up)) }
        want.maxWidth = needed.columns.map { whole($0, crop?.width ?? 1) } ?? 1
        want.maxHeight = needed.rows.map { whole($0, crop?.height ?? 1) }
        return want
    }

    /// Where what was found in a picture is in the result; nil of what was cut off.
    func place(of region: Region, in size: Size) -> Region? {
        let part = part(of: size)
        let target = sizeBeforeTurn(of: size)
        let ways = FitGeometry(from: part.size, to: target, fit)
        func moved(
            _ from: Double, _ length: Double, _ side: Int, _ taken: (start: Int, length: Int),
            _ put: (start: Int, length: Int), _ total: Int
        ) -> (from: Double, length: Double) {
            func place(_ share: Double) -> Double {
                let inside = (share * Double(side) - Double(taken.start)) / Double(taken.length)
                return (min(1, max(0, inside)) * Double(put.length) + Double(put.start)) / Double(total)
            }
            return (place(from), place(from + length) - place(from))
        }
        let across = moved(
            region.x, region.width, size.width, (part.x + ways.source.x, ways.source.width),
            (ways.target.x, ways.target.width), target.width)
        let down = moved(
            region.y, region.height, size.height, (part.y + ways.source.y, ways.source.height),
            (ways.target.y, ways.target.height), target.height)
        guard across.length > 0, down.length > 0 else { return nil }
        var place = region
        (place.x, place.width, place.y, place.height) = (across.from, across.length, down.from, down.length)
        return orientation.place(of: place)
    }
}

/// Quarter turns clockwise, as an option.
enum TurnChoice: String, OptionChoice {
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"

    var quarters: Int {
        switch self {
        case .quarter: 1
        case .half: 2
        case .threeQuarters: 3
        }
    }
}

/// Along which line a picture is mirrored, as an option.
enum FlipChoice: String, OptionChoice {
    /// Left and right change places.
    case horizontal
    /// Top and bottom change places.
    case vertical
}

extension Orientation {
    /// Turns first, then mirrors.
    init(_ turn: TurnChoice?, _ flip: FlipChoice?) {
        self.init(quarters: turn?.quarters ?? 0, flipsX: flip == .horizontal, flipsY: flip == .vertical)
    }
}
