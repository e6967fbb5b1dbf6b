import Foundation
import Glibc

/// Plays answers byte for byte on loopback, one connection a thread; it closes a connection after its answer.
final class ReplayServer: @unchecked Sendable {
    // Unchecked: constant but for what is under the lock.
    struct Request: Sendable {
        var method: String
        var target: String
        var headers: [String: String]
        /// The name of the case in `/name/rest`.
        var name: String { target.split { $0 == "/" || $0 == "?" }.first.map(String.init) ?? "" }
    }
    enum Ending: Sendable { case close, reset, stall, keep }
    struct Reply: Sendable {
        var bytes: [UInt8]
        var chunk = 1460
        var then = Ending.close
    }

    let port: UInt16
    private let listener: Int32
    private let reply: @Sendable (Request) -> Reply
    private let lock = NSLock()
    private var seen: [Request] = []
    private var open: Set<Int32> = []
    private var accepted = 0
    private var isOver = false

    /// - Parameters:
    ///   - isIPv6: Listens on ::1 rather than on 127.0.0.1.
    ///   - zone: With this, on the link-local address of that interface.
    init(isIPv6: Bool = false, zone: LinkLocal? = nil, _ reply: @escaping @Sendable (Request) -> Reply) throws {
        self.reply = reply
        listener = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Family, port, and what is the same in both; the rest is the address.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        address.sin6_family = sa_family_t(isIPv6 ? AF_INET6 : AF_INET)
        if isIPv6 {
            address.sin6_addr = zone?.address ?? in6addr_loopback
            address.sin6_scope_id = zone?.scope ?? 0
        } else {
            address.sin6_flowinfo = UInt32(0x7F00_0001).bigEndian  // where sockaddr_in has its address
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
        }
        let descriptor = listener
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard code else { throw TestClient.Closed() }
        port = UInt16(bigEndian: address.sin6_port)
        Thread.detachNewThread { [weak self] in
            // Closed by who waits on it: else another test's socket may have its number by then, and lose a connection.
            defer { close(descriptor) }
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                guard let self else {
                    close(client)
                    return
                }
                // A program that another test starts must not hold it open.
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard note(open: client) else {
                    close(client)
                    return
                }
                Thread.detachNewThread {
                    self.serve(client)
                    self.lock.withLock { _ = self.open.remove(client) }
                    close(client)
                }
            }
        }
    }

    /// Ends all; call it last.
    func stop() {
        let clients = lock.withLock {
            isOver = true
            return open
        }
        for client in clients { shutdown(client, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// What clients have asked so far.
    var requests: [Request] { lock.withLock { seen } }

    /// How many connections there were so far.
    var connections: Int { lock.withLock { accepted } }

    /// How many are open now.
    var openConnections: Int { lock.withLock { open.count } }

    private func note(open client: Int32) -> Bool {
        lock.withLock {
            if !isOver {
                open.insert(client)
                accepted += 1
            }
            return !isOver
        }
    }

    private func serve(_ client: Int32) {
        var one: Int32 = 1
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        while let request = read(client) {
            lock.withLock { seen.append(request) }
            let reply = reply(request)
            var position = 0
            while position < reply.bytes.count {
                let end = min(position + reply.chunk, reply.bytes.count)
                let count = reply.bytes[position..<end].withUnsafeBytes {
                    send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                position += count
            }
            switch reply.then {
            case .keep: continue
            case .close:
                shutdown(client, Int32(SHUT_WR))
                return
            case .stall:
                var byte: UInt8 = 0
                while recv(client, &byte, 1, 0) > 0 {}
                return
            case .reset:
                var value = linger(l_onoff: 1, l_linger: 0)
                setsockopt(client, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
                return
            }
        }
    }

    private func read(_ client: Int32) -> Request? {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(client, &byte, 1, 0) == 1, head.count < 100_000 else { return nil }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        return Request(method: words[0], target: words[1], headers: headers)
    }
}

extension ReplayServer {
    /// Plays the kept cases by name, with their logins and their redirects.
    static func ofCases() throws -> ReplayServer {
        try ReplayServer { request in
            guard let one = Case.named(request.name) else {
                return Reply(bytes: Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
            }
            do {
                switch one.kind {
                case "http-auth":
                    let isRight = one.auth.map { $0.accepts(request) } ?? false
                    return Reply(bytes: try one.bytes(isRight ? "ok" : "deny"))
                case "http-script":
                    return Reply(bytes: try one.bytes(request.target.hasSuffix("/real") ? "ok" : "redirect"))
                default: return Reply(bytes: try one.bytes(), then: one.then == "reset" ? .reset : .close)
                }
            } catch {
                return Reply(bytes: [])
            }
        }
    }
}

extension Case.Auth {
    /// Checks a login as a camera does (RFC 7617, RFC 7616, RFC 2069).
    func accepts(_ request: ReplayServer.Request) -> Bool {
        guard let value = request.headers["authorization"], let blank = value.firstIndex(of: " ") else { return false }
        let given = value[..<blank].lowercased()
        let rest = String(value[value.index(after: blank)...])
        if scheme == "basic" {
            return given == "basic" && Data(base64Encoded: rest) == Data("\(user):\(self.password)".utf8)
        }
        guard given == "digest" else { return false }
        let fields = digestFields(rest)
        let algorithm = fields["algorithm"] ?? "MD5"
        let hash: ([UInt8]) -> String
        switch algorithm.uppercased() {
        case "MD5": hash = md5
        case "SHA-256": hash = sha256
        default: return false
        }
        guard fields["uri"] == request.target, fields["nonce"] == nonce, fields["realm"] == realm else { return false }
        func h(_ text: String) -> String { hash(Array(text.utf8)) }
        let first = h("\(user):\(realm ?? ""):\(password)")
        let second = h("\(request.method):\(request.target)")
        guard let qop else { return fields["response"] == h("\(first):\(nonce ?? ""):\(second)") }
        guard fields["qop"] == qop else { return false }
        return fields["response"]
            == h("\(first):\(nonce ?? ""):\(fields["nc"] ?? ""):\(fields["cnonce"] ?? ""):\(qop):\(second)")
    }

    private func digestFields(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        var rest = Substring(text)
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].trimmingCharacters(in: CharacterSet(charactersIn: " ,"))
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                rest = rest.dropFirst()
                let end = rest.firstIndex(of: "\"") ?? rest.endIndex
                fields[name] = String(rest[..<end])
                rest = rest[end...].dropFirst()
            } else {
                let end = rest.firstIndex(of: ",") ?? rest.endIndex
                fields[name] = rest[..<end].trimmingCharacters(in: .whitespaces)
                rest = rest[end...]
            }
        }
        return fields
    }
}
