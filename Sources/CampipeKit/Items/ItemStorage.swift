/// What an item's one reference points to: the header, with what every item has.
///
/// `Packet`, `Frame` and `Event` are structs around one of these; links move nothing else. It is copy-on-write: whoever
/// changes it makes sure first that he holds the only reference, so that crossing threads needs no lock. Not for
/// authors of nodes.
public class ItemStorage: @unchecked Sendable {
    // Changed only through a unique reference (`isKnownUniquelyReferenced`), which the item's struct checks.

    /// When the light arrived, on the pipeline's line.
    public final var captured: Instant
    public final var flags: ItemFlags
    /// What the payload weighs, for the limits of links, in bytes.
    public final var byteCount: Int
    /// Which subscription of a sink this was made for; 0 where there is only one.
    public final var subscription: UInt32

    /// Equal tokens of two items that live are equal formats; 0 says nothing.
    final let formatToken: UInt

    init(captured: Instant, flags: ItemFlags, byteCount: Int, formatToken: UInt) {
        self.formatToken = formatToken
        self.captured = captured
        self.flags = flags
        self.byteCount = byteCount
        subscription = 0
    }

    init(copying other: ItemStorage) {
        captured = other.captured
        flags = other.flags
        byteCount = other.byteCount
        subscription = other.subscription
        formatToken = other.formatToken
    }

    /// A header of its own with the same payload.
    public func copy() -> ItemStorage { fatalError("every kind of item copies itself") }

    /// The stream that it belongs to.
    public var streamFormat: Format { fatalError("every kind of item knows its format") }

    /// Whether it belongs to a stream of this format; cheaper than to make the format first.
    public func hasFormat(_ format: Format?) -> Bool { fatalError("every kind of item knows its format") }

    /// dts of a packet, pts of a frame, since the stream's zero; nil of an event.
    package var streamTime: Duration? { nil }

    /// Moves its times; called through a unique reference.
    package func shift(by offset: Duration, captured: Instant) { self.captured = captured }

    /// What kind of item it belongs to.
    public var kind: ItemKind { fatalError("every kind of item names itself") }
}

/// What links and nodes need to know of an item without looking inside.
public struct ItemFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A packet that decodes alone.
    @inlinable public static var key: ItemFlags { ItemFlags(rawValue: 1 << 0) }
    /// A packet that no other packet needs.
    @inlinable public static var disposable: ItemFlags { ItemFlags(rawValue: 1 << 1) }
    /// Each packet of its stream decodes alone.
    @inlinable public static var intraCoded: ItemFlags { ItemFlags(rawValue: 1 << 2) }
    /// A picture that came broken, or was decoded with damage.
    @inlinable public static var damaged: ItemFlags { ItemFlags(rawValue: 1 << 3) }
    /// Lateness does not remove it: it keeps a picture moving on an overloaded way. The mark goes on to what is made of
    /// it.
    @inlinable public static var exempt: ItemFlags { ItemFlags(rawValue: 1 << 4) }
    /// From a source that cannot pause.
    @inlinable public static var live: ItemFlags { ItemFlags(rawValue: 1 << 5) }
    /// The newest there was when somebody began to look: how old it is says nothing of the way that it came. The mark goes
    /// on to what is made of it.
    @inlinable public static var earlier: ItemFlags { ItemFlags(rawValue: 1 << 6) }

    /// What goes on to all that is made of an item.
    package static var inherited: ItemFlags { [.live, .exempt, .earlier] }
}

/// A packet, a frame or an event; one reference, so that `Optional` of it is one word too.
public protocol Item: Sendable {
    static var kind: ItemKind { get }
    /// The header. For the runtime.
    var storage: ItemStorage { get }
    /// An item around a header that is known to be of this kind; a mistake traps.
    init(storage: consuming ItemStorage)
}

extension Item {
    /// When the light arrived, on the pipeline's line.
    public var captured: Instant { storage.captured }
    /// The subscription of a sink that it was made for; 0 where there is only one.
    public var subscription: Demand.ID { storage.subscription }
    public var flags: ItemFlags { storage.flags }
}
