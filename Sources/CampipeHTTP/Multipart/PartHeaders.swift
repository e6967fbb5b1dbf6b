import CampipeKit

/// The hints in one part's headers. Only what is used is kept, so any number of headers takes no memory.
struct PartHeaders: Sendable {
    /// The media type in lower case, without parameters; empty when none was said.
    private(set) var type = ""
    /// The declared length; the last usable one wins (cameras send a first one of 0).
    private(set) var length: Int?
    private(set) var timestamp: WallTime?
    /// The boundary parameter of a `multipart/…` type: a whole HTTP head inside the body.
    private(set) var nestedBoundary: String?
    private(set) var isEmpty = true
    /// What the last `Content-Type` meant: a camera sends the same with each picture.
    private var known: (value: [UInt8], media: MediaType)?

    private static let contentType = Array("content-type".utf8)
    private static let contentLength = Array("content-length".utf8)
    private static let xTimestamp = Array("x-timestamp".utf8)

    /// Forgets the part's headers.
    mutating func forget() {
        type = ""
        length = nil
        timestamp = nil
        nestedBoundary = nil
        isEmpty = true
    }

    /// Whether the declared type is one that JPEGs are sent under.
    var isJPEGType: Bool {
        switch type {
        case "", "image/jpeg", "image/jpg", "image/pjpeg", "application/octet-stream", "video/x-motion-jpeg",
            "video/x-mjpeg", "video/mjpeg", "video/x-jpeg", "image/x-mjpeg":
            true
        default: type.hasPrefix("multipart/")
        }
    }

    /// Reads a line of the form `name: value`; false when it is none.
    mutating func read(_ line: [UInt8]) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, colon <= 64,
            line[..<colon].allSatisfy({ isTokenByte($0) || $0 == 0x20 })
        else { return false }
        isEmpty = false
        let name = trimmed(line[..<colon])
        let value = trimmed(line[(colon + 1)...])
        if isNamed(name, Self.contentType) {
            takeType(value)
        } else if isNamed(name, Self.contentLength) {
            if let declared = decimal(value), declared > 0 { length = declared }
        } else if isNamed(name, Self.xTimestamp) {
            timestamp = seconds(value).map { WallTime(microseconds: $0) }
        }
        return true
    }

    private mutating func takeType(_ value: ArraySlice<UInt8>) {
        let media: MediaType
        if let known, known.value.elementsEqual(value) {
            media = known.media
        } else {
            media = MediaType(String(decoding: value, as: UTF8.self))
            known = (Array(value), media)
        }
        type = media.name
        if type.hasPrefix("multipart/") { nestedBoundary = media.boundary }
    }

    /// `1690526144.25` in microseconds.
    private func seconds(_ text: ArraySlice<UInt8>) -> Int64? {
        let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.endIndex
        guard let whole = decimal(text[..<point]), whole < 1 << 40 else { return nil }
        var micros: Int64 = 0
        if point < text.endIndex {
            let digits = text[(point + 1)...].prefix(6)
            guard let fraction = digits.isEmpty ? 0 : decimal(digits) else { return nil }
            micros = Int64(fraction)
            for _ in digits.count..<6 { micros *= 10 }
        }
        return Int64(whole) * 1_000_000 + micros
    }
}

/// A token character of RFC 9110 section 5.6.2.
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
}

/// Without blanks and tabs at both ends.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = bytes
    while let first = slice.first, first == 0x20 || first == 0x09 { slice = slice.dropFirst() }
    while let last = slice.last, last == 0x20 || last == 0x09 || last == 0x0D { slice = slice.dropLast() }
    return slice
}

/// Whether this is `name`, which is written in lower case, in any case.
func isNamed(_ bytes: ArraySlice<UInt8>, _ name: [UInt8]) -> Bool {
    guard bytes.count == name.count else { return false }
    for (offset, wanted) in name.enumerated() {
        let byte = bytes[bytes.startIndex + offset]
        if ((0x41...0x5A).contains(byte) ? byte + 32 : byte) != wanted { return false }
    }
    return true
}

/// ASCII in lower case, as text.
func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
}

/// Digits alone, no sign, no overflow.
func decimal(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard !bytes.isEmpty else { return nil }
    var value = 0
    for byte in bytes {
        guard (0x30...0x39).contains(byte) else { return nil }
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (sum, overflow2) = product.addingReportingOverflow(Int(byte - 0x30))
        if overflow || overflow2 { return nil }
        value = sum
    }
    return value
}
