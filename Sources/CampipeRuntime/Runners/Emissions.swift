import CampipeKit

/// What became of a node's inputs on each of its outputs, but for the one that tells what befalls the node; the gaps that
/// answer for them go behind the items.
struct Emissions {
    private var ledgers: [EmissionLedger] = []

    init() {}

    /// - Parameters:
    ///   - supervision: Which output tells what befalls the node: the last one, if any.
    ///   - holds: How many of its latest inputs the node may keep back.
    ///   - reason: Why an input is missing that it neither emits nor holds.
    init(_ ports: OutputPorts, supervision: Int?, holds: Int, reason: DropReason) {
        ledgers = ports.ports.prefix(supervision ?? .max).map { _ in EmissionLedger(holds: holds, reason: reason) }
    }

    /// The node may keep back so many now; while it holds nothing.
    mutating func setHolds(_ holds: Int) { for index in ledgers.indices { ledgers[index].holds = holds } }

    /// The node took an item.
    @inline(__always)
    mutating func consumed(captured: Instant, _ ports: OutputPorts) {
        account(ports) { ledger, emitted in ledger.consumed(captured: captured, emitted: emitted) }
    }

    /// A gap came in the place of items.
    mutating func gapCame(_ gap: Gap, _ ports: OutputPorts) { account(ports) { ledger, _ in ledger.gapCame(gap) } }

    /// The node was woken, and emitted what it wanted to say.
    mutating func woke(_ ports: OutputPorts) {
        account(ports) { ledger, emitted in
            ledger.woke(emitted: emitted)
            return nil
        }
    }

    /// The node holds nothing any more.
    mutating func drained(_ ports: OutputPorts) {
        account(ports) { ledger, emitted in ledger.drained(emitted: emitted) }
    }

    /// Tells each output's ledger what happened, and puts the gap that follows behind the items.
    @inline(__always)
    private mutating func account(_ ports: OutputPorts, _ change: (inout EmissionLedger, Int) -> Gap?) {
        for port in ledgers.indices {
            if let gap = change(&ledgers[port], ports.ports[port].emitted) { ports.append(gap: gap, port: port) }
        }
    }
}
