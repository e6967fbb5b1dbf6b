// Whoever adds a requirement to a protocol here gives it a default in an extension, so that nodes outside the tree still
// build: CONTRIBUTING.md, "How to add".

/// A source, a transform, a join or a sink: an ordinary struct, touched only in its turns.
///
/// No locks, no actors: one runner touches a node at a time. The rules that a node must keep are numbered in
/// docs/node-contract.md; the conformance suite checks them.
public protocol Node: SendableMetatype {
    /// Makes a node with its default options; no effects, since it is called to learn the options too.
    init()

    /// Its type in a pipeline file, in snake_case.
    static var name: String { get }
    /// One line about it.
    static var summary: String { get }
    /// Where its turns run.
    static var execution: Execution { get }
    /// The kinds of event that it tells through `context.events`, beside those that the runtime tells of it.
    static var tells: [EventKind] { get }

    /// Checks what single options cannot say: one needs another, a text has an unknown field. No effects.
    func check(at path: FaultPath, into faults: inout [Fault])
    /// Checks its options against what its inputs name: a text asks for a node's events that do not come here.
    ///
    /// - Parameter inputs: The ids that each input names, or patterns with `*`, by the input's name; in the file's order.
    func check(inputs: [String: [String]], at path: FaultPath, into faults: inout [Fault])
    /// What it would have for itself alone once opened: an HTTP path, a file pattern; two nodes with the same are a
    /// fault.
    var resources: [NodeResource] { get }
    /// Whether it covers parts of the picture for good: a branch past it is then pointed out.
    var masksPictures: Bool { get }

    /// Acquires what it needs. Called once; a node that failed is replaced, not opened again.
    ///
    /// - Throws: `CampipeError`; its kind says whether trying again soon is of any use. `finish` is not called then.
    mutating func open(_ context: borrowing Context) throws
    /// Releases what it acquired: called exactly once if and only if `open` returned.
    ///
    /// - Throws: `CampipeError`, which is told as a warning; nothing is tried again.
    mutating func finish() throws
    /// Learns what was dropped on its main input, once a gap, in order with the items.
    mutating func gap(_ gap: Gap)
}

extension Node {
    public static var execution: Execution { .pool }
    public static var tells: [EventKind] { [] }
    public func check(at path: FaultPath, into faults: inout [Fault]) {}
    public func check(inputs: [String: [String]], at path: FaultPath, into faults: inout [Fault]) {}
    public var resources: [NodeResource] { [] }
    public var masksPictures: Bool { false }
    public mutating func open(_ context: borrowing Context) throws {}
    public mutating func finish() throws {}
    public mutating func gap(_ gap: Gap) {}
}

/// Where a node's turns run.
public enum Execution: String, Sendable, Codable {
    /// On the shared pool; a turn must not block.
    case pool
    /// On a thread of its own; a turn may block.
    case ownThread
}

/// Something that only one node can have.
public struct NodeResource: Hashable, Sendable {
    /// What it is.
    public enum Kind: String, Sendable {
        /// A path of the web server.
        case httpPath
        /// A pattern of names of files.
        case filePattern
        /// The terminal that the process runs in.
        case terminal
    }
    /// What it is.
    public var kind: Kind
    /// The path or the pattern; two nodes with the same are a fault.
    public var name: String
    /// The option that names it, so that a fault points there.
    public var option: String

    public init(_ kind: Kind, _ name: String, option: String) {
        self.kind = kind
        self.name = name
        self.option = option
    }
}

/// What a node wants after a turn.
public enum Next: Hashable, Sendable {
    /// Call again as soon as there is room.
    case more
    /// Call again when the waker says so.
    case wait
    /// Call again at this instant, or when the waker says so. It says nothing of why: a source for which nothing is due
    /// before then calls `Output.rest(until:)` too.
    case waitUntil(Instant)
    /// There will be nothing more; of a sink: it wants nothing more.
    case ended
}

/// Something that items come from.
public protocol Source: Node {
    /// Its outputs, the main one first.
    static var outputs: [any AnyPort] { get }
    /// Whether pausing it loses data. It may depend on the options.
    var isLive: Bool { get }
    /// What its main output will carry, as far as the options tell.
    var format: Format? { get }
    /// Whether these options mean this type, where several types of source share a name: `test_pattern` makes frames,
    /// or with `kind: empty` packets. By default whether `format` is of the kind of the main output.
    var applies: Bool { get }
    /// Emits what is there; called only when there is room. One call hands on a few items at most.
    ///
    /// - Returns: When it is to be called again. A source that waits for a time of its own tells `output.rest(until:)` as
    ///   well, so that its silence is no stall.
    /// - Throws: `CampipeError`; what is live is then opened anew after 0.5 s to 30 s, and what is not has failed.
    mutating func next(to output: inout Output) throws -> Next
}

extension Source {
    public var isLive: Bool { true }
    public var format: Format? { nil }
    public var applies: Bool { format.map { $0.kind == Self.outputs.first?.descriptor.kind } ?? true }
}

/// Something that turns the items of one input into others.
public protocol Transform: Node {
    associatedtype Input: Item = Frame
    /// What the input accepts.
    static var accepts: [Format] { get }
    /// Its outputs, the main one first; by default one of the input's kind.
    static var outputs: [any AnyPort] { get }
    /// Which conversion it is, when the runtime may put it in by itself.
    static var role: ConverterRole? { get }
    /// How many items it may keep back at most.
    var holds: Int { get }
    /// Why an input is missing that it neither emits nor holds: by default `.filtered`.
    static var omits: DropReason { get }

    /// What comes out when this goes in.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` or `.unsupported` when it cannot work with that.
    func output(for input: Format) throws -> Format
    /// What it asks of its input so that `downstream` can be had; by default on or off and the rate only.
    func want(_ downstream: Want) -> Want
    /// Learns that the input's format begins or changes; what was held has been drained.
    mutating func begin(_ input: Format) throws
    /// Takes an item, and emits what comes of it, now or later.
    ///
    /// - Parameter item: Of the format that `begin` was told of last. Hand on what you were given rather than a copy of it: a
    ///   frame that nobody else holds is then worked on in place.
    /// - Throws: `CampipeError`: the item is lost and leaves a gap `failed`. Of kind `.badData` the node goes on with the
    ///   next; else the file's `on_error` decides, by default a new instance after 0.5 s to 30 s.
    mutating func process(_ item: consuming Input, to output: inout Output) throws
    /// Called when the waker called, for what has to be said though no item comes; may emit, behind all that it emitted
    /// before. Whoever wants to be called at some time asks the clock for it, with its waker.
    mutating func wake(to output: inout Output) throws
    /// Emits what it holds: at the end, and before the format changes. `begin` or `finish` comes next.
    mutating func drain(to output: inout Output) throws
}

extension Transform {
    public static var accepts: [Format] { [Input.kind.anyFormat] }
    public static var outputs: [any AnyPort] { [Out<Input>("out")] }
    public static var role: ConverterRole? { nil }
    public var holds: Int { 0 }
    public static var omits: DropReason { .filtered }
    public func output(for input: Format) throws -> Format { input }
    public func want(_ downstream: Want) -> Want { Want(maxRate: downstream.maxRate) }
    public mutating func begin(_ input: Format) throws {}
    public mutating func wake(to output: inout Output) throws {}
    public mutating func drain(to output: inout Output) throws {}
}

/// The conversions that a link may need, each done by one registered transform.
public enum ConverterRole: String, Sendable, CaseIterable, Codable {
    /// Packets to frames.
    case decode
    /// Frames to frames of another size or layout.
    case convert
    /// Frames to packets.
    case encode
}

/// Something that goes with a primary stream and looks at others beside it.
///
/// The runtime aligns the sides to the primary by `captured`: when an item of the primary comes, each side has handed
/// over all that it captured up to then, or has ended, or (live) did not deliver within `join_wait`.
public protocol Join: Node {
    associatedtype Primary: Item = Frame
    /// Its inputs, the primary first.
    static var inputs: [any AnyPort] { get }
    /// Its outputs, the main one first; by default one of the primary's kind.
    static var outputs: [any AnyPort] { get }
    /// What comes out when this goes into the primary input; by default the same.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` or `.unsupported` when it cannot work with that.
    func output(for input: Format) throws -> Format
    /// What it asks of its primary input so that `downstream` can be had; by default on or off and the rate only.
    func want(_ downstream: Want) -> Want
    /// Learns that the primary's format begins or changes.
    mutating func begin(_ input: Format) throws
    /// Takes an item of the primary, with what the sides captured since the one before, and emits what comes of it.
    ///
    /// - Parameters:
    ///   - primary: Of the format that `begin` was told of last.
    ///   - side: By the node's own ports: `side.events(Self.events)`, `side.latest(Self.logo)`. An input that is not connected
    ///     has nothing.
    /// - Throws: As `Transform.process`.
    mutating func process(_ primary: consuming Primary, with side: borrowing Sides, to output: inout Output) throws
    /// Emits what it holds: at the end, and before the format changes.
    mutating func drain(to output: inout Output) throws
}

extension Join {
    public static var outputs: [any AnyPort] { [Out<Primary>("out")] }
    public func output(for input: Format) throws -> Format { input }
    public func want(_ downstream: Want) -> Want { Want(maxRate: downstream.maxRate) }
    public mutating func begin(_ input: Format) throws {}
    public mutating func drain(to output: inout Output) throws {}
}

/// What the sides of a join captured since the primary item before, up to the one at hand.
public struct Sides: ~Copyable {
    package let names: [String]
    package let items: [[ItemStorage]]

    package init(names: [String], items: [[ItemStorage]]) {
        self.names = names
        self.items = items
    }

    /// The items of an input, oldest first; empty when it is not connected.
    public borrowing func items<T: Item>(_ port: In<T>) -> [T] {
        guard let index = names.firstIndex(of: port.name) else { return [] }
        return items[index].map { T(storage: $0) }
    }

    /// The events of an input, oldest first.
    public borrowing func events(_ port: In<Event>) -> [Event] { items(port) }

    /// The newest item of an input since the primary item before.
    public borrowing func latest<T: Item>(_ port: In<T>) -> T? { items(port).last }
}

/// Something that items end in.
public protocol Sink: Node {
    associatedtype Input: Item = Frame
    /// Its inputs, the main one first.
    static var inputs: [any AnyPort] { get }
    /// The deadline it has when the file does not say: glass to sink.
    static var lateAfter: Duration? { get }
    /// What it wants from the start; nil wants nothing until `context.demand` says otherwise.
    var want: Want? { get }
    /// Codings that it takes and makes others of itself, decoding and encoding each picture: an `encode` in front that
    /// makes one of them is then pointed out.
    var recodes: [Coding: Coding] { get }
    /// How many different wants of its subscriptions, rates aside, are made at once: the next gets the nearest. nil
    /// leaves it to the runtime.
    var maxVariants: Int? { get }
    /// Whether each item becomes a file of its own: of a live camera that is pointed out.
    var writesEachItem: Bool { get }
    /// Whether it takes its `when` itself (through `gate`), since it keeps what came before or after.
    static var keepsHistory: Bool { get }
    /// Whether it connects to somebody with its first item: until it has taken one it is `connecting`, and a cause that
    /// it fails for again and again is said once.
    static var connects: Bool { get }

    /// Learns that the main input's format begins or changes.
    mutating func begin(_ input: Format) throws
    /// Takes an item of the main input.
    ///
    /// - Returns: `.more` when it is ready for the next. `.wait` and `.waitUntil` hold the next ones back, on the link,
    ///   until the waker calls or the instant comes; a sink that only wants to be called at some time asks the clock
    ///   for it, with its waker, and returns `.more`. `.ended` wants nothing more.
    /// - Throws: As `Transform.process`; a recorder that loses more than the item at hand says how many (`lostItems`).
    mutating func consume(_ item: consuming Input) throws -> Next
    /// Takes an item of another input; these are not aligned.
    mutating func consume<T: Item>(_ item: consuming T, on port: In<T>) throws -> Next
    /// Called when the waker called, or at the instant that `consume` asked for; returns as `consume` does.
    mutating func wake() throws -> Next
    /// Learns that its `when` became true or false; with `keepsHistory` in order with the items, by `captured`. It is
    /// false at the start.
    mutating func gate(_ change: GateChange) throws
}

extension Sink {
    public static var inputs: [any AnyPort] { [In<Input>("input")] }
    public static var lateAfter: Duration? { nil }
    public var want: Want? { .all }
    public var recodes: [Coding: Coding] { [:] }
    public var maxVariants: Int? { nil }
    public var writesEachItem: Bool { false }
    public static var keepsHistory: Bool { false }
    public static var connects: Bool { false }
    public mutating func begin(_ input: Format) throws {}
    public mutating func consume<T: Item>(_ item: consuming T, on port: In<T>) throws -> Next { .more }
    public mutating func wake() throws -> Next { .more }
    public mutating func gate(_ change: GateChange) throws {}
}

/// A node's `when` that became true or false.
public struct GateChange: Sendable {
    /// Whether it is true now.
    public var isOpen: Bool
    /// From when on: compare it with `captured` of the items.
    public var at: Instant
    /// The event that did it.
    public var event: Event?
    public init(isOpen: Bool, at: Instant, event: Event?) {
        self.isOpen = isOpen
        self.at = at
        self.event = event
    }
}
