import CNet
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// The HTTP server: one thread for all clients, streams included.
///
/// Every client is bounded in time and bytes by `Options`. Routes come and go while it runs. It lives until `stop`.
package final class HTTPServer: @unchecked Sendable {
    // Unchecked: what stands under "On the server's thread" is touched only there; the rest is constant or under a
    // lock.

    /// Where it listens, who may look, and what one client may take.
    package struct Options: Sendable {
        /// Clients at once; the next is told to come back (503).
        package var maxConnections = 2048
        /// Of them from one address, so that one client does not take all; nil is half. Of IPv6 the first 64 bits count;
        /// clients on this machine are not counted, since a proxy in front is one of them.
        package var connectionsPerAddress: Int?
        /// From a request's first byte to its last.
        package var headerTimeout: Duration = .seconds(10)
        /// Between two requests.
        package var idleTimeout: Duration = .seconds(30)
        /// A client that takes nothing for so long is closed.
        package var writeTimeout: Duration = .seconds(30)
        /// For a handler that answers later.
        package var answerTimeout: Duration = .seconds(10)
        /// How long a client that is done may keep its side open.
        package var lingerTimeout: Duration = .seconds(2)
        package var limits = HTTPRequestParser.Limits()
        package var cors = CORS.none
        /// Who may sign in; without anybody, everybody may see everything.
        package var accounts: [Account] = []
        /// Which names the server may have been reached by; nil for any.
        package var hosts: HostCheck?
        /// The origins whose pages may show this server's pages in a frame.
        package var frameAncestors: [String] = []
        package init() {}
    }

    /// What happened to connections since the start.
    package struct Counters: Sendable, Equatable {
        package var connections = 0
        package var accepted = 0
        /// Turned away because there were too many, at all or from one address.
        package var refused = 0

        package init() {}
    }

    let options: Options
    let loop: EventLoop
    private let clock: any PipelineClock
    private let log: Log
    private let routes = Lock(RouteTable())
    private let counts = Lock(Counters())

    /// Starts the thread; nothing is served before `listen`.
    ///
    /// - Throws: `.exhausted`.
    package init(options: Options = Options(), clock: any PipelineClock, log: Log = .silent) throws(CampipeError) {
        self.options = options
        self.clock = clock
        self.log = log
        coarseNow = clock.now
        addresses = AddressCounter(most: options.connectionsPerAddress ?? max(1, options.maxConnections / 2))
        loop = try EventLoop(name: "http-server")
        do {
            accessControl = try AccessControl(options.accounts, loop: loop, clock: clock, log: log)
        } catch {
            loop.stop()
            throw error
        }
        allowDescriptors(options.maxConnections + 256)
    }

    /// Serves on one more address.
    ///
    /// - Parameter tls: With these, only https is spoken there. They are read again when they change.
    /// - Returns: The address with the port that was chosen.
    /// - Throws: `.failed` when the address cannot be had, with what to do; `.configuration` when the files of `tls`
    ///   cannot be used.
    package func listen(on address: ListenAddress, tls: TLSFiles? = nil) throws(CampipeError) -> ListenAddress {
        var identity: TLSIdentity?
        if let tls { identity = try TLSIdentity(tls, clock: clock, log: log) }
        let (descriptor, bound) = try address.open()
        let entrance = Entrance(descriptor: descriptor, port: bound.port, identity: identity)
        loop.execute {
            let listener = Listener(descriptor: descriptor) { [unowned self] in accept(on: entrance) }
            do {
                try self.loop.watch(descriptor, cnet_readable, listener)
                self.listeners.append(listener)
            } catch {
                self.log.error("the server cannot listen", ["address": bound, "cause": error])
                listener.close()
            }
        }
        return bound
    }

    /// Has `handler` answer requests to `path`.
    ///
    /// - Parameters:
    ///   - path: Begins with a slash and does not end with one, `/` itself aside.
    ///   - methods: `GET` brings `HEAD` with it.
    ///   - access: Who may use it; matters only where there are accounts.
    ///   - coversBelow: Also what lies below the path, where nobody nearer answers; see `HTTPRequest.subpath`.
    /// - Throws: `.configuration` when the path is malformed or taken.
    package func register(
        _ path: String, access: RouteAccess, methods: [String] = ["GET"], coversBelow: Bool = false,
        _ handler: @escaping HTTPHandler
    ) throws(CampipeError) {
        let route = RouteTable.Route(methods: methods, coversBelow: coversBelow, access: access, handler: handler)
        let failure = routes.withLock { table -> CampipeError? in
            do throws(CampipeError) {
                try table.add(path, route)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Answers 404 at `path` from now on; clients that are being served go on.
    package func unregister(_ path: String) { routes.withLock { $0.remove(path) } }

    /// Makes a stream that a handler may answer with.
    ///
    /// - Parameters:
    ///   - retention: How old a picture may be that a new viewer is shown at once.
    ///   - onDemandChange: Called on the server's thread with true when the first viewer comes and with false when the
    ///     last one has gone; must not block.
    package func makeFeed(
        retention: Duration = .seconds(2), onDemandChange: @escaping @Sendable (Bool) -> Void = { _ in }
    ) -> BroadcastFeed {
        BroadcastFeed(loop: loop, clock: clock, retention: retention, onDemandChange: onDemandChange)
    }

    /// Makes a stream of video that a handler may answer with; `onDemandChange` as of `makeFeed`, also when the first
    /// viewer that wants sound comes, and when the last one goes.
    package func makeFragmentFeed(
        onDemandChange: @escaping @Sendable (FragmentFeed.Audience) -> Void = { _ in }
    ) -> FragmentFeed {
        FragmentFeed(loop: loop, clock: clock, onDemandChange: onDemandChange)
    }

    package var counters: Counters { counts.withLock { $0 } }

    /// Closes all sockets and ends the thread; returns when that is done. Not from a handler.
    package func stop() {
        loop.execute {
            self.isStopped = true
            for listener in self.listeners {
                self.loop.forget(listener.descriptor)
                listener.close()
            }
            self.listeners = []
            for connection in Array(self.connections.values) { connection.close() }
        }
        loop.stop()
        accessControl?.stop()
    }

    // MARK: On the server's thread

    private var listeners: [Listener] = []
    private var connections: [Int: HTTPConnection] = [:]
    private var addresses: AddressCounter
    /// Those that finished sending while they were waiting, in that order; some have been answered since.
    private var finished: [Int] = []
    private var nextID = 0
    private var isStopped = false
    private var isTicking = false
    /// Nil without accounts.
    let accessControl: AccessControl?
    private let scratch = Scratch()
    /// Given up for a moment when there are no descriptors left, so that a client can be turned away.
    private var spare = openSpare()
    /// The time of the last tick: good enough for deadlines of seconds, and free.
    private(set) var coarseNow: Instant

    var now: Instant { clock.now }

    func route(_ path: String) -> (route: RouteTable.Route, subpath: String)? {
        let table = routes.withLock { $0 }
        return table.find(path)
    }

    func connection(_ id: Int) -> HTTPConnection? { connections[id] }

    func remove(_ connection: HTTPConnection) {
        connections[connection.id] = nil
        addresses.remove(connection.peer)
        counts.withLock { $0.connections -= 1 }
    }

    /// A client sends nothing more and waits for its answer. Most that do so have gone, which shows only when they are
    /// sent something; the oldest of too many goes.
    func hasFinishedSending(_ connection: HTTPConnection) {
        finished.append(connection.id)
        guard finished.count > max(16, options.maxConnections / 8) else { return }
        self.connection(finished.removeFirst())?.makeRoom()
    }

    private func accept(on entrance: Entrance) {
        entrance.identity?.refresh(clock)
        for _ in 0..<64 {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe cnet_accept(entrance.descriptor, $0, &length)
                }
            }
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE { turnAwayWithoutDescriptors(entrance) }
                return
            }
            cnet_set_no_delay(descriptor)
            let peer = numericName(&storage, length)?.host ?? ""
            if connections.count >= options.maxConnections || !addresses.add(peer) {
                turnAway(descriptor, entrance)
            } else {
                open(descriptor, peer: peer, entrance)
            }
        }
    }

    private func open(_ descriptor: Int32, peer: String, _ entrance: Entrance) {
        var session: TLSSession?
        if let identity = entrance.identity {
            session = identity.context.session(on: descriptor)
            if session == nil {
                addresses.remove(peer)
                return turnAway(descriptor, entrance)
            }
        }
        let socket = ClientSocket(
            descriptor: descriptor, peer: peer, port: entrance.port, session: session, scratch: scratch)
        nextID += 1
        let connection = HTTPConnection(id: nextID, socket: socket, server: self)
        connections[nextID] = connection
        counts.withLock {
            $0.connections += 1
            $0.accepted += 1
        }
        do {
            try loop.watch(descriptor, cnet_readable | cnet_writable | cnet_hung_up | cnet_edge, connection)
        } catch {
            connection.close()
            return
        }
        scheduleTick()
    }

    /// Over TLS without a word: a handshake for it would be what there is no room for.
    private func turnAway(_ descriptor: Int32, _ entrance: Entrance) {
        counts.withLock { $0.refused += 1 }
        defer { close(descriptor) }
        guard entrance.identity == nil else { return }
        let answer = Outgoing(
            Bytes(
                "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .utf8))
        _ = answer.send(to: descriptor, from: 0)
    }

    private func turnAwayWithoutDescriptors(_ entrance: Entrance) {
        close(spare)
        let descriptor = cnet_accept(entrance.descriptor, nil, nil)
        if descriptor >= 0 { turnAway(descriptor, entrance) }
        spare = openSpare()
        log.warning("the server has no descriptors left", ["connections": connections.count])
    }

    /// Once a second while there are clients: looks at their deadlines.
    private func scheduleTick() {
        coarseNow = clock.now
        guard !isTicking, !isStopped, !connections.isEmpty else { return }
        isTicking = true
        clock.schedule(at: coarseNow + .seconds(1)) { [weak self] in
            guard let self else { return }
            loop.execute {
                self.isTicking = false
                let now = self.clock.now
                self.coarseNow = now
                for connection in Array(self.connections.values) { connection.tick(now) }
                self.scheduleTick()
            }
        }
    }

    deinit { close(spare) }
}

private func openSpare() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

/// Where clients come in.
@safe private final class Entrance: Sendable {
    let descriptor: Int32
    let port: UInt16
    // Touched on the server's thread only.
    private nonisolated(unsafe) let given: TLSIdentity?
    /// Nil for plain HTTP.
    var identity: TLSIdentity? { unsafe given }

    init(descriptor: Int32, port: UInt16, identity: sending TLSIdentity?) {
        self.descriptor = descriptor
        self.port = port
        unsafe given = identity
    }
}

/// A listening socket.
private final class Listener: EventHandler {
    let descriptor: Int32
    private let onReady: () -> Void

    init(descriptor: Int32, onReady: @escaping () -> Void) {
        self.descriptor = descriptor
        self.onReady = onReady
    }

    func ready(_ events: UInt32) { onReady() }

    func close() { _ = Glibc.close(descriptor) }
}
