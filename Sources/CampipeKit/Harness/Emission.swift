/// What came out of a node, in order, as a value that tests compare.
public enum Emission: Hashable, Sendable {
    /// The stream's format began or changed.
    case format(Format)
    /// An item that was captured then.
    case item(Instant)
    /// Items are missing there.
    case gap(Gap)
    /// The stream ended; with a cause where a node failed.
    case end(EndCause?)
}

/// What came out of one output of a node under test.
struct EmissionRecord {
    let port: PortDescriptor
    /// Items that nobody took yet.
    private(set) var items: [ItemStorage] = []
    /// All that came since the start.
    private(set) var emissions: [Emission] = []

    init(_ port: PortDescriptor) { self.port = port }

    /// Moves what waits in an output of the node here; no reference stays behind.
    mutating func take(_ from: inout OutputPorts.Port) {
        var controls = from.controls[...]
        let taken = (0..<from.items.count).compactMap { from.items.take($0) }
        for (index, item) in taken.enumerated() {
            while let control = controls.first, control.at <= index {
                append(control.1)
                controls.removeFirst()
            }
            emissions.append(.item(item.captured))
        }
        items.append(contentsOf: taken)
        for control in controls { append(control.1) }
        from.items.removeAll()
        from.controls = []
    }

    mutating func append(_ gap: Gap) { emissions.append(.gap(gap)) }

    /// Hands the items over, so that whoever gets them holds the only reference.
    mutating func takeItems() -> [ItemStorage] {
        defer { items = [] }
        return items
    }

    private mutating func append(_ control: Control) {
        switch control {
        case .format(let format): emissions.append(.format(format))
        case .gap(let gap): emissions.append(.gap(gap))
        case .end(let cause): emissions.append(.end(cause))
        }
    }
}
