/// Says what befell a node, on the output `events` that every node has beside its own; what a source or a transform finds
/// in what it is given goes through its own outputs.
///
/// Any thread may say something, at any time; it returns at once, and costs next to nothing where nobody takes it. What is
/// said goes on in order, up to what `finish` says. What nobody fetches in time is bounded: the oldest of 1,024 goes, counted.
public struct EventTeller: Sendable {
    private let action: @Sendable (Event) -> Void

    /// - Parameter action: What becomes of an event.
    public init(_ action: @escaping @Sendable (Event) -> Void) { self.action = action }

    public func tell(_ event: Event) { action(event) }
}

/// Counts items that a node took and removed itself, since it was asked for more than it could do: what a sink keeps
/// waiting for a server, and gives up. Any thread may count.
public struct RemovalTeller: Sendable {
    private let action: @Sendable (DropReason, Int) -> Void

    /// - Parameter action: What becomes of a count.
    public init(_ action: @escaping @Sendable (DropReason, Int) -> Void) { self.action = action }

    public func count(_ reason: DropReason, _ count: Int = 1) { action(reason, count) }
}
