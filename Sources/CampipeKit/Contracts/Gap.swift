/// Why something was removed. Whoever removes it counts it, once.
public enum DropReason: UInt8, Sendable, CaseIterable {
    /// The link was full.
    case full
    /// A newer one replaced it before anybody took it.
    case superseded
    /// It was past its deadline before the work began.
    case late
    /// The consumer asked for fewer a second.
    case rate
    /// Nobody wants what the link carries.
    case noDemand
    /// The node's `when` was false.
    case gated
    /// The node chose not to hand it on.
    case filtered
    /// It needs a packet that was dropped.
    case brokenReference
    /// The node failed at it, or failed for good while it waited.
    case failed
    /// It came cut.
    case truncated
    /// It is not what it says it is.
    case notJPEG
    /// It is beyond a limit.
    case tooLarge
    /// The mailbox of a source was full.
    case overrun
    /// The camera was lost: nothing is known to be missing, but there is a hole.
    case lost
    /// The pipeline was stopped before it was reached.
    case stopped
    /// A sample was asked for, and it is not in it.
    case sampled

    /// As metrics and JSON name it: `no_demand`.
    public var name: String { LearntOptions.snakeCase("\(self)") }
}

/// A set of reasons.
public struct DropReasons: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ reason: DropReason) { rawValue = 1 << UInt32(reason.rawValue) }

    /// Whether one of the reasons is this one.
    public func contains(_ reason: DropReason) -> Bool { contains(DropReasons(reason)) }
    /// The reasons in their order.
    public var list: [DropReason] { DropReason.allCases.filter { contains($0) } }
}

/// What a drop leaves in the next item's place, so that nobody downstream waits for it.
public struct Gap: Hashable, Sendable {
    /// How many items of this link's stream are missing; 0 of a camera that was lost.
    public var count: Int
    /// Why they are missing.
    public var reasons: DropReasons
    /// When the first missing one was captured, where known.
    public var from: Instant
    /// A watermark: nothing captured at or before it is still to come.
    public var through: Instant

    public init(count: Int, reasons: DropReasons, from: Instant, through: Instant) {
        self.count = count
        self.reasons = reasons
        self.from = from
        self.through = through
    }

    /// So many items for one reason, captured then.
    public init(_ reason: DropReason, count: Int = 1, at captured: Instant) {
        self.init(count: count, reasons: DropReasons(reason), from: captured, through: captured)
    }

    /// Both gaps as one.
    public func merged(with other: Gap) -> Gap {
        Gap(
            count: count + other.count, reasons: reasons.union(other.reasons), from: min(from, other.from),
            through: max(through, other.through))
    }

    /// Whether the camera was lost: it passes every node, lateness and closed links.
    public var isLost: Bool { reasons.contains(.lost) }
}

extension Gap? {
    /// Takes another gap into it.
    package mutating func merge(_ other: Gap?) {
        if let other { self = self?.merged(with: other) ?? other }
    }
}

/// Why a stream ended, when it did not simply end.
public struct EndCause: Sendable, Hashable {
    /// The node that failed.
    public var node: String
    /// What it failed at, in a sentence.
    public var message: String
    public init(node: String, message: String) {
        self.node = node
        self.message = message
    }
}

/// What travels beside the items, in order with them, and is never dropped.
public enum Control: Sendable, Hashable {
    case format(Format)
    case gap(Gap)
    case end(EndCause?)
}
