package import CampipeKit

/// What names a node of a running graph: an explicit one by its id, an implicit one by what it does to what.
///
/// Equal keys are one node: two consumers with the same wish share a chain because their keys are equal.
package enum NodeKey: Hashable, Sendable {
    case explicit(String)
    /// - Parameters:
    ///   - role: The conversion.
    ///   - upstream: What feeds it: an explicit output, or the implicit node before it in the chain.
    ///   - request: What it was asked for.
    ///   - owner: The consumer whose chain it is alone (its id; of an input beside the main one `id.port`), when its
    ///     link options differ from the defaults; nil is shared.
    indirect case implicit(ConverterRole, upstream: PlannedOutput, request: ConverterRequest, owner: String?)
}

/// What an implicit converter is asked for; it becomes the node's options.
package struct ConverterRequest: Hashable, Sendable {
    package var maxWidth: Int?
    package var lumaOnly = false
    package var quality: Int?
    /// The format that the consumer accepts, when it is particular (`gray8`).
    package var format: Format?

    package init(maxWidth: Int? = nil, lumaOnly: Bool = false, quality: Int? = nil, format: Format? = nil) {
        self.maxWidth = maxWidth
        self.lumaOnly = lumaOnly
        self.quality = quality
        self.format = format
    }
}

/// An output of a planned node, by its index in the descriptor.
package struct PlannedOutput: Hashable, Sendable {
    package var node: NodeKey
    package var port: Int

    package init(_ node: NodeKey, _ port: Int = 0) {
        self.node = node
        self.port = port
    }
}

/// A node that is to run.
package struct PlannedNode: Hashable, Sendable {
    package var key: NodeKey
    /// Glass to here: the laxest deadline of its consumers; nil is none.
    package var lateAfter: Duration?
    /// Whether any source that feeds it is live.
    package var isLive: Bool
    /// Whether it is to run at all now: wanted, and its `when` not known to be false. What is not wanted stays closed.
    package var isWanted: Bool
    /// What its consumers want of its main output, put together; nil where nobody wants anything.
    package var want: Want?

    package init(key: NodeKey, lateAfter: Duration? = nil, isLive: Bool, isWanted: Bool = true, want: Want? = .all) {
        self.key = key
        self.lateAfter = lateAfter
        self.isLive = isLive
        self.isWanted = isWanted
        self.want = want
    }
}

/// What names a link: its two ends, and the subscription it serves.
package struct LinkKey: Hashable, Sendable {
    package var from: PlannedOutput
    package var to: NodeKey
    /// The consumer's input by its index in the descriptor; of a `when` clause the descriptor's count plus its index.
    package var input: Int
    /// Which of several references of one input it is.
    package var position: Int
    /// The subscription of a sink that it serves; 0 where there is only one.
    package var subscription: Demand.ID

    package init(from: PlannedOutput, to: NodeKey, input: Int = 0, position: Int = 0, subscription: Demand.ID = 0) {
        self.from = from
        self.to = to
        self.input = input
        self.position = position
        self.subscription = subscription
    }
}

/// A link that is to be there.
package struct PlannedLink: Hashable, Sendable {
    package var key: LinkKey
    package var policy: LinkPolicy
    /// Whether lateness is tested when an item is taken, and after how long it is late.
    package var lateAfter: Duration?
    /// How many items a second it admits; nil is all.
    package var maxRate: Double?
    /// A link that nobody wants is closed: its producer does not offer to it.
    package var isOpen: Bool
    /// Whether its producer brings anything now. One that is live does not while its own `when` is false, nor while all
    /// that feeds it does not: a join has nothing to wait for then. Nor is there anything to wait for where a source's
    /// losses are told.
    package var isFed = true
    /// Whether its consumer, or who is behind an implicit one, keeps all: what does not fit is a loss to be told of.
    package var keepsAll = false

    package init(
        key: LinkKey, policy: LinkPolicy, lateAfter: Duration? = nil, maxRate: Double? = nil, isOpen: Bool = true
    ) {
        self.key = key
        self.policy = policy
        self.lateAfter = lateAfter
        self.maxRate = maxRate
        self.isOpen = isOpen
    }
}

/// Why a consumer cannot be fed; it fails by name.
package struct PlanFailure: Hashable, Sendable {
    package var kind: CampipeError.Kind
    /// One sentence without a full stop that names both sides.
    package var message: String
    /// What would help, such as the node to add.
    package var fix: String?

    package init(_ kind: CampipeError.Kind, _ message: String, fix: String? = nil) {
        self.kind = kind
        self.message = message
        self.fix = fix
    }

    package var error: CampipeError { CampipeError(kind, message, fix: fix) }
}

/// Everything that is to be there now.
package struct Plan: Equatable, Sendable {
    /// Upstream before downstream.
    package var nodes: [PlannedNode] = []
    /// In the order of the nodes that they lead to.
    package var links: [PlannedLink] = []
    /// Consumers that cannot be fed, with the reason; they stand among `nodes` without inputs, and fail by name.
    package var failures: [String: PlanFailure] = [:]
    /// Explicit nodes that are left out: switched off, or left without what they need since others are.
    package var off: Set<String> = []
    /// What each output carries, as far as known.
    package var outputFormats: [PlannedOutput: Format] = [:]

    package init() {}
}

/// One step from a running graph to the plan. Performed in order: make before break.
package enum Edit: Hashable, Sendable {
    case add(PlannedNode)
    case link(PlannedLink)
    /// Changes a node's deadline, liveness, want.
    case updateNode(PlannedNode)
    /// Changes a link's policy, deadline, rate, whether it is fed, or opens or closes it.
    case updateLink(PlannedLink)
    case unlink(LinkKey)
    case remove(NodeKey)
}
