package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// A packet of RTP or RTCP as it arrived.
package struct RTPArrival: Sendable {
    /// The track that it belongs to, of those that were set up.
    package var track: Int
    /// Whether it is RTCP.
    package var isControl: Bool
    package var bytes: [UInt8]
    package var at: Instant
}

/// Talks RTSP with one camera (RFC 2326): asks what there is, sets it up, plays it, keeps the session, ends it.
///
/// It blocks, so it has a thread of its own, and it belongs to that; `stop` ends every wait within a second. It knows
/// nothing of what the packets hold.
package final class RTSPClient {
    /// How long one wait for the network is at most.
    private static let slice: Int32 = 100

    private let request: RTSPRequest
    private let clock: any PipelineClock
    private let stop: StopFlag
    /// Where requests go: another than the request's own after a redirection.
    private var url: RTSPURL
    private var connection: RTSPConnection
    private var wire = RTSPWire()
    private var challenge: RTSPChallenge?
    private var keepalive = RTSPKeepalive()
    private var lastNumber = 0
    private var lastRequest: Instant
    /// The request that keeps the session and is not answered yet.
    private var asked: (number: Int, method: String)?
    private var aggregate: String
    private var isPlaying = false
    private var seats: [Seat] = []
    private var arrivals: [RTPArrival] = []
    /// Why nothing more comes; told when all that came before is taken.
    private var ending: CampipeError?
    private var datagram = [UInt8](repeating: 0, count: 64 << 10)

    private struct Seat {
        var channels: (rtp: UInt8, rtcp: UInt8)?
        var sockets: RTPSockets?
    }

    /// Connects.
    ///
    /// - Throws: `.unavailable`, `.timedOut`, `.failed` (TLS), `.unauthorized`.
    package init(_ request: RTSPRequest, clock: any PipelineClock, stop: StopFlag) throws(CampipeError) {
        self.request = request
        self.clock = clock
        self.stop = stop
        url = request.url
        aggregate = request.url.text
        lastRequest = clock.now
        connection = try Self.connect(request, clock, stop)
    }

    private static func connect(
        _ request: RTSPRequest, _ clock: any PipelineClock, _ stop: StopFlag
    ) throws(CampipeError) -> RTSPConnection {
        guard request.transport == .http else { return try RTSPConnection(request, stop: stop) }
        var known: RTSPChallenge?
        return try RTSPConnection(tunnel: request, cookie: random(), stop: stop, clock: clock) { fields, method, path in
            guard let username = request.username, var challenge = known ?? RTSPChallenge(fields) else { return nil }
            defer { known = challenge }
            return challenge.answer(
                method, path, username: username, password: request.password ?? "", random: random())
        }
    }

    /// How packets travel, once tracks are set up.
    package var usesUDP: Bool { seats.contains { $0.sockets != nil } }
    /// Bytes between packets that meant nothing.
    package var skipped: Int { wire.skipped }

    // MARK: The handshake

    /// Asks what there is. Follows redirections, five at most.
    ///
    /// - Throws: `.unauthorized` when the password is refused, `.notFound`, `.unavailable`, `.timedOut`, `.ended`.
    package func describe() throws(CampipeError) -> SessionDescription {
        for _ in 0...5 {
            // Tells what is offered; who does not know it is asked on.
            let options = try ask("OPTIONS", url.text)
            if options.status == 200 { keepalive.learn(options.headers) }
            let answer = try ask("DESCRIBE", url.text, ["Accept": "application/sdp"])
            if (300...308).contains(answer.status), let place = answer.headers["Location"] {
                try redirect(place)
                continue
            }
            try check(answer, "DESCRIBE")
            // Whatever type it claims: some cameras leave it out.
            let description = SessionDescription(answer.body)
            let base = answer.headers["Content-Base"] ?? answer.headers["Content-Location"]
            aggregate = base.flatMap { $0.hasPrefix("rtsp") ? $0 : nil } ?? url.text
            guard !description.tracks.isEmpty else {
                throw CampipeError(.unsupported, "cannot open \(url.shown): it describes no stream")
            }
            return description
        }
        throw CampipeError(.failed, "cannot open \(request.url.shown): it redirects more than 5 times")
    }

    private func redirect(_ place: String) throws(CampipeError) {
        let next = try RTSPURL(place)
        // The password is for the host that it was given for.
        guard next.host == request.url.host else {
            guard request.username == nil else {
                throw CampipeError(
                    .failed, "cannot open \(url.shown): it redirects to \(next.shown), another host",
                    fix: "write that as the URL, if it is the camera's")
            }
            return try move(next)
        }
        try move(next)
    }

    private func move(_ next: RTSPURL) throws(CampipeError) {
        var other = request
        other.url = next
        url = next
        wire = RTSPWire()
        ending = nil
        challenge = nil
        connection = try Self.connect(other, clock, stop)
    }

    /// Sets a track up, by the transport that is wanted and taken.
    ///
    /// - Returns: Its number in arrivals.
    /// - Throws: `.unsupported` when the camera takes none of the transports.
    package func setUp(_ track: SessionDescription.Track, sessionControl: String?) throws(CampipeError) -> Int {
        let base = sessionBase(sessionControl)
        let transports: [RTSPRequest.Transport] =
            switch request.transport {
            case .auto: usesUDP ? [.udp] : seats.isEmpty ? [.tcp, .udp] : [.tcp]
            case .tcp, .http: [.tcp]
            case .udp: [.udp]
            }
        var last: RTSPResponse?
        for transport in transports {
            for control in RTSPURL.controls(track.control, base: base) {
                let answer = try setUp(control, transport)
                if answer.status == 200 { return seats.count - 1 }
                last = answer
                // What is not there may be elsewhere; a transport that is refused is refused anywhere.
                guard [400, 404, 405, 451, 459, 460].contains(answer.status) else { break }
            }
        }
        if let last, last.status != 461 { try check(last, "SETUP") }
        let tried = transports.map { $0.rawValue.uppercased() }.joined(separator: " and ")
        throw CampipeError(
            .unsupported, "cannot open \(url.shown): it refuses to send over \(tried)",
            fix: request.transport == .auto ? nil : "write `transport: auto`")
    }

    /// The track's number in arrivals is the next seat's.
    private func setUp(_ control: String, _ transport: RTSPRequest.Transport) throws(CampipeError) -> RTSPResponse {
        let first = UInt8(truncatingIfNeeded: seats.count * 2)
        var seat = Seat()
        let wanted: String
        if transport == .udp {
            let sockets = try RTPSockets(beside: connection.descriptor)
            seat.sockets = sockets
            wanted = "RTP/AVP;unicast;client_port=\(sockets.port)-\(sockets.port + 1)"
        } else {
            seat.channels = (first, first + 1)
            wanted = "RTP/AVP/TCP;unicast;interleaved=\(first)-\(first + 1)"
        }
        let answer = try ask("SETUP", control, ["Transport": wanted])
        guard answer.status == 200 else { return answer }
        keepalive.learn(answer.headers)
        let found = RTSPTransport(answer.headers["Transport"] ?? "")
        if let sockets = seat.sockets {
            sockets.open(toward: connection.descriptor, found)
        } else if let channels = found.channels {
            seat.channels = channels
        }
        seats.append(seat)
        wire.channels = Set(seats.flatMap { seat in seat.channels.map { [$0.rtp, $0.rtcp] } ?? [] })
        return answer
    }

    private func sessionBase(_ control: String?) -> String {
        RTSPURL.controls(control, base: aggregate).first ?? aggregate
    }

    /// Lets the packets come.
    package func play(sessionControl: String?) throws(CampipeError) {
        let place = sessionBase(sessionControl)
        var answer = try ask("PLAY", place, ["Range": "npt=0.000-"])
        // A live stream has no beginning, say some.
        if [400, 457].contains(answer.status) { answer = try ask("PLAY", place) }
        try check(answer, "PLAY")
        keepalive.learn(answer.headers)
        aggregate = place
        isPlaying = true
    }

    /// Says that we leave. Waits for the answer for a third of a second at most; what fails is no matter then.
    package func tearDown() {
        guard keepalive.session != nil else { return }
        do throws(CampipeError) {
            let number = try send("TEARDOWN", aggregate, [:])
            for _ in 0..<3 where ending == nil {
                wait(milliseconds: Self.slice)
                while let unit = wire.next() {
                    if case .response(let answer) = unit, answer.number == number { return }
                }
            }
        } catch {
            // It is gone already.
        }
    }

    // MARK: Packets

    /// The next packet.
    ///
    /// - Returns: nil when none came within a tenth of a second.
    /// - Throws: `.ended` when the camera ended the stream, `.unavailable` when the connection or the session is gone.
    package func next() throws(CampipeError) -> RTPArrival? {
        try keep()
        if arrivals.isEmpty {
            try takeUnits()
            if arrivals.isEmpty {
                if let ending { throw ending }
                wait(milliseconds: Self.slice)
                try takeUnits()
            }
            arrivals.reverse()  // taken from the end
        }
        return arrivals.popLast()
    }

    /// Sends RTCP for a track.
    package func report(_ bytes: [UInt8], track: Int) throws(CampipeError) {
        guard seats.indices.contains(track) else { return }
        if let sockets = seats[track].sockets {
            sockets.send(bytes, isControl: true)
        } else if let channels = seats[track].channels {
            try connection.send(
                [UInt8(ascii: "$"), channels.rtcp, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes)
        }
    }

    /// Keeps the session, when it is time.
    private func keep() throws(CampipeError) {
        guard isPlaying, ending == nil, clock.now - lastRequest >= keepalive.interval else { return }
        let method = keepalive.method
        asked = (try send(method, aggregate, [:]), method)
    }

    private func kept(_ answer: RTSPResponse, _ method: String) throws(CampipeError) {
        switch answer.status {
        case 200..<300: break
        case 401:
            // The nonce has run out.
            if let next = RTSPChallenge(answer.headers.all("WWW-Authenticate")), next.nonce != challenge?.nonce {
                challenge = next
                asked = (try send(method, aggregate, [:]), method)
            }
        case 454:
            throw CampipeError(.unavailable, "\(url.shown): the camera has forgotten the session (454)")
        default:
            guard method != "OPTIONS" else { return }
            keepalive.refuse(method)
            asked = (try send(keepalive.method, aggregate, [:]), keepalive.method)
        }
    }

    // MARK: Requests

    /// Asks and waits for the answer; a challenge is answered.
    private func ask(_ method: String, _ uri: String, _ headers: HTTPHeaders = [:]) throws(CampipeError) -> RTSPResponse
    {
        var offered: [String] = []
        for attempt in 0... {
            let answer = try response(to: try send(method, uri, headers))
            guard answer.status == 401 else { return answer }
            offered = LoginOffer.schemes(of: answer.headers)
            // A nonce may have run out, and then there is another; an answer to the same one was wrong, and cameras
            // count those.
            guard request.username != nil, let next = RTSPChallenge(answer.headers.all("WWW-Authenticate")),
                attempt == 0, challenge == nil || next.nonce != challenge?.nonce
            else { break }
            challenge = next
        }
        throw .refused(
            url.shown, 401, hadCredentials: request.username != nil, challenges: offered, retryAfter: 0)
    }

    @discardableResult
    private func send(_ method: String, _ uri: String, _ headers: HTTPHeaders) throws(CampipeError) -> Int {
        lastNumber += 1
        lastRequest = clock.now
        var text = "\(method) \(uri) RTSP/1.0\r\nCSeq: \(lastNumber)\r\nUser-Agent: campipe\r\n"
        if let username = request.username, challenge != nil {
            let answer = challenge?.answer(
                method, uri, username: username, password: request.password ?? "", random: Self.random())
            if let answer { text += "Authorization: \(answer)\r\n" }
        }
        if let session = keepalive.session { text += "Session: \(session)\r\n" }
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        try connection.send(Array("\(text)\r\n".utf8))
        return lastNumber
    }

    private func response(to number: Int) throws(CampipeError) -> RTSPResponse {
        let deadline = clock.now + request.connectTimeout
        while true {
            while let unit = wire.next() {
                // An answer without a number is the one that is waited for.
                if case .response(let answer) = unit, (answer.number ?? number) == number { return answer }
                try take(unit)
            }
            if let ending { throw ending }
            guard !stop.isRaised else { throw CampipeError(.unavailable, "\(url.shown): stopped") }
            guard clock.now < deadline else {
                throw CampipeError(
                    .timedOut, "cannot open \(url.shown): no answer in \(Int(request.connectTimeout.seconds)) s",
                    fix: "check the address or raise `connect_timeout`")
            }
            wait(milliseconds: Self.slice)
        }
    }

    /// - Throws: What an answer that is no good means.
    private func check(_ answer: RTSPResponse, _ method: String) throws(CampipeError) {
        guard answer.status != 200 else { return }
        let said =
            "cannot open \(url.shown): it answers \(answer.status)\(answer.reason.isEmpty ? "" : " ")\(answer.reason)"
        switch answer.status {
        case 401, 403:
            throw .refused(
                url.shown, answer.status, hadCredentials: request.username != nil,
                challenges: LoginOffer.schemes(of: answer.headers), retryAfter: 0)
        case 404, 410: throw CampipeError(.notFound, "\(said) to \(method)", fix: "check the path of the URL")
        case 408, 429, 453, 454, 500...599: throw CampipeError(.unavailable, "\(said) to \(method)")
        default: throw CampipeError(.failed, "\(said) to \(method)")
        }
    }

    // MARK: What comes

    /// Waits for the network, and reads what is there. An end of the connection is kept for later.
    private func wait(milliseconds: Int32) {
        guard !(read() || takeDatagrams()), ending == nil else { return }
        var waits = [pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)]
        for seat in seats {
            if let sockets = seat.sockets {
                waits.append(pollfd(fd: sockets.rtp, events: Int16(POLLIN), revents: 0))
                waits.append(pollfd(fd: sockets.rtcp, events: Int16(POLLIN), revents: 0))
            }
        }
        guard unsafe poll(&waits, nfds_t(waits.count), milliseconds) > 0 else { return }
        _ = takeDatagrams()
        _ = read()
    }

    /// Reads the connection: a burst at once, but no more than is well.
    private func read() -> Bool {
        var isAny = false
        do throws(CampipeError) {
            while ending == nil, !wire.isLarge, unsafe try connection.receive({ bytes in unsafe wire.receive(bytes) }) {
                isAny = true
            }
        } catch {
            ending = error
        }
        return isAny
    }

    private func takeDatagrams() -> Bool {
        var isAny = false
        for (index, seat) in seats.enumerated() {
            guard let sockets = seat.sockets else { continue }
            for isControl in [false, true] {
                while let bytes = sockets.receive(isControl: isControl, into: &datagram) {
                    arrivals.append(RTPArrival(track: index, isControl: isControl, bytes: bytes, at: clock.now))
                    isAny = true
                }
            }
        }
        return isAny
    }

    private func takeUnits() throws(CampipeError) {
        while let unit = wire.next() { try take(unit) }
    }

    private func take(_ unit: RTSPUnit) throws(CampipeError) {
        switch unit {
        case .data(let channel, let bytes):
            for (index, seat) in seats.enumerated() {
                guard let channels = seat.channels, channel == channels.rtp || channel == channels.rtcp else {
                    continue
                }
                arrivals.append(
                    RTPArrival(track: index, isControl: channel != channels.rtp, bytes: bytes, at: clock.now))
                return
            }
        case .response(let answer):
            guard let asked, answer.number == asked.number else { return }
            self.asked = nil
            try kept(answer, asked.method)
        case .request(let method, let number):
            try connection.send(Array("RTSP/1.0 200 OK\r\nCSeq: \(number)\r\n\r\n".utf8))
            if method == "TEARDOWN" || method == "REDIRECT" {
                throw CampipeError(.ended, "the camera ended the stream")
            }
        }
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(generator.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
