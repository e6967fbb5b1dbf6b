/// Something that makes one stream of several at a rate of its own: a join of which no input sets the pace.
///
/// The runtime calls `mix` on a grid of the pipeline's time, `rate` times a second: of what is live when the clock
/// says so, with the newest that is there; of what is not live when each input has brought all that it captured up to
/// then, or has ended. While nobody wants what comes out it is not called.
public protocol Mixer: Node {
    associatedtype Part: Item = Frame
    /// Its inputs: one that takes many.
    static var inputs: [any AnyPort] { get }
    static var outputs: [any AnyPort] { get }
    /// The deadline of what it takes, from the light on, when it is live.
    static var lateAfter: Duration? { get }
    /// Calls a second; it may depend on the options.
    var rate: Double { get }
    /// What comes out.
    var format: Format { get }
    /// What it asks of each of so many inputs so that `downstream` can be had.
    func want(_ downstream: Want, ofEachOf count: Int) -> Want
    /// Takes what came since the call before, and emits at most one item, captured at `instant`.
    mutating func mix(_ parts: borrowing Parts, at instant: Instant, to output: inout Output) throws
}

extension Mixer {
    public static var inputs: [any AnyPort] { [In<Part>("inputs", many: true)] }
    public static var outputs: [any AnyPort] { [Out<Part>("out")] }
    public static var lateAfter: Duration? { nil }
    public func want(_ downstream: Want, ofEachOf count: Int) -> Want { Want(maxRate: rate) }
}

/// What the inputs of a mixer brought since the call before; in the order in which the file names them.
public struct Parts: ~Copyable {
    /// What came of one input since the last tick, and in which condition it is.
    package struct Part {
        package var newest: ItemStorage?
        package var condition: Condition

        package init(_ newest: ItemStorage? = nil, _ condition: Condition = .flowing) {
            self.newest = newest
            self.condition = condition
        }
    }

    /// How an input is.
    public enum Condition: Sendable {
        /// It brings items, as far as is known.
        case flowing
        /// Its camera was lost, and nothing has come since.
        case lost
        /// Nothing more comes.
        case ended
    }

    private let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// How many inputs there are.
    public var count: Int { parts.count }
    /// The newest item that an input brought since the call before; nil when there is none.
    public borrowing func newest<T: Item>(_ index: Int, as type: T.Type = T.self) -> T? {
        parts[index].newest.map { T(storage: $0) }
    }
    /// How an input is.
    public borrowing func condition(_ index: Int) -> Condition { parts[index].condition }
}

/// What feeds one reference of a node's main input.
public struct Feed: Hashable, Sendable {
    /// The node that is named.
    public var id: String
    /// The source behind it.
    public var source: String
    /// The camera of the template that the node came from, if any.
    public var camera: String?
    /// Whether the file switches it off.
    public var isOff: Bool

    public init(id: String, source: String? = nil, camera: String? = nil, isOff: Bool = false) {
        self.id = id
        self.source = source ?? id
        self.camera = camera
        self.isOff = isOff
    }
}
