/// `host:port` of a server: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
struct ListenAddress: Hashable {
    let host: String
    let port: Int

    init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        var host = String(text[..<colon])
        let digits = text[text.utf8.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits), port <= 65535
        else {
            return nil
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") })
        else {
            return nil
        }
        self.host = host
        self.port = port
    }

    /// Whether only this machine reaches it.
    var isLoopback: Bool {
        host == "localhost" || host == "::1"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") })
    }

    /// Whether it is an address in digits, not a name.
    var isNumeric: Bool {
        host.contains(":") || host.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
    }

    /// What was probably meant.
    static func fix(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) { return "write \"127.0.0.1:\(text)\"" }
        if text.hasPrefix(":") { return "write \"127.0.0.1\(text)\" for this machine, \"0.0.0.0\(text)\" for all" }
        return "write host:port, such as \"127.0.0.1:8080\", the port from 0 to 65535"
    }
}
