import CampipeKit
import CampipeMedia
import Glibc

/// A viewer over loopback that reads an answer's head and then part by part; nothing lasts longer than a minute.
final class PartReader {
    struct Closed: Error {}

    struct Part {
        var head: String
        var body: [UInt8]

        func field(_ name: String) -> String? {
            for line in head.split(separator: "\r\n") {
                let lowered = line.lowercased()
                guard lowered.hasPrefix(name.lowercased() + ":") else { continue }
                return line.dropFirst(name.utf8.count + 1).drop { $0 == " " }.description
            }
            return nil
        }
        var status: Int { head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

        /// The picture's size and mean luma.
        func picture() throws -> (size: Size, luma: Int) {
            let (pixels, _) = try JPEGDecoder().decode(Bytes(body), pool: .shared)
            let luma = pixels.withPlane(0) { base, plane in
                var sum = 0
                for y in 0..<plane.height { for x in 0..<plane.width { sum += Int(base[y * plane.stride + x]) } }
                return sum / (plane.width * plane.height)
            }
            return (pixels.size, luma)
        }
    }

    private let socket: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16, _ target: String) throws {
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
        guard connected == 0 else { throw Closed() }
        let request = Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        send(socket, request, request.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(socket) }

    /// Ends with a reset, as a program that was killed.
    func resets() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// The next head, and the body that its Content-Length says; of a stream the first one has none.
    func next() throws -> Part {
        let mark = Array("\r\n\r\n".utf8)
        var end = buffer.firstRange(of: mark)
        while end == nil {
            try fill()
            end = buffer.firstRange(of: mark)
        }
        guard let end else { throw Closed() }
        var part = Part(head: String(decoding: buffer[..<end.lowerBound], as: UTF8.self), body: [])
        buffer.removeFirst(end.upperBound)
        let length = part.field("Content-Length").flatMap { Int($0) } ?? 0
        while buffer.count < length { try fill() }
        part.body = Array(buffer[..<length])
        buffer.removeFirst(length)
        return part
    }

    /// Reads on until a part is as asked for.
    func next(where isMeant: (Part) throws -> Bool) throws -> Part {
        while true {
            let part = try next()
            if try isMeant(part) { return part }
        }
    }

    private func fill() throws {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { throw Closed() }
        buffer += chunk[..<count]
    }
}
