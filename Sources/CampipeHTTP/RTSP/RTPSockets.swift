import CampipeKit
#if canImport(Glibc)
    import Glibc
#endif

/// The pair of UDP sockets of one track, RTP on the even port and RTCP on the next (RFC 3550 section 11).
///
/// Only what comes from the camera's own address is taken. One owner, one thread.
final class RTPSockets {
    let rtp: Int32
    let rtcp: Int32
    let port: UInt16
    private var target: (rtp: sockaddr_storage, rtcp: sockaddr_storage)?
    private var accepted: [[UInt8]] = []

    /// - Parameter connection: The RTSP connection; the sockets are bound to its own address.
    /// - Throws: `.exhausted` when there is no free pair of ports.
    init(beside connection: Int32) throws(CampipeError) {
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = unsafe Self.generic(&own) { unsafe getsockname(connection, $0, &length) }
        for _ in 0..<32 {
            guard let first = Self.bound(own, port: 0) else { continue }
            let found = Self.port(of: first)
            let even = found & ~1
            // The pair is the even port and the odd one; whichever was given, the other must be free.
            guard let second = Self.bound(own, port: found == even ? even + 1 : even) else {
                close(first)
                continue
            }
            port = even
            rtp = found == even ? first : second
            rtcp = found == even ? second : first
            return
        }
        throw CampipeError(.exhausted, "there is no free pair of UDP ports")
    }

    deinit {
        close(rtp)
        close(rtcp)
    }

    /// Learns where the camera sends from, and sends there first, so that firewalls between let the answers in.
    func open(toward connection: Int32, _ transport: RTSPTransport) {
        var peer = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        guard unsafe Self.generic(&peer, { unsafe getpeername(connection, $0, &length) }) == 0 else { return }
        accepted = [Self.address(of: peer)]
        if let source = transport.source, let other = Self.address(parsing: source) { accepted.append(other) }
        guard let first = transport.serverPorts.first else { return }
        let second = transport.serverPorts.dropFirst().first ?? first &+ 1
        target = (Self.with(port: first, peer), Self.with(port: second, peer))
        // The smallest RTP packet, and an empty receiver's report.
        send([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], isControl: false)
        send([0x80, 0xC9, 0, 1, 0, 0, 0, 0], isControl: true)
    }

    func send(_ bytes: [UInt8], isControl: Bool) {
        guard var to = isControl ? target?.rtcp : target?.rtp else { return }
        let length = socklen_t(
            to.ss_family == sa_family_t(AF_INET6) ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        _ = unsafe Self.generic(&to) { address in
            unsafe sendto(isControl ? rtcp : rtp, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
        }
    }

    /// The next datagram that waits; nil when none does. Those of other hosts are passed over.
    func receive(isControl: Bool, into buffer: inout [UInt8]) -> [UInt8]? {
        while true {
            var from = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = unsafe Self.generic(&from) { address in
                unsafe recvfrom(
                    isControl ? rtcp : rtp, &buffer, buffer.count, Int32(MSG_DONTWAIT), address, &length)
            }
            guard count >= 0 else { return nil }
            if count >= 8, accepted.contains(Self.address(of: from)) { return Array(buffer[..<count]) }
        }
    }

    // MARK: Addresses

    private static func generic<Result>(
        _ storage: inout sockaddr_storage, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }

    private static func bound(_ address: sockaddr_storage, port: UInt16) -> Int32? {
        let made = socket(Int32(address.ss_family), Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { return nil }
        // A keyframe comes as a burst; the kernel allows less than this where it is told so.
        var size: Int32 = 2 << 20
        unsafe setsockopt(made, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var own = with(port: port, address)
        let length = socklen_t(
            own.ss_family == sa_family_t(AF_INET6) ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        guard unsafe generic(&own, { unsafe bind(made, $0, length) }) == 0 else {
            close(made)
            return nil
        }
        return made
    }

    private static func port(of socket: Int32) -> UInt16 {
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = unsafe generic(&own) { unsafe getsockname(socket, $0, &length) }
        // The port stands at the same place in both families.
        return unsafe withUnsafeBytes(of: &own) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    private static func with(port: UInt16, _ address: sockaddr_storage) -> sockaddr_storage {
        var address = address
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe bytes[2] = UInt8(port >> 8)
            unsafe bytes[3] = UInt8(port & 255)
        }
        return address
    }

    /// Sixteen bytes; an IPv4 address as IPv6 maps it.
    private static func address(of storage: sockaddr_storage) -> [UInt8] {
        var storage = storage
        let isV6 = storage.ss_family == sa_family_t(AF_INET6)
        return unsafe withUnsafeBytes(of: &storage) { bytes in
            unsafe isV6 ? Array(bytes[8..<24]) : [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + Array(bytes[4..<8])
        }
    }

    private static func address(parsing text: String) -> [UInt8]? {
        let parts = text.split(separator: ".").compactMap { UInt8($0) }
        return parts.count == 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + parts : nil
    }
}
