/// What a node hands on during one turn. It lives for the turn, so nothing can be emitted later.
public struct Output: ~Copyable {
    let ports: OutputPorts

    package init(_ ports: OutputPorts) { self.ports = ports }

    /// Hands an item on through the main output, the first one declared.
    @inlinable public mutating func emit<T: Item>(_ item: consuming T) {
        emit(storage: item.storage, port: 0, kind: T.kind)
    }

    /// Hands an item on through an output by name.
    public mutating func emit<T: Item>(_ item: consuming T, on port: Out<T>) {
        emit(storage: item.storage, port: ports.index(port.name), kind: T.kind)
    }

    /// Says of a source's stream what was removed before it became an item, or that the camera was lost; counted.
    public mutating func gap(_ gap: Gap, on port: Int = 0) {
        if gap.count > 0, let reason = gap.reasons.list.first { ports.removed.append((reason, gap.count)) }
        ports.append(gap: gap, port: port)
    }

    /// Says of a transform why it makes nothing of the input at hand, and never will; counted. Its gap comes by itself.
    public mutating func omit(_ reason: DropReason) { ports.removed.append((reason, 1)) }

    /// Tells what the stream is before its first item is there.
    public mutating func format(_ format: Format, on port: Int = 0) { ports.announce(format, port: port) }

    /// Says of a source that it is well, and that nothing is due before `instant`: until then, and for the time of a stall
    /// after it (`stall_after`, by default 5 s), silence is no stall.
    ///
    /// Whoever waits for a time of its own says so, beside `.waitUntil`, which only says when it is to be called again: a
    /// live source that is silent for 5 s, or for three of its usual intervals, counts as lost otherwise, and is opened
    /// anew. Whoever waits for somebody else, such as a camera, says it only when the other side said so. The next item
    /// ends the rest.
    ///
    /// - Parameter instant: On the pipeline's clock (`context.clock`).
    public mutating func rest(until instant: Instant) { ports.restsUntil = instant }

    /// Whether anybody wants what this output carries now; making it otherwise is wasted, not wrong.
    public func isWanted(_ port: Int = 0) -> Bool { ports.isWanted(port) }
    /// Whether anybody takes from this output now.
    public func isWanted<T: Item>(_ port: Out<T>) -> Bool { ports.isWanted(ports.index(port.name)) }

    /// How many items were emitted in this turn so far.
    public var count: Int { ports.emitted }

    @usableFromInline mutating func emit(storage: consuming ItemStorage, port: Int, kind: ItemKind) {
        ports.append(storage, port: port, kind: kind)
    }
}

/// The outputs of one node during its turns: what was emitted waits here until the runtime puts it on the links.
///
/// Touched only in the node's turns. For the runtime and the harness.
package final class OutputPorts {
    /// What was emitted on one output in this turn, and what its links were told.
    package struct Port {
        package let descriptor: PortDescriptor
        /// The format last announced.
        package var format: Format?
        fileprivate var formatToken: UInt = 0
        package var isWanted = true
        /// Items and controls since the last flush, in order.
        package let items = ItemBuffer()
        package var controls: [(at: Int, Control)] = []
        /// Items and gap counts since the start, for the node's ledger.
        package var emitted = 0

        fileprivate mutating func take(_ storage: consuming ItemStorage) {
            emitted += 1
            items.append(storage)
        }
    }

    package var ports: [Port]
    /// Items emitted in this turn, all ports.
    package var emitted = 0
    /// Until when a source said, in this turn, that nothing is due.
    package var restsUntil: Instant?
    /// Of the items emitted since the runtime last took note, those that are marked as damaged.
    package var damaged = 0
    /// What a node said, in this turn, that it removed.
    package var removed: [(reason: DropReason, count: Int)] = []
    /// Marks that what is made of the item at hand inherits.
    package var inherited: ItemFlags = []

    package init(_ descriptors: [PortDescriptor]) { ports = descriptors.map { Port(descriptor: $0) } }

    func index(_ name: String) -> Int {
        guard let index = ports.firstIndex(where: { $0.descriptor.name == name }) else {
            preconditionFailure("the node has no output \"\(name)\"; declared: \(ports.map(\.descriptor.name))")
        }
        return index
    }

    func isWanted(_ port: Int) -> Bool { port < ports.count && ports[port].isWanted }

    func append(_ storage: consuming ItemStorage, port: Int, kind: ItemKind) {
        precondition(port < ports.count, "the node emits but declares no output")
        precondition(
            ports[port].descriptor.kind == kind,
            "output \"\(ports[port].descriptor.name)\" carries \(ports[port].descriptor.kind.plural), emitted a \(kind)"
        )
        if !inherited.isEmpty, !storage.flags.isSuperset(of: inherited) {
            if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
            storage.flags.formUnion(inherited)
        }
        if storage.flags.contains(.damaged) { damaged += 1 }
        let token = storage.formatToken
        if token == 0 || token != ports[port].formatToken {
            if !storage.hasFormat(ports[port].format) { announce(storage.streamFormat, port: port) }
            // The format is kept with its facts, so that the token stays theirs.
            if token != 0 { ports[port].format = storage.streamFormat }
            ports[port].formatToken = token
        }
        ports[port].take(storage)
        emitted += 1
    }

    /// Has a format stand before what is emitted next.
    package func announce(_ format: Format, port: Int) {
        guard ports[port].format != format else { return }
        ports[port].format = format
        ports[port].formatToken = 0
        ports[port].controls.append((ports[port].items.count, .format(format)))
    }

    /// Has a gap stand before what is emitted next.
    package func append(gap: Gap, port: Int) {
        ports[port].controls.append((ports[port].items.count, .gap(gap)))
    }

    /// Ends all outputs.
    package func append(end cause: EndCause?) {
        for port in ports.indices { ports[port].controls.append((ports[port].items.count, .end(cause))) }
    }
}
