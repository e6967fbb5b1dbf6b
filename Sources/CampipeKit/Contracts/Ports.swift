/// How a consumer would rather lose: `.fresh` wants the newest, `.complete` wants all.
public enum Taste: String, Sendable, Codable {
    /// The default: viewers, detectors, terminals.
    case fresh
    /// Recordings and whatever publishes.
    case complete
}

/// A typed input of a node, a `static let` of its type.
///
///     static let events = In<Event>("events", optional: true, many: true)
public struct In<T: Item>: Sendable {
    /// In snake_case: the key in the pipeline file.
    public let name: String
    /// Whether the node works without it.
    public let isOptional: Bool
    /// Whether it takes several references, as a list.
    public let takesMany: Bool
    /// How many references it takes, where it takes several.
    public let counts: ClosedRange<Int>?
    /// How it would rather lose.
    public let taste: Taste
    /// Whether it brings only what `Want.input` asks for; else all comes while the node is wanted. For sinks, beside
    /// the main input.
    public let isOnDemand: Bool
    /// What may come; what does not fit is decoded or converted in front of it, or refused when the file is checked.
    public let accepts: [Format]

    public init(
        _ name: String, optional: Bool = false, many: Bool = false, counts: ClosedRange<Int>? = nil,
        taste: Taste = .fresh, onDemand: Bool = false, accepts: [Format]? = nil
    ) {
        self.name = name
        isOptional = optional
        takesMany = many
        self.counts = counts
        self.taste = taste
        isOnDemand = onDemand
        self.accepts = accepts ?? [T.kind.anyFormat]
    }
}

/// A typed output of a node, a `static let` of its type.
public struct Out<T: Item>: Sendable {
    /// In snake_case: what stands behind the point in `watch.events`.
    public let name: String
    /// What it carries, as far as the type knows.
    public let format: Format
    /// Whether a reference must name it: it is never what the node's id alone means.
    public let isByName: Bool
    /// Of events: the kinds that may come; nil where that is not known.
    public let tells: [EventKind]?

    public init(_ name: String, format: Format? = nil, byName: Bool = false, tells: [EventKind]? = nil) {
        self.name = name
        self.format = format ?? T.kind.anyFormat
        isByName = byName
        self.tells = tells
    }
}

/// An input or an output, whatever its item.
public protocol AnyPort: Sendable {
    var descriptor: PortDescriptor { get }
}

/// A port, as a value.
public struct PortDescriptor: Hashable, Sendable, Codable {
    public var name: String
    public var kind: ItemKind
    public var isOptional = false
    public var takesMany = false
    /// How many references an input takes that takes several; nil is any number.
    public var counts: ClosedRange<Int>? = nil
    public var taste = Taste.fresh
    /// Of an input of a sink: whether it brings only what is asked for with its name.
    public var isOnDemand = false
    /// Of an output: whether only its name means it, never the node's id alone.
    public var isByName = false
    /// Of an output of events: the kinds that may come; nil where that is not known.
    public var tells: [EventKind]? = nil
    /// What an input accepts; what an output may carry, as far as the type knows.
    public var formats: [Format]
}

extension In: AnyPort {
    public var descriptor: PortDescriptor {
        PortDescriptor(
            name: name, kind: T.kind, isOptional: isOptional, takesMany: takesMany, counts: counts, taste: taste,
            isOnDemand: isOnDemand,
            formats: accepts)
    }
}

extension Out: AnyPort {
    public var descriptor: PortDescriptor {
        PortDescriptor(name: name, kind: T.kind, isByName: isByName, tells: tells, formats: [format])
    }
}

extension ItemKind {
    /// Any format of this kind.
    public var anyFormat: Format {
        switch self {
        case .packet: .packets(.any)
        case .frame: .frames(.any)
        case .event: .events
        }
    }
}
