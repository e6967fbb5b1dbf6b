internal import CampipeKit

/// Which keys stand in a map and in the maps inside it, for one that was written into the wrong one of them.
struct KeyPlaces {
    private struct Place {
        /// The keys that lead to it from the outermost map.
        var steps: [String]
        var keys: [String]
    }

    /// The outermost first.
    private var places: [Place] = []

    /// - Parameter keys: Of the outermost map.
    init(_ keys: [String]) { places = [Place(steps: [], keys: keys)] }

    /// Adds a map inside.
    mutating func add(_ keys: [String], at steps: [String]) { places.append(Place(steps: steps, keys: keys)) }

    /// Adds the maps that options are.
    mutating func add(_ schemas: [OptionSchema], at steps: [String] = []) {
        for schema in schemas {
            guard case .group(let inner) = schema.type else { continue }
            add(inner.map(\.key), at: steps + [schema.key])
            add(inner, at: steps + [schema.key])
        }
    }

    /// Where a key belongs that the map at `steps` does not know; nil when no other knows it.
    func fix(for key: String, in steps: [String]) -> String? {
        let holders = places.filter { $0.steps != steps && $0.keys.contains(key) }
        let around = holders.filter { steps.starts(with: $0.steps) }
        if let nearest = around.max(by: { $0.steps.count < $1.steps.count }) {
            return "it belongs beside \"\(steps[nearest.steps.count])\", not under it"
        }
        return holders.first?.steps.last.map { "it belongs under \"\($0)\"" }
    }

    /// A fault of an unknown key, when another of these maps knows it, with that for its fix.
    ///
    /// - Parameter base: The path of the outermost map.
    func moved(_ fault: Fault, from base: FaultPath) -> Fault {
        guard fault.code == .unknownKey, fault.path.steps.starts(with: base.steps) else { return fault }
        var steps = fault.path.steps.dropFirst(base.steps.count).compactMap { step -> String? in
            if case .key(let key) = step { key } else { nil }
        }
        guard let key = steps.popLast(), !steps.isEmpty else { return fault }
        var fault = fault
        let own = places.first { $0.steps == steps }?.keys ?? []
        if let meant = ForeignWord.key(key, among: own) {
            fault.fix = "did you mean \"\(meant)\"?"
            return fault
        }
        guard let fix = fix(for: key, in: steps) else { return fault }
        fault.code = .misplacedKey
        fault.sentence = "\"\(key.prefix(80))\" does not stand here"
        fault.fix = fix
        return fault
    }

    /// The keys of the outermost map that stand in one inside which does not know them.
    func misplaced(in entries: [LocatedValue.Entry]) -> [String] {
        guard let outermost = places.first else { return [] }
        return entries.flatMap { entry -> [String] in
            guard let place = places.first(where: { $0.steps == [entry.key] }) else { return [] }
            return (entry.value.entries ?? []).map(\.key).filter {
                !place.keys.contains($0) && outermost.keys.contains($0)
            }
        }
    }
}
