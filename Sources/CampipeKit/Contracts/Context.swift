/// What a node gets to know of its surroundings when it is opened.
public struct Context: Sendable {
    /// The node's id in the pipeline file, such as `yard/rec`.
    public let id: String
    /// The pipeline's `name`.
    public let pipeline: String
    /// The camera of the template that the node came from, if any.
    public let camera: String?
    /// The source that feeds the node's main input; a source's own id.
    public let source: String
    /// What its main input names, in the file's order.
    public let feeds: [Feed]
    /// The inputs that the file connects, by their names.
    public let connected: Set<String>
    /// Whether any source that feeds this node is live.
    public let isLive: Bool
    /// Whether the node has a `when`: a sink that keeps its history waits for `gate` then.
    public let isGated: Bool
    /// The pipeline's time: the only clock that a node reads, and what calls its waker later (`schedule`).
    public let clock: any PipelineClock
    /// When the stream began that feeds the node, if it is not live; for a source to set.
    public let origin: StreamOrigin
    /// The node's log: its id is added to each line, and secrets are taken out.
    public let log: Log
    /// Wakes the node from anywhere: the only thing of a node that may leave it.
    public let waker: Waker
    /// Says what the node's main input wants, and those on demand; for sinks that do not always want all.
    public let demand: Demand
    /// Where the node takes pictures from.
    public let pool: FramePool
    /// What is shared by the nodes of a process.
    public let services: Services
    /// Says what befell the node, on its output `events`: a clip is ready, the disk is full.
    public package(set) var events = EventTeller { _ in }
    /// Counts what the node removed itself of what it was given.
    public package(set) var removals = RemovalTeller { _, _ in }
    /// Raised, maybe in the midst of a turn, when the pipeline is told to stop: for nodes whose turns wait for others.
    package var stop = StopFlag()
    /// Says how it is with a node that runs and yet cannot do its work.
    package var trouble = TroubleTeller { _ in }

    public init(
        id: String, pipeline: String = "", camera: String? = nil, source: String? = nil, isLive: Bool = false,
        isGated: Bool = false, feeds: [Feed] = [], connected: Set<String> = [],
        clock: any PipelineClock, log: Log, waker: Waker = Waker {}, demand: Demand = Demand { _, _ in },
        pool: FramePool = .shared, services: Services = Services(),
        origin: StreamOrigin = StreamOrigin()
    ) {
        self.origin = origin
        self.id = id
        self.pipeline = pipeline
        self.camera = camera
        self.source = source ?? id
        self.feeds = feeds
        self.connected = connected
        self.isLive = isLive
        self.isGated = isGated
        self.clock = clock
        self.log = log
        self.waker = waker
        self.demand = demand
        self.pool = pool
        self.services = services
    }

    /// What shows `captured` of the node's items as the world's time.
    public var captureTime: CaptureTime { CaptureTime(isLive: isLive, clock: clock, origin: origin) }

    /// A service by its protocol or type, such as `(any WebClient).self`.
    ///
    /// - Throws: `CampipeError` of kind `.configuration` where there is none; what making it throws.
    public func service<T: Sendable>(_ type: T.Type) throws -> T { try services.get(type) }
}

/// Makes its node's runner look again: there is something in the mailbox, a time has come. Any thread may call it, any
/// number of times; it returns at once.
public struct Waker: Sendable {
    private let action: @Sendable () -> Void
    private let actionHere: @Sendable () -> Void

    /// - Parameter action: Called by `wake`, on the thread of whoever calls it.
    public init(_ action: @escaping @Sendable () -> Void) { self.init(action, here: action) }

    /// - Parameter here: What `wakeHere` does.
    package init(_ action: @escaping @Sendable () -> Void, here: @escaping @Sendable () -> Void) {
        self.action = action
        actionHere = here
    }

    /// Has the node called soon, once for any number of calls until then. On any thread; never waits.
    public func wake() { action() }

    /// Wakes the node, and lends it the calling thread where its turn is known to be short: to wake another thread costs
    /// more than such a turn. For a thread that holds no lock and can spare a fraction of a millisecond.
    package func wakeHere() { actionHere() }
}

/// What is shared by the nodes of a process, by type: the HTTP server, the fetching loop.
public struct Services: Sendable {
    private var byType: [ObjectIdentifier: any Sendable] = [:]

    public init() {}

    /// Adds a service, found by its type, or by the protocol that is given.
    public mutating func add<T: Sendable>(_ service: T, as type: T.Type = T.self) {
        byType[ObjectIdentifier(type)] = service
    }

    /// Adds a service that is made when a node first asks for it, once; a failure goes to the node, and the next tries
    /// again.
    public mutating func add<T: Sendable>(_ type: T.Type, madeBy make: @escaping @Sendable () throws -> T) {
        byType[ObjectIdentifier(type)] = LateService(make)
    }

    /// The service of a type. Throws `.configuration` where there is none.
    public func get<T: Sendable>(_ type: T.Type) throws -> T {
        switch byType[ObjectIdentifier(type)] {
        case let service as T: return service
        case let late as LateService<T>: return try late.service
        default: throw CampipeError(.configuration, "there is no service \(type) here")
        }
    }
}

/// A service that nobody has asked for yet.
private final class LateService<T: Sendable>: Sendable {
    private let make: @Sendable () throws -> T
    private let made = Lock<T?>(nil)

    init(_ make: @escaping @Sendable () throws -> T) { self.make = make }

    var service: T {
        get throws {
            try made.withLock { made in
                if let made { return made }
                let service = try make()
                made = service
                return service
            }
        }
    }
}
