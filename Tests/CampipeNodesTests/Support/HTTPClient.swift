import CampipeHTTP
import CampipeKit
import Glibc

/// A client on loopback that sends one request and reads as much of the answer as a test asks for.
final class HTTPClient {
    private let descriptor: Int32
    private(set) var received: [UInt8] = []

    /// - Parameter fields: More of the request's head, each line with its end.
    init(_ address: ListenAddress, get target: String, method: String = "GET", fields: String = "") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var target4 = sockaddr_in()
        target4.sin_family = sa_family_t(AF_INET)
        target4.sin_port = address.port.bigEndian
        target4.sin_addr.s_addr = inet_addr("127.0.0.1")
        // Whatever goes wrong ends within a minute.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &target4) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw CampipeError.system("cannot connect", errno: errno) }
        let request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n"
        _ = request.utf8CString.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count - 1, 0) }
    }

    deinit { close(descriptor) }

    /// Ends the connection at once with a reset, as a program that was killed; it can be used no more.
    func reset() {
        var off = sockaddr()
        off.sa_family = sa_family_t(AF_UNSPEC)
        // Linux resets a connection that is dissolved.
        connect(descriptor, &off, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Reads until `isDone` says so, the other side closes, or nothing comes for a minute.
    func read(until isDone: (String) -> Bool) -> String {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !isDone(text) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer.prefix(count)
        }
        return text
    }

    /// Whether something has come that was not read yet.
    var isAnswered: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1
    }

    /// The whole answer of a server that closes.
    func answer() -> String { read { _ in false } }

    var text: String { String(decoding: received, as: UTF8.self) }
}

/// Waits for another thread, looking every millisecond for at most a minute.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<60_000 {
        if condition() { return true }
        usleep(1000)
    }
    return false
}
