import Glibc

/// One connection to the simulator; owns its socket. Calls block, on the viewer's own thread.
final class SimulatedViewer: @unchecked Sendable {
    // Used by the thread that serves it, and by nobody else.
    private let socket: Int32
    private(set) var isOpen = true

    init(_ socket: Int32) {
        self.socket = socket
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        patience.tv_sec = 10
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// The path of the request, without its query; nil when none came.
    func readPath() -> String? {
        var head: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 2048)
        while head.count < 16_384 {
            let count = recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            head += chunk[..<count]
            guard head.suffix(count + 3).contains(UInt8(ascii: "\n")), ends(head) else { continue }
            let words = head.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }.split(
                separator: UInt8(ascii: " "))
            guard words.count >= 2 else { return nil }
            return String(decoding: words[1].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        }
        return nil
    }

    /// Whether an empty line ended the head.
    private func ends(_ head: [UInt8]) -> Bool {
        let tail = head.suffix(4)
        return tail.elementsEqual(Array("\r\n\r\n".utf8)) || head.suffix(2).elementsEqual(Array("\n\n".utf8))
    }

    /// The head of an answer that ends with the connection.
    func sendHead(_ lines: [String]) {
        let head = ["HTTP/1.1 200 OK"] + lines + ["Connection: close", "", ""]
        send(Array(head.joined(separator: "\r\n").utf8))
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, isOpen {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isOpen = false
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    func refuse() {
        send(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }
}
