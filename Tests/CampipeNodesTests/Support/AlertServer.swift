import Foundation
import Glibc

/// A server on loopback that alerts are sent to, which keeps what comes; one connection a thread.
///
/// It uses neither the test library nor what is internal, since tests of several targets share it.
final class AlertServer: @unchecked Sendable {
    // Unchecked: constant but for what is under the lock.

    enum Answer: Sendable {
        case status(Int, headers: [String] = [])
        /// It takes the request, and says nothing.
        case hang
    }

    struct Request: Sendable {
        var method: String
        var path: String
        var headers: [String: String]
        var body: [UInt8]
    }

    let port: UInt16
    private let listener: LoopbackListener
    private let lock = NSLock()
    private var seen: [Request] = []
    private var answers: [Answer]
    private var open: Set<Int32> = []
    private var isOver = false

    /// - Parameter answers: To one request after the other; the last to all that follow.
    init(_ answers: [Answer] = [.status(200)]) throws {
        self.answers = answers
        listener = try LoopbackListener()
        port = listener.port
        listener.accept { [weak self] client in
            guard let self, self.begin(client) else { return false }
            Thread.detachNewThread {
                while self.serve(client) {}
                self.lock.withLock { _ = self.open.remove(client) }
                Glibc.close(client)
            }
            return true
        }
    }

    func url(_ path: String = "/alarm") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Ends all; call it last.
    func stop() {
        let clients = lock.withLock {
            isOver = true
            return open
        }
        for client in clients { shutdown(client, Int32(SHUT_RDWR)) }
        listener.stop()
    }

    var requests: [Request] { lock.withLock { seen } }

    private func begin(_ client: Int32) -> Bool {
        lock.withLock {
            guard !isOver else { return false }
            open.insert(client)
            return true
        }
    }

    /// - Returns: Whether another request may come.
    private func serve(_ client: Int32) -> Bool {
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] {
            var byte: UInt8 = 0
            guard head.count < 65_536, recv(client, &byte, 1, 0) == 1 else { return false }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        let words = (lines.first ?? "").components(separatedBy: " ")
        let count = Int(headers["content-length"] ?? "") ?? 0
        var body = [UInt8](repeating: 0, count: count)
        guard words.count == 3, count == 0 || recv(client, &body, count, Int32(MSG_WAITALL)) == count else {
            return false
        }
        let answer = lock.withLock {
            seen.append(Request(method: words[0], path: words[1], headers: headers, body: body))
            return answers.count > 1 ? answers.removeFirst() : answers[0]
        }
        switch answer {
        case .hang:
            var byte: UInt8 = 0
            _ = recv(client, &byte, 1, 0)
            return false
        case .status(let status, let fields):
            let text =
                (["HTTP/1.1 \(status) X", "Content-Length: 2"] + fields).joined(separator: "\r\n") + "\r\n\r\nno"
            let bytes = Array(text.utf8)
            return bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == bytes.count
        }
    }
}
