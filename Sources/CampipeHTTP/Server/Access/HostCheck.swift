#if canImport(Glibc)
    import Glibc
#endif

/// Which names a browser may have reached the server by; keeps other sites out that point a name of theirs at this
/// machine (DNS rebinding). A value.
///
/// Addresses always pass, since only names can be pointed elsewhere; so does a client that names no host, which no
/// browser does.
package struct HostCheck: Sendable, Hashable {
    private let names: Set<String>

    /// - Parameter names: Taken beside `localhost` and what ends with `.localhost`.
    package init(_ names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

    /// For a server on the loopback interface: this machine's own name, with and without `.local`, and `more`.
    package static func thisMachine(and more: [String]) -> HostCheck {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return HostCheck(more) }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let short = String(name.prefix { $0 != "." })
        return HostCheck(more + [name, short, short + ".local"])
    }

    /// - Parameter host: The field `Host`: a name or an address, maybe with a port.
    package func accepts(_ host: String?) -> Bool {
        guard let host, !host.isEmpty else { return true }
        if host.hasPrefix("[") { return true }
        var name = String(host.prefix { $0 != ":" }).lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return name == "localhost" || name.hasSuffix(".localhost") || names.contains(name)
    }
}
