import Dispatch
import Foundation
import Glibc

/// A camera on loopback that speaks RTSP as a script says, byte for byte; one connection a thread.
///
/// It uses neither the test library nor what is internal, so the checks of the release build compile it too.
final class RTSPPlayback: @unchecked Sendable {
    // Unchecked: constant but for what is under the lock.

    /// What comes after the stream.
    enum Ending: Sendable { case close, stall, loop, reset }

    /// How the camera answers. `{url}` stands for its own address with the path.
    struct Script: Sendable {
        var sdp: [UInt8] = []
        /// Interleaved packets, with whatever stands between them.
        var stream: [UInt8] = []
        var then = Ending.close
        var contentBase = "{url}/"
        var hasContentType = true
        var numberName = "CSeq"
        var endsLinesWithLF = false
        var offered = "OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER"
        /// The field `Transport` of TCP's answers.
        var transport = "RTP/AVP/TCP;unicast;interleaved=0-1"
        var refusesTCP = false
        var refusesUDP = false
        /// Whether it agrees to TCP, plays, and sends nothing by it.
        var isSilentOverTCP = false
        /// Tracks whose control holds one of these are not there.
        var missing: [String] = []
        var playFields = ""
        var timeout: Int?
        /// Whether the first packet comes before the answer to PLAY.
        var isEarly = false
        /// After so many requests that keep the session it is forgotten.
        var forgetsAfter: Int?
        /// Pauses after so many bytes.
        var rate = 0
        /// The field `WWW-Authenticate` of 401, and who may pass; for all but OPTIONS.
        var challenge: String?
        var admits: @Sendable (_ method: String, _ uri: String, _ authorization: String?) -> Bool = { _, _, _ in true }
    }

    struct Request: Sendable {
        var method: String
        var uri: String
        var headers: [String: String]
        var connection: Int
    }

    let port: UInt16
    private let listener: LoopbackListener
    private let script: @Sendable (_ path: String) -> Script
    private let lock = NSLock()
    private var seen: [Request] = []
    private var open: Set<Int32> = []
    private var accepted = 0
    private var isOver = false

    convenience init(_ script: Script) throws { try self.init { _ in script } }

    /// - Parameter script: By the first part of the path.
    init(_ script: @escaping @Sendable (_ path: String) -> Script) throws {
        self.script = script
        listener = try LoopbackListener()
        port = listener.port
        listener.accept { [weak self] client in
            guard let self, let number = note(open: client) else { return false }
            Thread.detachNewThread {
                Visit(self, client, number).serve()
                self.lock.withLock { _ = self.open.remove(client) }
                close(client)
            }
            return true
        }
    }

    /// Ends all; call it last.
    func stop() {
        let clients = lock.withLock {
            isOver = true
            return open
        }
        for client in clients { shutdown(client, Int32(SHUT_RDWR)) }
        listener.stop()
    }

    func url(_ path: String = "live") -> String { "rtsp://127.0.0.1:\(port)/\(path)" }

    /// What was asked so far.
    var requests: [Request] { lock.withLock { seen } }
    /// How many connections there were so far.
    var connections: Int { lock.withLock { accepted } }
    /// How many are open now.
    var openConnections: Int { lock.withLock { open.count } }

    private func note(open client: Int32) -> Int? {
        lock.withLock {
            guard !isOver else { return nil }
            open.insert(client)
            accepted += 1
            return accepted
        }
    }

    fileprivate func note(_ request: Request) { lock.withLock { seen.append(request) } }

    fileprivate static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    /// One connection.
    private final class Visit: @unchecked Sendable {
        // Unchecked: constant but for what is under the lock.
        private let server: RTSPPlayback
        private let client: Int32
        private let number: Int
        private let lock = NSLock()
        private let players = DispatchGroup()
        private var isGone = false
        private var keeps = 0
        private var target: UInt16?

        init(_ server: RTSPPlayback, _ client: Int32, _ number: Int) {
            self.server = server
            self.client = client
            self.number = number
        }

        func serve() {
            var one: Int32 = 1
            setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            while let request = read() {
                server.note(request)
                guard answer(request) else { break }
            }
            // Whoever plays must not touch a descriptor that is another's by then.
            shutdown(client, Int32(SHUT_RDWR))
            lock.withLock { isGone = true }
            players.wait()
        }

        private func write(_ bytes: [UInt8]) -> Bool {
            // Whole packets and whole answers, never one within the other.
            lock.withLock {
                var sent = 0
                while sent < bytes.count {
                    let count = bytes[sent...].withUnsafeBytes {
                        Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    guard count > 0 else { return false }
                    sent += count
                }
                return true
            }
        }

        /// The next request; packets of RTCP before it are passed over.
        private func read() -> Request? {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while recv(client, &byte, 1, 0) == 1 {
                if bytes.isEmpty, byte == UInt8(ascii: "$") {
                    var head = [UInt8](repeating: 0, count: 3)
                    guard recv(client, &head, 3, Int32(MSG_WAITALL)) == 3 else { return nil }
                    var rest = [UInt8](repeating: 0, count: Int(head[1]) << 8 | Int(head[2]))
                    guard recv(client, &rest, rest.count, Int32(MSG_WAITALL)) == rest.count else { return nil }
                    continue
                }
                bytes.append(byte)
                guard bytes.count < 65_536 else { return nil }
                if bytes.suffix(4) == [13, 10, 13, 10] { break }
            }
            let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            guard words.count == 3 else { return nil }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                headers[line[..<colon].lowercased()] =
                    line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            return Request(method: String(words[0]), uri: String(words[1]), headers: headers, connection: number)
        }

        /// - Returns: Whether the connection goes on.
        private func answer(_ request: Request) -> Bool {
            let path = request.uri.components(separatedBy: "/").dropFirst(3).first ?? ""
            let script = server.script(path)
            let own = server.url(path)
            func reply(_ status: String, _ fields: [String] = [], _ body: [UInt8] = []) -> Bool {
                let end = script.endsLinesWithLF ? "\n" : "\r\n"
                var lines = ["RTSP/1.0 \(status)", "\(script.numberName): \(request.headers["cseq"] ?? "0")"] + fields
                if !body.isEmpty { lines.append("Content-Length: \(body.count)") }
                return write(Array((lines.joined(separator: end) + end + end).utf8) + body)
            }
            if let challenge = script.challenge, request.method != "OPTIONS",
                !script.admits(request.method, request.uri, request.headers["authorization"])
            {
                return reply("401 Unauthorized", ["WWW-Authenticate: \(challenge)"])
            }
            let session = "Session: C0FFEE42" + (script.timeout.map { ";timeout=\($0)" } ?? "")
            switch request.method {
            case "OPTIONS", "GET_PARAMETER", "SET_PARAMETER":
                guard script.offered.contains(request.method) else { return reply("501 Not Implemented") }
                if request.headers["session"] != nil {
                    keeps += 1
                    if let limit = script.forgetsAfter, keeps > limit {
                        lock.withLock { isGone = true }
                        return reply("454 Session Not Found")
                    }
                }
                return reply("200 OK", ["Public: \(script.offered)"])
            case "DESCRIBE":
                let base = ["Content-Base: " + script.contentBase.replacingOccurrences(of: "{url}", with: own)]
                return reply(
                    "200 OK", base + (script.hasContentType ? ["Content-Type: application/sdp"] : []), script.sdp)
            case "SETUP":
                let wanted = request.headers["transport"] ?? ""
                if request.uri.dropFirst(7).contains("//")
                    || script.missing.contains(where: { request.uri.contains($0) })
                {
                    return reply("404 Not Found")
                }
                let isTCP = wanted.contains("TCP")
                if isTCP ? script.refusesTCP : script.refusesUDP { return reply("461 Unsupported Transport") }
                guard !isTCP else {
                    // The channels that were asked for, but where the script has words of its own.
                    let usual =
                        script.transport.contains("interleaved=0-1;")
                        || script.transport.hasSuffix("-1") && wanted.contains("=0-1")
                    return reply("200 OK", ["Transport: " + (usual ? script.transport : wanted), session])
                }
                target = wanted.components(separatedBy: "client_port=").dropFirst().first.flatMap {
                    UInt16($0.prefix { $0.isNumber })
                }
                return reply("200 OK", ["Transport: \(wanted);server_port=6970-6971", session])
            case "PLAY":
                if script.isEarly, script.stream.count > 4 {
                    let count = 4 + Int(script.stream[2]) << 8 + Int(script.stream[3])
                    guard write(Array(script.stream[..<count])) else { return false }
                }
                let fields = script.playFields.isEmpty ? session : script.playFields
                guard
                    reply(
                        "200 OK",
                        fields.replacingOccurrences(of: "{session}", with: "C0FFEE42").components(separatedBy: "\r\n"))
                else { return false }
                players.enter()
                Thread.detachNewThread {
                    self.play(script)
                    self.players.leave()
                }
                return true
            case "TEARDOWN":
                _ = reply("200 OK")
                return false
            default: return reply("405 Method Not Allowed")
            }
        }

        private func play(_ script: Script) {
            if script.isSilentOverTCP, target == nil { return }
            let bytes = script.stream
            repeat {
                var at = 0
                while at < bytes.count, !lock.withLock({ isGone }) {
                    let count = unit(bytes, at)
                    let isWritten =
                        target.map { send(Array(bytes[at..<at + count]), to: $0) }
                        ?? write(Array(bytes[at..<at + count]))
                    guard isWritten else { return }
                    at += count
                    if script.rate > 0 { usleep(UInt32(count * 1_000_000 / script.rate)) }
                }
                if lock.withLock({ isGone }) { break }
            } while script.then == .loop
            switch script.then {
            case .stall: return
            case .reset:
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
                shutdown(client, Int32(SHUT_RDWR))
            case .close, .loop:
                // What was sent by UDP is on its way still.
                if target != nil { usleep(300_000) }
                shutdown(client, Int32(SHUT_RDWR))
            }
        }

        /// The next whole packet, or what stands before it.
        private func unit(_ bytes: [UInt8], _ at: Int) -> Int {
            if bytes[at] == UInt8(ascii: "$"), at + 4 <= bytes.count {
                return min(bytes.count - at, 4 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3]))
            }
            return (bytes[at...].firstIndex(of: UInt8(ascii: "$")) ?? bytes.count) - at
        }

        private func send(_ packet: [UInt8], to port: UInt16) -> Bool {
            guard packet.count > 4, packet[0] == UInt8(ascii: "$") else { return true }
            let made = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(made) }
            var address = RTSPPlayback.loopback(port)
            let payload = Array(packet[4...])
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    sendto(made, payload, payload.count, 0, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) >= 0
                }
            }
        }
    }
}

extension RTSPPlayback {
    /// JPEGs of 4:2:0 as interleaved packets (RFC 2435, tables in each), ten a second; each fits one packet.
    static func jpegs(_ pictures: [[UInt8]], ticks: UInt32 = 9000) -> [UInt8] {
        var stream: [UInt8] = []
        for (number, jpeg) in pictures.enumerated() {
            var tables: [UInt8] = []
            var scan: [UInt8] = []
            var size: (width: UInt8, height: UInt8) = (0, 0)
            var at = 2
            while at + 4 <= jpeg.count, jpeg[at] == 0xFF {
                let length = Int(jpeg[at + 2]) << 8 | Int(jpeg[at + 3])
                let body = jpeg[(at + 4)..<(at + 2 + length)]
                switch jpeg[at + 1] {
                case 0xDB:
                    var rest = body
                    while rest.count >= 65 {
                        tables += rest.dropFirst().prefix(64)
                        rest = rest.dropFirst(65)
                    }
                case 0xC0:
                    let sides = Array(body)
                    size = (
                        UInt8((Int(sides[3]) << 8 | Int(sides[4])) / 8), UInt8((Int(sides[1]) << 8 | Int(sides[2])) / 8)
                    )
                case 0xDA: scan = Array(jpeg[(at + 2 + length)..<(jpeg.count - 2)])
                default: break
                }
                if jpeg[at + 1] == 0xDA { break }
                at += 2 + length
            }
            let time = UInt32(number) &* ticks
            var packet: [UInt8] = [0x80, 0x80 | 26, UInt8(number >> 8 & 255), UInt8(number & 255)]
            packet += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + [0, 0, 0, 7]
            packet += [
                0, 0, 0, 0, 1, 255, size.width, size.height, 0, 0, UInt8(tables.count >> 8), UInt8(tables.count & 255),
            ]
            packet += tables + scan
            stream += [UInt8(ascii: "$"), 0, UInt8(packet.count >> 8), UInt8(packet.count & 255)] + packet
        }
        return stream
    }

    /// What a camera says that sends JPEGs.
    static let jpegDescription = Array(
        "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=cam\r\nt=0 0\r\nm=video 0 RTP/AVP 26\r\na=control:trackID=1\r\n".utf8)
}
