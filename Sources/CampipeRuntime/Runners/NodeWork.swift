import CampipeKit

/// What an instance of a transform, a join or a sink was told and made: begins, drains and wakes it, and accounts for its
/// inputs, so that each that it neither emits nor keeps back leaves a gap behind what it emitted.
struct NodeWork {
    private let contract: NodeDescriptor.Contract
    private var emissions = Emissions()
    /// Under which reason what it leaves out on purpose is counted, where it has one of its own.
    private(set) var omits: DropReason?
    /// Whether the instance was told a format.
    private(set) var hasBegun = false

    init(_ contract: NodeDescriptor.Contract) { self.contract = contract }

    /// A new instance was opened.
    mutating func opened(_ box: NodeBox) {
        hasBegun = false
        emissions = Emissions(
            box.ports, supervision: box.descriptor.supervision, holds: box.holds, reason: box.omits)
        omits = box.omits == .filtered ? nil : box.omits
    }

    /// Tells it the format of its main input, and its output the one that follows.
    ///
    /// - Throws: What the node throws, or `.configuration` when it does not take the format.
    mutating func begin(_ format: Format, _ box: NodeBox) throws {
        guard let input = box.descriptor.mainInput, input.formats.contains(where: { $0.accepts(format) }) else {
            throw CampipeError(
                .configuration,
                "takes \(box.descriptor.mainInput?.formats.map(\.description) ?? []), found \(format)")
        }
        try box.begin(format)
        hasBegun = true
        emissions.setHolds(box.holds)
        guard contract != .sink else { return }
        box.ports.announce(try box.output(for: format), port: 0)
    }

    /// It took an item.
    @inline(__always)
    mutating func took(_ captured: Instant, _ box: NodeBox) {
        if contract != .sink { emissions.consumed(captured: captured, box.ports) }
    }

    /// Tells it of a gap in its main input, and whoever takes what it makes.
    mutating func pass(_ gap: Gap, _ box: NodeBox) {
        box.gap(gap)
        emissions.gapCame(gap, box.ports)
    }

    /// Tells those alone who take what it makes: it failed at what is missing, or is not there to hear of it.
    mutating func lose(_ gap: Gap, _ box: NodeBox) { emissions.gapCame(gap, box.ports) }

    /// Has a transform say what it has to say though no item comes.
    mutating func wake(_ box: NodeBox) throws {
        var output = Output(box.ports)
        try box.wake(to: &output)
        emissions.woke(box.ports)
    }

    /// Has it emit what it holds.
    mutating func drain(_ box: NodeBox) throws {
        guard contract != .sink else { return }
        defer { emissions.drained(box.ports) }
        var output = Output(box.ports)
        try box.drain(to: &output)
    }

    /// The instance is gone, with what it held.
    mutating func dropped(_ box: NodeBox) { emissions.drained(box.ports) }
}
