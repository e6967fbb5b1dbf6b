/// Finds packets, answers and requests in what an RTSP server sends. A value without I/O.
///
/// Cameras end lines with LF alone, put blank lines between messages, and some put bytes of no meaning between packets;
/// those are stepped over and counted. What it holds is bounded: a packet by its 16-bit length, a head by 64 KiB, a
/// body by 1 MiB.
package struct RTSPWire: Sendable {
    package static let headLimit = 64 << 10
    package static let bodyLimit = 1 << 20
    private static let methods = [
        "OPTIONS", "ANNOUNCE", "DESCRIBE", "SETUP", "PLAY", "PAUSE", "TEARDOWN", "GET_PARAMETER", "SET_PARAMETER",
        "REDIRECT", "RECORD", "PLAY_NOTIFY",
    ].map { Array("\($0) ".utf8) }
    private static let version = Array("RTSP/".utf8)

    private var bytes: [UInt8] = []
    private var start = 0
    /// The channels that packets may come on; empty while they are not known, then any may.
    package var channels: Set<UInt8> = []
    /// Bytes that were stepped over since the start.
    package private(set) var skipped = 0

    package init() {}

    /// Whether enough waits that it should be taken before more is read.
    package var isLarge: Bool { bytes.count - start > 1 << 20 }

    /// Adds what was read.
    package mutating func receive(_ more: UnsafeRawBufferPointer) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 64 << 10 {
            bytes.removeFirst(start)
            start = 0
        }
        unsafe bytes.append(contentsOf: more)
    }

    /// The next unit that is whole; nil when more must be read.
    package mutating func next() -> RTSPUnit? {
        while start < bytes.count {
            switch look() {
            case .unit(let unit, let count):
                start += count
                return unit
            case .more: return nil
            case .skip(let count, let isMeaningless):
                start += count
                if isMeaningless { skipped += count }
            }
        }
        return nil
    }

    private enum Look {
        case unit(RTSPUnit, Int)
        case more
        case skip(Int, isMeaningless: Bool)
    }

    private func look() -> Look {
        let rest = bytes[start...]
        guard let first = rest.first else { return .more }
        switch first {
        case UInt8(ascii: "$"): return packet(rest)
        case 10, 13: return .skip(1, isMeaningless: false)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            if begins(rest, Self.version) == true { return response(rest) }
            if Self.methods.contains(where: { begins(rest, $0) == true }) { return request(rest) }
            if begins(rest, Self.version) == nil || Self.methods.contains(where: { begins(rest, $0) == nil }) {
                return .more
            }
            return .skip(1, isMeaningless: true)
        default: return .skip(1, isMeaningless: true)
        }
    }

    /// nil when there are too few bytes to tell.
    private func begins(_ rest: ArraySlice<UInt8>, _ word: [UInt8]) -> Bool? {
        let count = min(rest.count, word.count)
        guard rest.prefix(count).elementsEqual(word.prefix(count)) else { return false }
        return count == word.count ? true : nil
    }

    private func packet(_ rest: ArraySlice<UInt8>) -> Look {
        guard rest.count >= 5 else { return .more }
        let at = rest.startIndex
        let length = Int(rest[at + 2]) << 8 | Int(rest[at + 3])
        // Version 2 in the first two bits (RFC 3550 section 5.1), or this is no packet.
        guard channels.isEmpty || channels.contains(rest[at + 1]), length >= 8, rest[at + 4] >> 6 == 2 else {
            return .skip(1, isMeaningless: true)
        }
        guard rest.count >= 4 + length else { return .more }
        return .unit(.data(channel: rest[at + 1], Array(rest[(at + 4)..<(at + 4 + length)])), 4 + length)
    }

    /// Where the head ends: behind an empty line, however lines end.
    private static func headEnd(_ rest: ArraySlice<UInt8>) -> Int? {
        var at = rest.startIndex
        while let line = rest[at...].firstIndex(of: 10) {
            var next = line + 1
            if next < rest.endIndex, rest[next] == 13 { next += 1 }
            if next < rest.endIndex, rest[next] == 10 { return next + 1 }
            at = line + 1
        }
        return nil
    }

    static func head(_ rest: ArraySlice<UInt8>) -> (lines: [ArraySlice<UInt8>], end: Int)? {
        guard let end = headEnd(rest) else { return nil }
        let lines = rest[..<end].split(separator: 10).map { $0.last == 13 ? $0.dropLast() : $0 }
        return (lines.filter { !$0.isEmpty }, end)
    }

    private func unfinished(_ rest: ArraySlice<UInt8>) -> Look {
        rest.count > Self.headLimit ? .skip(1, isMeaningless: true) : .more
    }

    static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            headers.add(
                String(decoding: trimmed(line[..<colon]), as: UTF8.self),
                String(decoding: trimmed(line[(colon + 1)...]), as: UTF8.self))
        }
        return headers
    }

    private func response(_ rest: ArraySlice<UInt8>) -> Look {
        guard let (lines, end) = Self.head(rest), let first = lines.first else { return unfinished(rest) }
        let words = first.split(separator: 0x20, maxSplits: 2)
        guard words.count >= 2, let status = decimal(words[1]), (100...999).contains(status) else {
            return .skip(end - rest.startIndex, isMeaningless: true)
        }
        let headers = Self.fields(lines.dropFirst())
        let length = headers["Content-Length"].flatMap { decimal(Array($0.utf8)[...]) } ?? 0
        guard length <= Self.bodyLimit else { return .skip(end - rest.startIndex, isMeaningless: true) }
        guard rest.endIndex - end >= length else { return .more }
        let response = RTSPResponse(
            status: status, reason: words.count > 2 ? String(decoding: words[2], as: UTF8.self) : "", headers: headers,
            body: Array(rest[end..<(end + length)]))
        return .unit(.response(response), end + length - rest.startIndex)
    }

    private func request(_ rest: ArraySlice<UInt8>) -> Look {
        guard let (lines, end) = Self.head(rest), let first = lines.first else { return unfinished(rest) }
        let headers = Self.fields(lines.dropFirst())
        let length = headers["Content-Length"].flatMap { decimal(Array($0.utf8)[...]) } ?? 0
        guard length <= Self.bodyLimit else { return .skip(end - rest.startIndex, isMeaningless: true) }
        guard rest.endIndex - end >= length else { return .more }
        let method = String(decoding: first.prefix { $0 != 0x20 }, as: UTF8.self)
        return .unit(.request(method: method, number: headers["CSeq"] ?? "0"), end + length - rest.startIndex)
    }
}
