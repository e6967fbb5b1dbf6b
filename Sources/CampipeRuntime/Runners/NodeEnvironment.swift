package import CampipeKit

/// What every runner of a pipeline works with.
package struct NodeEnvironment: Sendable {
    package var pipeline: String
    package var clock: any PipelineClock
    package var log: Log
    package var pool: FramePool
    package var services: Services
    /// When the streams began that are not live.
    package let origins = StreamOrigins()
    /// Whether the process stood still.
    let pulse = Pulse()
    /// What came damaged.
    let damages = DamageCounter()
    /// How long a join waits for its sides on a live stream.
    package var joinWait: Duration
    /// How often a node that is not live is started again until it has run well.
    package var restartLimit = RestartPolicy.usualLimit
    /// Seeds the jitter of retries.
    package var seed: UInt64

    package init(
        pipeline: String, clock: any PipelineClock, log: Log, pool: FramePool = FramePool(),
        services: Services = Services(), joinWait: Duration = .milliseconds(100), seed: UInt64 = 0
    ) {
        self.pipeline = pipeline
        self.clock = clock
        self.log = log
        self.pool = pool
        self.services = services
        self.joinWait = joinWait
        self.seed = seed
    }
}

/// What a runner is made for, and what of that may change while it runs.
package struct NodeAssignment: Sendable {
    package var key: NodeKey
    /// The name that logs and faults use: an explicit node's id, or `web (encode)`.
    package var id: String
    package var registration: Registration
    package var options: Value.ValueMap
    package var camera: String?
    package var source: String
    /// What its main input names, in the file's order.
    package var feeds: [Feed]
    /// The inputs that the file connects, by their names.
    package var connected: Set<String>
    package var isLive: Bool
    package var onError: OnError
    package var when: [WhenClause]
    package var stallAfter: Duration?
    package var reconnects: Bool
    package var onDemand: Bool

    package init(
        key: NodeKey, id: String, registration: Registration, options: Value.ValueMap, source: String, isLive: Bool
    ) {
        self.key = key
        self.id = id
        self.registration = registration
        self.options = options
        self.source = source
        self.isLive = isLive
        feeds = []
        connected = []
        camera = nil
        onError = .restart
        when = []
        stallAfter = nil
        reconnects = true
        onDemand = false
    }
}

/// What runners tell the controller; it plans again, or takes note.
package enum RunnerReport: Sendable {
    case format(PlannedOutput, Format)
    /// What the node asks for changed: its wishes are to be fetched.
    case demand(NodeKey)
    case gate(NodeKey, isOpen: Bool)
    case ended(NodeKey, EndCause?)
    /// A node failed and is made again, or could not finish: what it had then is lost, though the graph stays.
    case faltered(NodeKey, CampipeError)
    /// A node failed for good, or by `on_error: stop`.
    case failed(NodeKey, CampipeError, stopsPipeline: Bool)
    /// A source that is not live was stopped before it had given all.
    case unread(NodeKey)
    /// A stop's deadline came before a node had taken so many items.
    case cutShort(NodeKey, items: Int)
    case state(NodeKey, SourceStatus)
}
