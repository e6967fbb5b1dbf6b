/// Holds one node of any type, for its runner: the border between typed nodes and the runtime that moves headers.
///
/// Touched by one thread at a time: whoever runs the node's turns. Which calls make sense depends on the contract; the
/// others trap.
public class NodeBox {
    public let descriptor: NodeDescriptor
    /// Where what the node emits waits for the runtime.
    package final let ports: OutputPorts

    init(_ descriptor: NodeDescriptor) {
        self.descriptor = descriptor
        ports = OutputPorts(descriptor.outputs)
    }

    package func open(_ context: borrowing Context) throws { wrongContract() }
    package func finish() throws { wrongContract() }
    package func gap(_ gap: Gap) { wrongContract() }

    /// Of a source: emits what is there.
    package func next(to output: inout Output) throws -> Next { wrongContract() }

    /// Of a transform: how many items it may keep back.
    package var holds: Int { 0 }
    package var omits: DropReason { .filtered }
    /// Of a transform or join: what comes out when this goes in.
    package func output(for input: Format) throws -> Format { wrongContract() }
    /// What it asks of its main input so that `downstream` can be had.
    package func want(_ downstream: Want) -> Want { wrongContract() }
    /// The main input's format begins or changes.
    package func begin(_ input: Format) throws { wrongContract() }
    package func process(_ item: consuming ItemStorage, to output: inout Output) throws { wrongContract() }
    package func drain(to output: inout Output) throws { wrongContract() }
    /// Of a transform: its waker called.
    package func wake(to output: inout Output) throws {}

    /// Of a join: an item of the primary with what the sides captured up to it.
    package func process(_ item: consuming ItemStorage, with sides: borrowing Sides, to output: inout Output) throws {
        wrongContract()
    }

    /// Of a mixer: how often a second it is called; nil of every other node.
    package var rate: Double? { nil }
    /// Of a mixer: what its inputs brought since the call before.
    package func mix(_ parts: borrowing Parts, at instant: Instant, to output: inout Output) throws { wrongContract() }
    /// What it asks of each of so many references of its main input.
    package func want(_ downstream: Want, ofEachOf count: Int) -> Want { want(downstream) }

    /// Of a sink: what it wants from the start.
    package var want: Want? { nil }
    package func consume(_ item: consuming ItemStorage, port: Int) throws -> Next { wrongContract() }
    package func wake() throws -> Next { wrongContract() }
    package func gate(_ change: GateChange) throws { wrongContract() }

    private func wrongContract(_ function: StaticString = #function) -> Never {
        preconditionFailure("\(function) called on the \(descriptor.contract) \(descriptor.name)")
    }
}

/// The part of a box that every contract shares.
class TypedBox<N: Node>: NodeBox {
    final var node: N

    init(_ node: sending N, _ descriptor: NodeDescriptor) {
        self.node = node
        super.init(descriptor)
    }

    final override func open(_ context: borrowing Context) throws { try node.open(context) }
    final override func finish() throws { try node.finish() }
    final override func gap(_ gap: Gap) { node.gap(gap) }
}

final class SourceBox<N: Source>: TypedBox<N> {
    override func next(to output: inout Output) throws -> Next { try node.next(to: &output) }
}

final class TransformBox<N: Transform>: TypedBox<N> {
    private let step: Registration.Step<N>

    init(_ node: sending N, _ descriptor: NodeDescriptor, _ step: @escaping Registration.Step<N>) {
        self.step = step
        super.init(node, descriptor)
    }

    override var holds: Int { node.holds }
    override var omits: DropReason { N.omits }
    override func output(for input: Format) throws -> Format { try node.output(for: input) }
    override func want(_ downstream: Want) -> Want { node.want(downstream) }
    override func begin(_ input: Format) throws { try node.begin(input) }
    override func process(_ item: consuming ItemStorage, to output: inout Output) throws {
        try step(&node, consume item, &output)
    }
    override func wake(to output: inout Output) throws { try node.wake(to: &output) }
    override func drain(to output: inout Output) throws { try node.drain(to: &output) }
}

final class JoinBox<N: Join>: TypedBox<N> {
    override func output(for input: Format) throws -> Format { try node.output(for: input) }
    override func want(_ downstream: Want) -> Want { node.want(downstream) }
    override func begin(_ input: Format) throws { try node.begin(input) }
    override func process(_ item: consuming ItemStorage, with sides: borrowing Sides, to output: inout Output) throws {
        try node.process(N.Primary(storage: item), with: sides, to: &output)
    }
    override func drain(to output: inout Output) throws { try node.drain(to: &output) }
}

final class MixerBox<N: Mixer>: TypedBox<N> {
    override var rate: Double? { node.rate }
    override func output(for input: Format) throws -> Format { node.format }
    override func want(_ downstream: Want) -> Want { node.want(downstream, ofEachOf: 1) }
    override func want(_ downstream: Want, ofEachOf count: Int) -> Want { node.want(downstream, ofEachOf: count) }
    override func begin(_ input: Format) throws {}
    override func drain(to output: inout Output) throws {}
    override func mix(_ parts: borrowing Parts, at instant: Instant, to output: inout Output) throws {
        try node.mix(parts, at: instant, to: &output)
    }
}

final class SinkBox<N: Sink>: TypedBox<N> {
    override var want: Want? { node.want }
    override func begin(_ input: Format) throws { try node.begin(input) }
    override func consume(_ item: consuming ItemStorage, port: Int) throws -> Next {
        if port == 0 { return try node.consume(N.Input(storage: item)) }
        return switch N.inputs[port] {
        case let input as In<Packet>: try node.consume(Packet(storage: item), on: input)
        case let input as In<Frame>: try node.consume(Frame(storage: item), on: input)
        case let input as In<Event>: try node.consume(Event(storage: item), on: input)
        default: preconditionFailure("\(N.name) has an input of an unknown kind")
        }
    }
    override func wake() throws -> Next { try node.wake() }
    override func gate(_ change: GateChange) throws { try node.gate(change) }
}
