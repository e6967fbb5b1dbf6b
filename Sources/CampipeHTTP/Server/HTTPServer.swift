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

    package struct Options: Sendable {
        /// Clients at once; the next is told to come back (503).
        package var maxConnections = 2048
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
        package init() {}
    }

    package struct Counters: Sendable, Equatable {
        package var connections = 0
        package var accepted = 0
        /// Turned away because there were too many.
        package var refused = 0
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
        loop = try EventLoop(name: "http-server")
        allowDescriptors(options.maxConnections + 256)
    }

    /// Serves on one more address.
    ///
    /// - Returns: The address with the port that was chosen.
    /// - Throws: `.failed` when the address cannot be had, with what to do.
    package func listen(on address: ListenAddress) throws(CampipeError) -> ListenAddress {
        let (descriptor, bound) = try address.open()
        loop.execute {
            let listener = Listener(descriptor: descriptor) { [unowned self] in accept(on: descriptor) }
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
    ///   - coversBelow: Also what lies below the path, where nobody nearer answers; see `HTTPRequest.subpath`.
    /// - Throws: `.configuration` when the path is malformed or taken.
    package func register(
        _ path: String, methods: [String] = ["GET"], coversBelow: Bool = false, _ handler: @escaping HTTPHandler
    ) throws(CampipeError) {
        let route = RouteTable.Route(methods: methods, coversBelow: coversBelow, handler: handler)
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
    }

    // MARK: On the server's thread

    private var listeners: [Listener] = []
    private var connections: [Int: HTTPConnection] = [:]
    private var nextID = 0
    private var isStopped = false
    private var isTicking = false
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
        counts.withLock { $0.connections -= 1 }
    }

    /// Reads once; `body` is lent what came.
    ///
    /// - Returns: As `recv`: how many bytes came, or -1 with `errno` set.
    func receive(from descriptor: Int32, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
        unsafe scratch.withBuffer { buffer in
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
    }

    private func accept(on listener: Int32) {
        for _ in 0..<64 {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe cnet_accept(listener, $0, &length)
                }
            }
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno == EMFILE || errno == ENFILE { turnAwayWithoutDescriptors(listener) }
                return
            }
            cnet_set_no_delay(descriptor)
            if connections.count >= options.maxConnections {
                turnAway(descriptor)
            } else {
                open(descriptor, peer: numericName(&storage, length)?.host ?? "")
            }
        }
    }

    private func open(_ descriptor: Int32, peer: String) {
        nextID += 1
        let connection = HTTPConnection(id: nextID, descriptor: descriptor, peer: peer, server: self)
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

    private func turnAway(_ descriptor: Int32) {
        counts.withLock { $0.refused += 1 }
        let answer = Outgoing(
            Bytes(
                "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .utf8))
        _ = answer.send(to: descriptor, from: 0)
        close(descriptor)
    }

    private func turnAwayWithoutDescriptors(_ listener: Int32) {
        close(spare)
        let descriptor = cnet_accept(listener, nil, nil)
        if descriptor >= 0 { turnAway(descriptor) }
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

/// The one buffer that all clients' bytes are read into.
@safe private final class Scratch {
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 64)
    deinit { unsafe buffer.deallocate() }

    func withBuffer<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result { unsafe body(buffer) }
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
