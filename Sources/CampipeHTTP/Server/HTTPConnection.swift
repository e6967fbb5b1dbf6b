import CNet
import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// One client: reads requests, has them answered one after the other, and sends the answers. On the server's thread
/// only.
final class HTTPConnection: EventHandler {
    private enum State {
        case receiving
        case awaiting
        case sending
        case streaming(any StreamViewer)
        /// All is said; what the client still sends is thrown away, so that it is not reset before it has read.
        case lingering
        case closed
    }

    private static let requestsATurn = 64
    private static let readsATurn = 16
    /// A viewer has nothing to say, and a client that was refused not much.
    private static let wasteLimit = 256 << 10
    /// A client that takes less of a whole answer keeps it no longer: bytes a second.
    private static let leastRate = 8 << 10

    let id: Int
    private let socket: ClientSocket
    private let server: HTTPServer
    private var state = State.receiving
    private var parser: HTTPRequestParser
    private var outgoing: Outgoing?
    private var offset = 0
    private var closesAfter = false
    private var isHead = false
    /// Of every answer to the request at hand: CORS, frames, a new session.
    private var commonHeaders: HTTPHeaders = [:]
    private var serial = 0
    /// By whom the request at hand is answered, while it is awaited.
    private weak var responder: Responder?
    private var isPeerDone = false
    private var isReadPaused = false
    private var hasRequestBegun = false
    private var wasted = 0
    private var deadline: Instant
    /// When the answer that is being sent has to be out.
    private var answerEnd = Instant.distantFuture

    /// The other end's address, without its port.
    var peer: String { socket.peer }

    init(id: Int, socket: ClientSocket, server: HTTPServer) {
        self.id = id
        self.socket = socket
        self.server = server
        parser = HTTPRequestParser(limits: server.options.limits)
        deadline = server.now + server.options.headerTimeout
    }

    private var isOpen: Bool {
        if case .closed = state { return false }
        return true
    }

    private var isReceiving: Bool {
        if case .receiving = state { return true }
        return false
    }

    func ready(_ events: UInt32) {
        // What is not answered yet, nobody would get.
        if events & cnet_broken != 0 { return close() }
        // Over TLS either may be what the other waits for: the handshake goes both ways.
        if events & (cnet_readable | cnet_hung_up) != 0 || socket.isEncrypted { read() }
        if events & cnet_writable != 0 || socket.isEncrypted { write() }
    }

    /// Closes the socket and leaves the server.
    func close() {
        guard isOpen else { return }
        if case .streaming(let viewer) = state {
            state = .closed
            viewer.leave()
        }
        state = .closed
        responder?.abandon()
        server.loop.forget(socket.descriptor)
        socket.close()
        server.remove(self)
    }

    /// Does what is due when a deadline has passed.
    func tick(_ now: Instant) {
        if case .streaming(let viewer) = state { viewer.tick(now) }
        guard now >= deadline else { return }
        switch state {
        case .receiving where parser.isWithinRequest:
            closesAfter = true
            respond(.text(408, "the request did not come in time"))
        case .awaiting:
            closesAfter = true
            respond(.text(504, "the answer did not come in time"))
        case .streaming(let viewer):
            viewer.noteStall()
            close()
        case .receiving, .sending, .lingering, .closed: close()
        }
    }

    // MARK: Reading

    private func read() {
        var reads = 0
        while isOpen, !isPeerDone {
            if !parser.hasRoom {
                isReadPaused = true
                return
            }
            if reads == Self.readsATurn {
                server.loop.execute { [server, id] in server.connection(id)?.read() }
                return
            }
            reads += 1
            let count = unsafe socket.receive { unsafe take($0) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN, errno != EWOULDBLOCK { close() }
                return
            }
            if count == 0 {
                isPeerDone = true
                endOfInput()
                return
            }
            process()
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .receiving, .awaiting, .sending: unsafe parser.receive(bytes)
        case .streaming, .lingering:
            wasted += bytes.count
            if wasted > Self.wasteLimit { close() }
        case .closed: break
        }
    }

    /// The client will send nothing more; all that it asked for is still answered, but a viewer that does so has gone.
    ///
    /// Whether it still reads cannot be told from one that has gone, so only so many of those are waited for.
    private func endOfInput() {
        switch state {
        case .receiving: process()
        case .streaming, .lingering: close()
        case .awaiting:
            closesAfter = closesAfter || !parser.isWithinRequest
            server.hasFinishedSending(self)
        case .sending, .closed: break
        }
    }

    /// Others have finished sending since: it goes unless it has been answered.
    func makeRoom() { if case .awaiting = state { close() } }

    /// Answers the requests that are whole.
    private func process() {
        var answered = 0
        while isReceiving {
            if answered == Self.requestsATurn {
                server.loop.execute { [server, id] in server.connection(id)?.process() }
                return
            }
            switch parser.next() {
            case .more:
                waitForRequest()
                return
            case .request(let request): handle(request)
            case .refused(let status, let reason):
                closesAfter = true
                isHead = false
                respond(.text(status, reason))
            }
            answered += 1
        }
    }

    private func waitForRequest() {
        if isPeerDone {
            close()
        } else if parser.isWithinRequest, !hasRequestBegun {
            // Counted from the first byte, so that a byte now and then keeps nobody alive.
            hasRequestBegun = true
            deadline = server.now + server.options.headerTimeout
        }
        if isOpen, parser.takesContinue() { encourage() }
    }

    /// The client waits for a word before it sends the body (RFC 9110 section 10.1.1). What the socket does not take
    /// is left: such a client sends it anyway after a while.
    private func encourage() {
        let word = Outgoing(Bytes("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        let count = socket.send(word, from: 0)
        if count != word.count, count >= 0 || socket.isEncrypted { close() }
    }

    // MARK: Answering

    private func handle(_ request: HTTPRequest) {
        hasRequestBegun = false
        serial += 1
        isHead = request.method == "HEAD"
        closesAfter = !request.keepsAlive || isPeerDone && !parser.isWithinRequest
        commonHeaders = server.options.cors.headers(for: request)
        if socket.lacksTLS {
            closesAfter = true
            respond(.secure(request))
        } else if let hosts = server.options.hosts, !hosts.accepts(request.headers["Host"]) {
            respond(.text(403, "this server does not go by that name; add the name to `hosts` under `server`"))
        } else {
            admit(request)
        }
    }

    /// Finds out whether the client may, and has the request answered then.
    private func admit(_ request: HTTPRequest) {
        let found = server.route(request.path)
        var asked = request
        asked.peer = socket.peer
        asked.subpath = found?.subpath ?? ""
        guard let control = server.accessControl else { return dispatch(asked, found?.route) }
        // Browsers send no credentials with a preflight (Fetch standard, section 4.8); it tells nothing.
        if request.method == "OPTIONS" { return dispatch(asked, nil) }
        // What there is not is for admins to know.
        let verdict = control.judge(asked, found?.route.access ?? .admin, socket) { [server, id, serial] isRight in
            server.connection(id)?.resume(request, serial: serial, isRight: isRight)
        }
        switch verdict {
        case .pass(let visitor, let headers):
            asked.visitor = visitor
            commonHeaders.add(contentsOf: headers)
            dispatch(asked, found?.route)
        case .refuse(let response): respond(response)
        case .wait:
            state = .awaiting
            deadline = server.now + server.options.answerTimeout
        }
    }

    /// The password that the request came with was checked.
    private func resume(_ request: HTTPRequest, serial: Int, isRight: Bool) {
        guard case .awaiting = state, serial == self.serial else { return }
        if isRight { admit(request) } else { respond(AccessControl.challenge) }
        resume()
    }

    private func dispatch(_ asked: HTTPRequest, _ route: RouteTable.Route?) {
        let allowed =
            route.map { $0.methods + ($0.methods.contains("GET") ? ["HEAD"] : []) + ["OPTIONS"] }
            ?? ["GET", "HEAD", "OPTIONS"]
        var allow: HTTPHeaders { ["Allow": allowed.joined(separator: ", ")] }
        if asked.method == "OPTIONS", route != nil || asked.path == "*" || server.accessControl != nil {
            var headers = allow
            headers.add(contentsOf: server.options.cors.preflightHeaders(for: asked, methods: allowed))
            return respond(HTTPResponse(204, headers: headers))
        }
        guard let route else { return respond(.text(404, "there is nothing at this path")) }
        guard allowed.contains(asked.method) else {
            return respond(.text(405, "this path does not take \(asked.method)", headers: allow))
        }
        let responder = Responder { [server, id, serial] answer in
            server.loop.execute { server.connection(id)?.deliver(answer, serial: serial) }
        }
        guard let answer = route.handler(asked, responder) else {
            responder.discharge()
            respond(.text(404, "there is nothing at this path"))
            return
        }
        if case .later = answer {
            state = .awaiting
            self.responder = responder
            deadline = server.now + server.options.answerTimeout
            if isPeerDone { server.hasFinishedSending(self) }
        } else {
            responder.discharge()
            say(answer)
        }
    }

    /// An answer that came later.
    private func deliver(_ answer: HTTPAnswer, serial: Int) {
        guard case .awaiting = state, serial == self.serial else { return }
        say(answer)
        resume()
    }

    private func say(_ answer: HTTPAnswer) {
        responder = nil
        switch answer {
        case .complete(let response): respond(response)
        case .stream(let feed, let headers, let mark): stream([NamedFeed(nil, feed, mark: mark)], headers)
        case .streams(let feeds, let headers): stream(feeds, headers)
        case .fragments(let feed, let headers, let mark, let hears): stream(feed, headers, mark, hears: hears)
        case .later: break
        }
    }

    private func respond(_ response: HTTPResponse) {
        var headers = response.headers
        if response.isPage { headers.add(contentsOf: HTTPResponse.frames(server.options.frameAncestors)) }
        let hasBody = response.status != 204 && response.status != 304
        if hasBody { headers.add("Content-Length", String(response.body.count)) }
        let head = self.head(response.status, headers)
        send(Outgoing(Bytes(head.utf8), isHead || !hasBody ? .empty : response.body))
    }

    private func stream(_ feeds: [NamedFeed], _ more: HTTPHeaders) {
        let feeds = feeds.filter { !$0.feed.isClosed }
        if feeds.isEmpty {
            respond(.text(503, "this stream is over"))
            return
        }
        closesAfter = true
        var headers = BroadcastFeed.headers
        headers.add(contentsOf: more)
        let head = self.head(200, headers)
        if isHead {
            send(Outgoing(Bytes(head.utf8)))
            return
        }
        let first = Outgoing(Bytes((head + BroadcastFeed.firstDelimiter).utf8))
        let viewer = FeedViewer(socket: socket, connection: self, head: first)
        begin(viewer) { viewer.join(feeds) }
    }

    private func stream(_ feed: FragmentFeed, _ more: HTTPHeaders, _ mark: ViewerMark?, hears: Bool) {
        if feed.isClosed {
            respond(.text(503, "this stream is over"))
            return
        }
        closesAfter = true
        var headers = more
        headers.add(contentsOf: HTTPResponse.neverCached)
        headers.add("X-Accel-Buffering", "no")
        let head = Outgoing(Bytes(self.head(200, headers).utf8))
        if isHead {
            send(head)
            return
        }
        let viewer = FragmentViewer(
            feed, socket: socket, connection: self, mark: mark, hears: hears, head: head)
        begin(viewer) { feed.add(viewer) }
    }

    private func begin(_ viewer: any StreamViewer, _ join: () -> Void) {
        state = .streaming(viewer)
        deadline = .distantFuture
        parser.release()
        join()
        pumpViewer()
        if isPeerDone { close() }
    }

    private func head(_ status: Int, _ headers: HTTPHeaders) -> String {
        var text = "HTTP/1.1 \(status) \(HTTPResponse.phrase(status))\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        for field in commonHeaders.fields { text += "\(field.name): \(field.value)\r\n" }
        text += closesAfter ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n"
        return text
    }

    // MARK: Writing

    private func send(_ message: Outgoing) {
        outgoing = message
        offset = 0
        state = .sending
        let now = server.now
        deadline = now + server.options.writeTimeout
        // A byte now and then is no taking.
        answerEnd = deadline + .seconds(message.count / Self.leastRate)
        flush()
    }

    private func write() {
        switch state {
        case .sending:
            flush()
            resume()
        case .streaming: pumpViewer()
        case .receiving, .awaiting, .lingering, .closed: break
        }
    }

    /// After an answer that did not go out at once: on with what the client has sent meanwhile.
    private func resume() {
        guard isReceiving else { return }
        process()
        if isReadPaused, parser.hasRoom {
            isReadPaused = false
            read()
        }
    }

    private func flush() {
        while let message = outgoing {
            let count = socket.send(message, from: offset)
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN, errno != EWOULDBLOCK { close() }
                return
            }
            offset += count
            deadline = min(server.coarseNow + server.options.writeTimeout, answerEnd)
            if offset < message.count { return }
            outgoing = nil
        }
        commonHeaders = [:]
        if closesAfter {
            linger()
        } else {
            state = .receiving
            deadline = server.coarseNow + server.options.idleTimeout
        }
    }

    private func linger() {
        if isPeerDone {
            close()
            return
        }
        state = .lingering
        parser.release()
        deadline = server.coarseNow + server.options.lingerTimeout
        socket.finishSending()
        if isReadPaused {
            isReadPaused = false
            read()
        }
    }

    /// Sends the stream's viewer what it takes, and notes since when it has taken nothing.
    func pumpViewer() {
        guard case .streaming(let viewer) = state else { return }
        switch viewer.pump() {
        case .idle: deadline = .distantFuture
        case .moving: deadline = server.coarseNow + server.options.writeTimeout
        case .stuck:
            if deadline == .distantFuture { deadline = server.coarseNow + server.options.writeTimeout }
        case .failed: close()
        }
    }
}
