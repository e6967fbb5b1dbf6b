import CampipeKit
import Foundation
import Glibc

/// A camera on loopback that does on each connection what a script says; one thread a connection.
final class ScriptedCamera: @unchecked Sendable {
    // Unchecked: constant but for what is under the lock.
    enum Step: Sendable {
        case send([UInt8])
        /// Nothing more comes, and the connection stays.
        case hang
        case close
        case reset
        /// A picture each 20 ms, until the other side goes.
        case stream([UInt8])
    }
    struct Request: Sendable {
        /// The first connection is 0.
        var connection: Int
        var head: String
    }

    let port: UInt16
    private let listener: Int32
    private let script: @Sendable (Request) -> [Step]
    private let state = Lock(State())
    private struct State {
        var accepted = 0
        var hanging = 0
        var heads: [String] = []
        var open: Set<Int32> = []
        var isOver = false
    }

    /// - Parameter listens: Whether it answers at once; until `listen` it refuses connections.
    init(listens: Bool = true, _ script: @escaping @Sendable (Request) -> [Step]) throws {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw CampipeError(.failed, "no port for the camera of the test") }
        port = UInt16(bigEndian: address.sin_port)
        if listens { listen() }
    }

    var url: String { "http://127.0.0.1:\(port)/video" }
    var connections: Int { state.withLock { $0.accepted } }
    var openConnections: Int { state.withLock { $0.open.count } }
    /// Whether a connection has come to its `hang`.
    var isHanging: Bool { state.withLock { $0.hanging > 0 } }
    /// The heads of all requests.
    var heads: [String] { state.withLock { $0.heads } }

    func listen() {
        Glibc.listen(listener, 64)
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                let number = state.withLock { state -> Int? in
                    guard client >= 0, !state.isOver else { return nil }
                    state.open.insert(client)
                    state.accepted += 1
                    return state.accepted - 1
                }
                guard let number else {
                    close(client >= 0 ? client : listener)
                    return
                }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread {
                    self.serve(client, number)
                    self.state.withLock { _ = $0.open.remove(client) }
                    close(client)
                }
            }
        }
    }

    func stop() {
        let clients = state.withLock {
            $0.isOver = true
            return $0.open
        }
        for client in clients { shutdown(client, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ client: Int32, _ number: Int) {
        while let head = read(client) {
            state.withLock { $0.heads.append(head) }
            for step in script(Request(connection: number, head: head)) {
                switch step {
                case .send(let bytes): guard send(client, bytes) else { return }
                case .hang:
                    state.withLock { $0.hanging += 1 }
                    var byte: UInt8 = 0
                    while recv(client, &byte, 1, 0) > 0 {}
                    state.withLock { $0.hanging -= 1 }
                    return
                case .close:
                    shutdown(client, Int32(SHUT_WR))
                    return
                case .reset:
                    var value = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(client, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
                    return
                case .stream(let bytes):
                    var byte: UInt8 = 0
                    while send(client, bytes) {
                        usleep(20_000)
                        if recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0 { return }
                    }
                    return
                }
            }
        }
    }

    private func send(_ client: Int32, _ bytes: [UInt8]) -> Bool {
        var position = 0
        while position < bytes.count {
            let count = bytes[position...].withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            position += count
        }
        return true
    }

    private func read(_ client: Int32) -> String? {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard recv(client, &byte, 1, 0) == 1, head.count < 10_000 else { return nil }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self)
    }
}

/// What a camera sends.
enum Answers {
    static let head = Array("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n".utf8)

    static func part(_ picture: [UInt8]) -> [UInt8] {
        Array("--b\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n".utf8) + picture + [13, 10]
    }

    static func status(_ line: String, _ more: String = "") -> [UInt8] {
        Array("HTTP/1.1 \(line)\r\n\(more)Content-Length: 0\r\n\r\n".utf8)
    }
}
