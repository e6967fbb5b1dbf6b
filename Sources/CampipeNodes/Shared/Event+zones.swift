import CampipeKit

extension Event {
    /// The polygons under `zones` of the payload: where the node looks.
    var zones: [[Polygons.Point]] {
        guard case .list(let zones)? = payload["zones"] else { return [] }
        return zones.compactMap { zone in
            guard case .list(let points) = zone else { return nil }
            return points.compactMap { point in
                guard case .list(let pair) = point, pair.count == 2, let x = pair[0].share, let y = pair[1].share
                else { return nil }
                return Polygons.Point(x: x, y: y)
            }
        }
    }
}

extension Polygons {
    /// As they stand in a payload under `zones`.
    var eventValue: EventValue {
        .list(list.map { .list($0.map { .list([.number($0.x), .number($0.y)]) }) })
    }
}

extension EventValue {
    /// A number from 0 to 1.
    fileprivate var share: Double? {
        let number: Double? =
            switch self {
            case .number(let number): number
            case .integer(let number): Double(number)
            default: nil
            }
        return number.flatMap { (0...1).contains($0) ? $0 : nil }
    }
}
