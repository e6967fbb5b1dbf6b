import Glibc

/// An address that is one's own on one link only, with the link's name (RFC 4007).
struct LinkLocal: Sendable {
    var address: in6_addr
    var scope: UInt32
    /// `fe80::1`.
    var text: String
    /// `eth0`.
    var interface: String

    /// This machine's first one that is in use; nil without.
    static var first: LinkLocal? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let raw = entry.pointee.ifa_addr, raw.pointee.sa_family == sa_family_t(AF_INET6),
                entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
            else { continue }
            let found = raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee }
            guard found.sin6_scope_id != 0 else { continue }
            var address = found.sin6_addr
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { continue }
            let digits = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return LinkLocal(
                address: address, scope: found.sin6_scope_id, text: String(decoding: digits, as: UTF8.self),
                interface: String(cString: entry.pointee.ifa_name))
        }
        return nil
    }
}
