import Glibc

/// A blocking client on loopback; every read gives up after a minute.
final class TestClient {
    struct Closed: Error {}

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Closed() }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        var position = 0
        while position < bytes.count {
            let count = bytes[position...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            position += count
        }
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends with a reset, as a program that was killed.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Everything until the other end closes.
    func readToEnd(limit: Int = 64 << 20) -> [UInt8] {
        while buffer.count < limit, fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// The bytes up to and with `mark`.
    func read(through mark: String) throws -> [UInt8] {
        let mark = Array(mark.utf8)
        while true {
            if let range = buffer.firstRange(of: mark) {
                let taken = Array(buffer[..<range.upperBound])
                buffer.removeFirst(range.upperBound)
                return taken
            }
            guard fill() else { throw Closed() }
        }
    }

    func read(count: Int) throws -> [UInt8] {
        while buffer.count < count { guard fill() else { throw Closed() } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    struct Answer {
        var status: Int
        var head: String
        var body: [UInt8]
        func field(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                if line[..<colon].lowercased() == name.lowercased() {
                    return line[line.index(after: colon)...].drop { $0 == " " }.description
                }
            }
            return nil
        }
    }

    /// A head, and the body that its Content-Length declares.
    func readAnswer(hasBody: Bool = true) throws -> Answer {
        let head = String(decoding: try read(through: "\r\n\r\n"), as: UTF8.self)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        var answer = Answer(status: status, head: head, body: [])
        if hasBody, let length = answer.field("Content-Length").flatMap({ Int($0) }) {
            answer.body = try read(count: length)
        }
        return answer
    }

    /// The next picture of a stream; the first delimiter must have been read.
    func readPart() throws -> [UInt8] {
        let head = try readAnswer()
        _ = try read(through: "--campipe-frame\r\n")
        return head.body
    }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }
}

/// Waits for a condition for a minute at most, giving the processor away between looks.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<60_000 {
        if condition() { return true }
        usleep(1000)
    }
    return condition()
}

/// Gives the processor away for a millisecond.
func usleepBriefly() { usleep(1000) }
