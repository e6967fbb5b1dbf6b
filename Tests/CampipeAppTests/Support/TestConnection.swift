import Glibc

/// A client of one connection over loopback, byte by byte; it gives up after a minute of silence.
final class TestConnection {
    private let socket: Int32

    init?(_ port: UInt16, _ path: String) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(socket)
            return nil
        }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        send(socket, request, request.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(socket) }

    /// At least so many bytes, or all there are until the other side closes or falls silent; never without end.
    func read(_ count: Int = 4 << 20) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < count {
            let got = recv(socket, &chunk, chunk.count, 0)
            guard got > 0 else { break }
            bytes += chunk[..<got]
        }
        return bytes
    }

    /// Reads until a text has come so often.
    ///
    /// - Returns: All that came; nil when the other side was done before.
    func read(until text: String, times: Int = 1) -> [UInt8]? { read(until: Array(text.utf8), times: times) }

    /// Reads until a pattern has come so often.
    ///
    /// - Returns: All that came; nil when the other side was done before.
    func read(until pattern: [UInt8], times: Int = 1) -> [UInt8]? {
        var bytes: [UInt8] = []
        while Self.starts(of: pattern, in: bytes).count < times {
            let more = read(1)
            if more.isEmpty { return nil }
            bytes += more
        }
        return bytes
    }

    /// How often a text stands in bytes.
    static func count(_ text: String, in bytes: [UInt8]) -> Int { starts(of: Array(text.utf8), in: bytes).count }

    /// Where a pattern begins.
    static func starts(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard let first = pattern.first, bytes.count >= pattern.count else { return [] }
        return (0...(bytes.count - pattern.count)).filter { start in
            bytes[start] == first && bytes[start..<(start + pattern.count)].elementsEqual(pattern)
        }
    }
}
