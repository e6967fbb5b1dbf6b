import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// The way to an RTSP server and back: one connection, or a tunnel of two HTTP requests. One owner, one thread.
///
/// The tunnel is Apple's: what the camera sends is the endless answer to a GET, what it is sent the body of a POST, in
/// base64; a cookie makes them one.
@safe final class RTSPConnection {
    private let reading: RTSPSocket
    private let writing: RTSPSocket
    private let isTunnel: Bool
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    /// What came behind the head of the tunnel's answer.
    private var early: [UInt8] = []

    var descriptor: Int32 { reading.descriptor }

    init(_ request: RTSPRequest, stop: StopFlag) throws(CampipeError) {
        reading = try RTSPSocket(request, stop: stop)
        writing = reading
        isTunnel = false
    }

    /// Opens a tunnel.
    ///
    /// - Parameters:
    ///   - authorization: Answers a challenge for the method and the path; nil without credentials.
    ///   - cookie: Makes the two requests one; not used before.
    init(
        tunnel request: RTSPRequest, cookie: String, stop: StopFlag, clock: any PipelineClock,
        authorization: (_ challenges: [String], _ method: String, _ path: String) -> String?
    ) throws(CampipeError) {
        let slash = request.url.text.dropFirst(request.url.isTLS ? 8 : 7).drop { $0 != "/" && $0 != "?" }
        let path = slash.hasPrefix("/") ? String(slash) : "/\(slash)"
        let common =
            "\(path) HTTP/1.0\r\nHost: \(request.url.host)\r\nUser-Agent: campipe\r\nx-sessioncookie: \(cookie)\r\n"
            + "Pragma: no-cache\r\nCache-Control: no-cache\r\n"
        let get = "GET \(common)Accept: application/x-rtsp-tunnelled\r\n"
        var socket = try RTSPSocket(request, stop: stop)
        let shown = request.url.shown
        try socket.send(Array("\(get)\r\n".utf8))
        var head = try Self.head(socket, shown, request.connectTimeout, stop, clock)
        var challenges: [String] = []
        if head.status == 401 { challenges = head.headers.all("WWW-Authenticate") }
        if !challenges.isEmpty, let answer = authorization(challenges, "GET", path) {
            socket = try RTSPSocket(request, stop: stop)
            try socket.send(Array("\(get)Authorization: \(answer)\r\n\r\n".utf8))
            head = try Self.head(socket, shown, request.connectTimeout, stop, clock)
        }
        guard head.status == 200 else {
            throw .refused(
                shown, head.status, hadCredentials: request.username != nil,
                challenges: LoginOffer.schemes(of: head.headers), retryAfter: 0)
        }
        var post = "POST \(common)Content-Type: application/x-rtsp-tunnelled\r\nContent-Length: 32767\r\n"
        post += "Expires: Sun, 9 Jan 1972 00:00:00 GMT\r\n"
        if !challenges.isEmpty, let answer = authorization(challenges, "POST", path) {
            post += "Authorization: \(answer)\r\n"
        }
        reading = socket
        writing = try RTSPSocket(request, stop: stop)
        isTunnel = true
        early = head.rest
        try writing.send(Array("\(post)\r\n".utf8))
    }

    func send(_ bytes: [UInt8]) throws(CampipeError) {
        try writing.send(isTunnel ? Array(Base64.text(bytes).utf8) : bytes)
    }

    /// Gives what is there to `take`; false when there is nothing yet.
    func receive(_ take: (UnsafeRawBufferPointer) -> Void) throws(CampipeError) -> Bool {
        if !early.isEmpty {
            unsafe early.withUnsafeBytes { unsafe take($0) }
            early = []
            return true
        }
        guard let count = try reading.receive(into: &buffer) else { return false }
        unsafe buffer.withUnsafeBytes { unsafe take(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        return true
    }

    private typealias Head = (status: Int, headers: HTTPHeaders, rest: [UInt8])

    private static func head(
        _ socket: RTSPSocket, _ shown: String, _ limit: Duration, _ stop: StopFlag, _ clock: any PipelineClock
    ) throws(CampipeError) -> Head {
        let deadline = clock.now + limit
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < RTSPWire.headLimit {
            if let count = try socket.receive(into: &buffer) {
                bytes += buffer[..<count]
            } else {
                guard !stop.isRaised, clock.now < deadline else { break }
                var wait = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&wait, 1, 100)
            }
            guard let (lines, end) = RTSPWire.head(bytes[...]) else { continue }
            let words = lines.first?.split(separator: 0x20) ?? []
            guard words.count > 1, let status = decimal(words[1]) else { break }
            return (status, RTSPWire.fields(lines.dropFirst()), Array(bytes[end...]))
        }
        throw CampipeError(.timedOut, "cannot open \(shown): no answer to the tunnel's request")
    }
}
