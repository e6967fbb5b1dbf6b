import CampipeHTTP
import Glibc

/// The addresses under which other machines find this one.
enum MachineAddresses {
    /// IPv4, of interfaces that are up, the loopback one left out.
    static var all: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var found: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            unsafe next = entry.pointee.ifa_next
            let flags = unsafe entry.pointee.ifa_flags
            guard flags & UInt32(IFF_UP) != 0, flags & UInt32(IFF_LOOPBACK) == 0 else { continue }
            guard let address = unsafe entry.pointee.ifa_addr, unsafe address.pointee.sa_family == AF_INET else {
                continue
            }
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = unsafe getnameinfo(address, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
            guard code == 0 else { continue }
            found.append(String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return found
    }
}
