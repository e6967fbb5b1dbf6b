import CNet
package import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// Where a server listens: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, `:8080` for all addresses.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host name or a numeric address, without brackets; empty for all addresses.
    package var host: String
    /// 0 lets the system choose one.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// - Throws: `.configuration` with an example.
    package init(_ text: String) throws(CampipeError) {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            let number = decimal(bytes[(colon + 1)...]), let port = UInt16(exactly: number)
        else { throw ListenAddress.malformed(text) }
        var host = String(decoding: bytes[..<colon], as: UTF8.self)
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw ListenAddress.malformed(text)
        }
        self.init(host: host, port: port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Whether it stands for all addresses of the machine.
    package var isForAll: Bool { ["", "0.0.0.0", "::"].contains(host) }

    /// The URL of a server here, without a path.
    ///
    /// - Parameter userInfo: Stands before the host, with its @.
    package func url(isSecure: Bool, userInfo: String = "") -> String {
        "http\(isSecure ? "s" : "")://\(userInfo)\(self)"
    }

    private static func malformed(_ text: String) -> CampipeError {
        CampipeError(
            .configuration, "cannot listen on \"\(text)\"", fix: "write an address and a port, such as 127.0.0.1:8080")
    }

    /// Opens a listening socket.
    ///
    /// - Parameter setting: Where whoever runs it says another port, for the fix.
    /// - Returns: The descriptor, which is the caller's, and the address with the port that was chosen.
    /// - Throws: `.failed` with what to do: the port is in use, or may not be used.
    package func open(
        setting: String = "`server: {listen: ...}` or --listen"
    ) throws(CampipeError) -> (descriptor: Int32, address: ListenAddress) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_family = host.isEmpty ? AF_INET : AF_UNSPEC
        var found: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &found)
        defer { if unsafe found != nil { unsafe freeaddrinfo(found) } }
        guard code == 0, let info = unsafe found?.pointee else {
            throw CampipeError(
                .failed, "cannot listen on \(self): there is no such address",
                fix: "use an address of this machine, such as 127.0.0.1 or 0.0.0.0")
        }
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(info.ai_family, flags, 0)
        guard descriptor >= 0 else {
            throw .system("cannot listen on \(self)", errno: errno, kind: .exhausted)
        }
        var one: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1024) == 0 else {
            let code = errno
            close(descriptor)
            throw failure(code, setting)
        }
        return (descriptor, ListenAddress(host: host, port: boundPort(descriptor) ?? port))
    }

    private func failure(_ code: Int32, _ setting: String) -> CampipeError {
        switch code {
        case EADDRINUSE:
            CampipeError(
                .failed, "cannot listen on \(self): port \(port) is in use",
                fix: "stop the program that holds it, or choose another port with \(setting)",
                context: [("errno", String(code))])
        case EACCES:
            .system(
                "cannot listen on \(self)", errno: code, fix: "ports below 1024 need privileges; choose a higher one")
        case EADDRNOTAVAIL:
            .system(
                "cannot listen on \(self)", errno: code,
                fix: "use an address of this machine, such as 127.0.0.1 or 0.0.0.0")
        default: .system("cannot listen on \(self)", errno: code)
        }
    }
}

/// The port that a socket is bound to.
private func boundPort(_ descriptor: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
    }
    return code == 0 ? numericName(&storage, length).flatMap { UInt16($0.port) } : nil
}

/// The numeric host and port of a socket address.
func numericName(_ storage: inout sockaddr_storage, _ length: socklen_t) -> (host: String, port: String)? {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let hostCount = socklen_t(host.count)
    let portCount = socklen_t(port.count)
    let code = unsafe withUnsafePointer(to: &storage) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe getnameinfo($0, length, &host, hostCount, &port, portCount, NI_NUMERICHOST | NI_NUMERICSERV)
        }
    }
    guard code == 0 else { return nil }
    func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return (text(host), text(port))
}
