/// Cuts requests out of what a client sends (RFC 9112), within limits.
///
/// A value without I/O: `receive` what came, then ask `next` until it says `.more`. It is strict where leniency is a
/// hole: no folded lines, no blanks before a colon, no two lengths, no coded bodies.
package struct HTTPRequestParser: Sendable {
    /// The most that a head may take, in bytes and fields.
    package struct Limits: Sendable {
        package var requestLine = 8 << 10
        package var headerBytes = 32 << 10
        package var headerCount = 100
        package var bodyBytes = 64 << 10
        package init() {}
    }

    /// What the bytes so far come to.
    package enum Step: Sendable {
        /// No whole request is there yet.
        case more
        case request(HTTPRequest)
        /// The connection is to be closed with this answer; nothing behind it can be understood.
        case refused(status: Int, reason: String)
    }

    private let limits: Limits
    private var buffer: [UInt8] = []
    private var start = 0
    /// How far the head was searched for its end, counted from `start`.
    private var searched = 0
    private var refusal: (status: Int, reason: String)?
    private var pending: (request: HTTPRequest, bodyBytes: Int)?
    private var isContinueDue = false

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Bytes held that no request has taken yet.
    package var heldBytes: Int { buffer.count - start }
    /// Whether more bytes may come in before `next` has taken some; keeps the memory bounded.
    package var hasRoom: Bool { heldBytes < limits.requestLine + limits.headerBytes + limits.bodyBytes }
    /// Whether a request has begun and is not whole.
    package var isWithinRequest: Bool { heldBytes > 0 || pending != nil }

    /// Takes what came from the client; `next` says what it comes to.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        if start > 0, start == buffer.count || start > 16 << 10 {
            buffer.removeFirst(start)
            start = 0
        }
        unsafe buffer.append(contentsOf: bytes)
    }

    /// Lets go of all memory, for a connection that will read no more requests.
    package mutating func release() {
        buffer = []
        start = 0
        searched = 0
        pending = nil
    }

    /// Whether the client waits to be told to go on with the body (`Expect: 100-continue`); true once a request.
    package mutating func takesContinue() -> Bool {
        defer { isContinueDue = false }
        return isContinueDue && pending != nil && heldBytes == 0
    }

    /// The next request, if it is whole.
    package mutating func next() -> Step {
        if let refusal { return .refused(status: refusal.status, reason: refusal.reason) }
        if pending == nil, let refused = takeHead() {
            refusal = refused
            return .refused(status: refused.status, reason: refused.reason)
        }
        guard let (head, bodyBytes) = pending, heldBytes >= bodyBytes else { return .more }
        var request = head
        request.body = Array(buffer[start..<start + bodyBytes])
        start += bodyBytes
        pending = nil
        return .request(request)
    }

    /// Moves a whole head into `pending`.
    ///
    /// - Returns: Why the request is refused; nil when it is not, or not whole yet.
    private mutating func takeHead() -> (status: Int, reason: String)? {
        // Empty lines before a request line are ignored (RFC 9112 section 2.2).
        if searched == 0 {
            while start < buffer.count, buffer[start] == 13 || buffer[start] == 10 { start += 1 }
        }
        let held = buffer[start...]
        guard let lineEnd = held.prefix(limits.requestLine + 1).firstIndex(of: 10) else {
            return held.count > limits.requestLine ? (414, "the request line is too long") : nil
        }
        guard let end = headEnd(from: lineEnd) else {
            searched = max(0, held.count - 3)
            return held.count > limits.requestLine + limits.headerBytes ? (431, "the headers are too large") : nil
        }
        if end - lineEnd > limits.headerBytes { return (431, "the headers are too large") }
        let line = trimmedLine(held[..<lineEnd])
        let fields = held[(lineEnd + 1)..<end]
        start = end
        searched = 0
        return readHead(line, fields)
    }

    /// The position behind the empty line that ends the head.
    private func headEnd(from lineEnd: Int) -> Int? {
        var position = max(lineEnd, start + searched)
        while let feed = buffer[position...].firstIndex(of: 10) {
            let next = feed + 1
            if next < buffer.count, buffer[next] == 10 { return next + 1 }
            if next + 1 < buffer.count, buffer[next] == 13, buffer[next + 1] == 10 { return next + 2 }
            position = next
        }
        return nil
    }

    private mutating func readHead(
        _ line: ArraySlice<UInt8>, _ fields: ArraySlice<UInt8>
    ) -> (status: Int, reason: String)? {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].count <= 32, words[0].allSatisfy(isTokenByte) else {
            return (400, "the request line is malformed")
        }
        guard let minor = minorVersion(words[2]) else {
            let isHTTP = words[2].starts(with: Array("HTTP/".utf8))
            return isHTTP ? (505, "only HTTP/1.0 and HTTP/1.1 are spoken") : (400, "the request line is malformed")
        }
        guard let target = RequestTarget(words[1]) else { return (400, "the request target is malformed") }
        var headers = HTTPHeaders()
        for raw in fields.split(separator: 10) {
            let field = trimmedLine(raw)
            if field.isEmpty { continue }
            if headers.fields.count >= limits.headerCount { return (431, "there are too many headers") }
            guard let colon = field.firstIndex(of: UInt8(ascii: ":")), colon > field.startIndex,
                field[..<colon].allSatisfy(isTokenByte),
                field[(colon + 1)...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 })
            else { return (400, "a header is malformed") }
            headers.add(
                String(decoding: field[..<colon], as: UTF8.self),
                String(decoding: trimmed(field[(colon + 1)...]), as: UTF8.self))
        }
        let hosts = headers.all("Host").count
        if hosts > 1 || (hosts == 0 && minor >= 1) { return (400, "there must be one Host header") }
        if headers["Transfer-Encoding"] != nil { return (411, "a body must declare its length") }
        let lengths = headers.all("Content-Length")
        var length = 0
        if let first = lengths.first {
            guard let declared = decimal(Array(first.utf8)[...]), lengths.allSatisfy({ $0 == first }) else {
                return (400, "the Content-Length is malformed")
            }
            if declared > limits.bodyBytes { return (413, "the body is too large") }
            length = declared
        }
        let request = HTTPRequest(
            method: String(decoding: words[0], as: UTF8.self), path: target.path, query: target.query, headers: headers,
            minorVersion: minor)
        pending = (request, length)
        isContinueDue =
            length > 0 && minor >= 1 && headers.all("Expect").contains { $0.lowercased() == "100-continue" }
        return nil
    }

    private func trimmedLine(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == 13 ? line.dropLast() : line
    }

    private func minorVersion(_ word: ArraySlice<UInt8>) -> Int? {
        guard word.count == 8, word.starts(with: Array("HTTP/1.".utf8)), let last = word.last else { return nil }
        return (0x30...0x39).contains(last) ? min(Int(last - 0x30), 1) : nil
    }
}
