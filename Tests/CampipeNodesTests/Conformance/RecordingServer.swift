import Foundation
import Glibc

/// An RTSP server on loopback that streams are pushed to (ANNOUNCE, SETUP, RECORD over TCP); one connection a thread. It
/// keeps what comes.
///
/// It uses neither the test library nor what is internal, since tests of several targets share it.
final class RecordingServer: @unchecked Sendable {
    // Unchecked: constant but for what is under the lock.

    enum Mode: Sendable {
        case record
        /// It keeps nothing.
        case discard
        /// It takes connections, and says nothing.
        case hang
        /// It says nothing any more, and reads nothing, after so many packets.
        case stall(after: Int)
        /// It closes the connection after so many packets, the first time.
        case close(after: Int)
        /// It wants a user, by Basic.
        case basic
        /// It answers so to ANNOUNCE.
        case refuse(String)
    }

    /// What came by one connection.
    struct Visit: Sendable {
        var requests: [(method: String, headers: [String: String])] = []
        var description = ""
        /// RTP packets of the first track, without their frame.
        var packets: [[UInt8]] = []
        var isOver = false

        /// The kinds of the NAL units with pictures that begin in the packets (RFC 6184 section 5): of a fragmented one the
        /// inner kind, without delimiters, parameter sets and messages.
        var units: [UInt8] {
            packets.flatMap { packet -> [UInt8] in
                guard packet.count > 13 else { return [] }
                let kind = packet[12] & 31
                if kind == 28 { return packet[13] & 0x80 != 0 ? [packet[13] & 31] : [] }
                guard kind == 24 else { return [kind] }
                var kinds: [UInt8] = []
                var at = 13
                while at + 2 < packet.count {
                    kinds.append(packet[at + 2] & 31)
                    at += 2 + Int(packet[at]) << 8 + Int(packet[at + 1])
                }
                return kinds
            }.filter { !(6...9).contains($0) }
        }
        /// The times of the packets, each once.
        var times: [UInt32] {
            packets.reduce(into: []) { times, packet in
                guard packet.count > 8 else { return }
                let time = packet[4...7].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                if times.last != time { times.append(time) }
            }
        }
    }

    let port: UInt16
    private let listener: LoopbackListener
    private let mode: Mode
    private let lock = NSLock()
    private var seen: [Visit] = []
    private var open: Set<Int32> = []
    private var isOver = false

    init(_ mode: Mode = .record, port wanted: UInt16 = 0) throws {
        self.mode = mode
        // Little, so that who reads nothing is noticed soon.
        listener = try LoopbackListener(port: wanted, receiveBuffer: 4096)
        port = listener.port
        listener.accept { [weak self] client in
            guard let self, let number = begin(client) else { return false }
            Thread.detachNewThread {
                self.serve(client, number)
                self.lock.withLock {
                    self.open.remove(client)
                    self.seen[number].isOver = true
                }
                Glibc.close(client)
            }
            return true
        }
    }

    /// Ends all; call it last.
    func stop() {
        let clients = lock.withLock {
            isOver = true
            return open
        }
        for client in clients { shutdown(client, Int32(SHUT_RDWR)) }
        listener.stop()
    }

    var visits: [Visit] { lock.withLock { seen } }
    /// Packets of all connections.
    var packetCount: Int { lock.withLock { seen.reduce(0) { $0 + $1.packets.count } } }

    private func begin(_ client: Int32) -> Int? {
        lock.withLock {
            guard !isOver else { return nil }
            open.insert(client)
            seen.append(Visit())
            return seen.count - 1
        }
    }

    private func note(_ number: Int, _ change: (inout Visit) -> Void) { lock.withLock { change(&seen[number]) } }

    private func read(_ client: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count > 0 else { return [] }
        return recv(client, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private func serve(_ client: Int32, _ number: Int) {
        if case .hang = mode {
            // Until the other side leaves.
            _ = read(client, 1 << 20)
            return
        }
        var count = 0
        while let byte = read(client, 1)?.first {
            if byte == UInt8(ascii: "$") {
                guard let head = read(client, 3), let packet = read(client, Int(head[1]) << 8 | Int(head[2])) else {
                    return
                }
                guard head[0] == 0 else { continue }
                count += 1
                if case .discard = mode { continue }
                note(number) { $0.packets.append(packet) }
                switch mode {
                case .close(let limit) where number == 0 && count >= limit: return
                case .stall(let limit) where count >= limit:
                    while !lock.withLock({ isOver }) { usleep(10_000) }
                    return
                default: continue
                }
            }
            guard answer(client, number, first: byte) else { return }
        }
    }

    /// Reads a request and answers it.
    private func answer(_ client: Int32, _ number: Int, first: UInt8) -> Bool {
        var bytes = [first]
        while bytes.suffix(4) != [13, 10, 13, 10] {
            guard bytes.count < 65_536, let byte = read(client, 1) else { return false }
            bytes += byte
        }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let method = String((lines.first ?? "").prefix { $0 != " " })
        guard let body = read(client, Int(headers["content-length"] ?? "") ?? 0) else { return false }
        note(number) { visit in
            visit.requests.append((method, headers))
            if method == "ANNOUNCE" { visit.description = String(decoding: body, as: UTF8.self) }
        }
        var status = "200 OK"
        var fields = ["CSeq: \(headers["cseq"] ?? "0")"]
        if case .refuse(let refusal) = mode, method == "ANNOUNCE" { status = refusal }
        if case .basic = mode, method != "OPTIONS", headers["authorization"] == nil {
            status = "401 Unauthorized"
            fields.append("WWW-Authenticate: Basic realm=\"test\"")
        }
        switch method {
        case "OPTIONS": fields.append("Public: OPTIONS, ANNOUNCE, SETUP, RECORD, TEARDOWN")
        case "SETUP": fields += ["Transport: \(headers["transport"] ?? "")", "Session: C0FFEE42"]
        default: fields.append("Session: C0FFEE42")
        }
        let text = Array(("RTSP/1.0 \(status)\r\n" + fields.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        let sent = text.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        return sent == text.count && method != "TEARDOWN"
    }
}
