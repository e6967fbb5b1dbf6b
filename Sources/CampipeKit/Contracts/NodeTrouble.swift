/// Why a node that runs does not do its work: for `/state`, readiness and who looks at them.
package enum NodeTrouble: Hashable, Sendable {
    /// It waits for something outside, and looks for it by itself: room on a disk.
    case waiting(String)
    /// A call of its has not returned for too long.
    case stalled(String)
}

/// Tells of a node's trouble, and with nil that it is over. Any thread may call it; it returns at once.
package struct TroubleTeller: Sendable {
    private let action: @Sendable (NodeTrouble?) -> Void

    package init(_ action: @escaping @Sendable (NodeTrouble?) -> Void) { self.action = action }

    package func tell(_ trouble: NodeTrouble?) { action(trouble) }
}
