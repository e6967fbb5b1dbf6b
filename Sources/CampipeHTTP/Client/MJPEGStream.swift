package import CampipeKit

/// Turns a camera's answer into pictures, or into an error that says what it is instead. A value without I/O.
package struct MJPEGStream: Sendable {
    /// How much of an answer may come before the first picture.
    private static let patience = 4 << 20
    /// Parts of other types before the first picture.
    private static let partPatience = 64
    private static let quoteLimit = 80

    private let type: String
    private let source: String
    private let limits: JPEGStructure.Limits
    /// 304: the picture is the one that was asked for before.
    private let isUnchanged: Bool
    /// A type that hardly ever holds JPEGs, or a coding that is not undone: how it begins must say that it does all the
    /// same. Other types are looked into, since cameras say anything.
    private let mustBeginWell: Bool
    /// Of the answer, where it is not the identity.
    private let coding: String?
    private var parser: MultipartParser
    private var opening: [UInt8] = []
    private var received = 0
    private var otherParts = 0
    private var beganWell = false
    private var isRefused = false
    /// Pictures handed on so far.
    package private(set) var pictures = 0

    /// - Parameters:
    ///   - source: Names the camera in errors; its URL as it may be shown.
    ///   - mayBeUnchanged: Whether the request was conditional, so that 304 is an answer.
    package init(
        head: ResponseHead, source: String, limits: JPEGStructure.Limits = .init(), mayBeUnchanged: Bool = false
    ) {
        let media = MediaType(head.headers["Content-Type"] ?? "")
        type = media.name
        let coding = head.headers["Content-Encoding"].map { lowercased(trimmed(Array($0.utf8)[...])) } ?? ""
        self.coding = coding.isEmpty || coding == "identity" ? nil : coding
        mustBeginWell = Self.isOther(media.name) || self.coding != nil
        self.source = source
        isUnchanged = mayBeUnchanged && head.status == 304
        self.limits = limits
        parser = MultipartParser(boundary: media.boundary, limits: limits)
    }

    /// Whether the answer, now over, was one picture, to be asked for again: its type says so, or its length and its
    /// content do; or that the picture is still the same one.
    ///
    /// - Parameter isComplete: Whether the answer's own length or coding said where it ends.
    package func isOnePicture(isComplete: Bool) -> Bool {
        if isUnchanged { return true }
        guard pictures == 1 else { return false }
        if type == "image/jpeg" || type == "image/jpg" || type == "image/pjpeg" { return true }
        return isComplete && !type.hasPrefix("multipart/") && !parser.hasDelimiters
    }

    /// Takes the next bytes and appends the pictures and drops that they lead to.
    ///
    /// - Throws: `.unsupported` when the answer is something else, quoting how it begins.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, into actions: inout [MultipartParser.Action]
    ) throws(CampipeError) {
        received += bytes.count
        if opening.count < Self.quoteLimit {
            unsafe opening.append(contentsOf: bytes.prefix(Self.quoteLimit - opening.count))
        }
        if mustBeginWell, !beganWell {
            switch beginsLikePictures {
            case true?: beganWell = true
            case false?: throw unsupported()
            case nil: break
            }
        }
        let before = actions.count
        unsafe parser.receive(bytes, into: &actions)
        try examine(actions[before...])
        if pictures == 0, received > limits.bytes + Self.patience {
            throw CampipeError(.unsupported, "\(source): no JPEG in the first \(received >> 20) MiB\(quote)")
        }
    }

    /// The answer is over.
    ///
    /// - Throws: When there was no picture in it: `.unavailable` for one that is empty or was cut, else `.unsupported`.
    package mutating func finish(
        isComplete: Bool, into actions: inout [MultipartParser.Action]
    ) throws(CampipeError) {
        if isUnchanged { return }
        if received == 0 {
            throw CampipeError(.unavailable, "\(source): the answer is empty", fix: "check the path of the URL")
        }
        let before = actions.count
        // A part that only began is none that was refused.
        let wasRefused = isRefused
        parser.finish(isComplete: isComplete, into: &actions)
        try examine(actions[before...])
        guard pictures == 0 else { return }
        if actions[before...].contains(where: { if case .dropped(.truncated) = $0 { true } else { false } }) {
            throw CampipeError(.unavailable, "\(source): the answer ended within its first picture")
        }
        // What was refused says what it is; else the camera may just be starting.
        if type.hasPrefix("multipart/"), !wasRefused, otherParts == 0, beginsLikePictures != false {
            throw CampipeError(.unavailable, "\(source): the stream ended before its first picture")
        }
        throw unsupported()
    }

    private mutating func examine(_ actions: ArraySlice<MultipartParser.Action>) throws(CampipeError) {
        for action in actions {
            switch action {
            case .picture: pictures += 1
            case .dropped(.unsupportedPart(let type)):
                otherParts += 1
                isRefused = true
                if pictures == 0,
                    type.hasPrefix("video/") || type.hasPrefix("audio/") || otherParts >= Self.partPatience
                {
                    throw CampipeError(
                        .unsupported, "\(source): part type \(type) is not supported",
                        fix: "give the URL of an MJPEG stream")
                }
            case .dropped: isRefused = true
            }
        }
    }

    private static func isOther(_ type: String) -> Bool {
        if type.hasPrefix("text/") || type.hasPrefix("audio/") { return true }
        if type.hasPrefix("video/") {
            return !["video/x-motion-jpeg", "video/x-mjpeg", "video/mjpeg", "video/x-jpeg"].contains(type)
        }
        return [
            "application/json", "application/xml", "application/sdp", "application/vnd.apple.mpegurl",
            "application/x-mpegurl", "application/dash+xml", "image/png", "image/gif", "image/webp",
        ].contains(type)
    }

    /// Whether the answer begins with a JPEG or a delimiter; nil until enough of it is there.
    private var beginsLikePictures: Bool? {
        let first = opening.drop { [0x0D, 0x0A, 0x20, 0x09].contains($0) }.prefix(3)
        for mark: [UInt8] in [[0xFF, 0xD8, 0xFF], [0x2D, 0x2D]] {
            let length = min(first.count, mark.count)
            if first.prefix(length).elementsEqual(mark.prefix(length)) {
                return first.count < mark.count && opening.count < Self.quoteLimit ? nil : true
            }
        }
        return false
    }

    private func unsupported() -> CampipeError {
        if let coding {
            return CampipeError(
                .unsupported,
                "\(source): the answer is compressed (Content-Encoding: \(coding)), which was not asked for",
                fix: "let the camera, or the proxy before it, send it as it is")
        }
        let found = type.isEmpty ? "something else" : type
        let fix = type == "text/html" ? "give the URL of the stream itself, not of the camera's page" : nil
        return CampipeError(.unsupported, "\(source): expected MJPEG, got \(found)\(quote)", fix: fix)
    }

    /// How the answer begins, as printable text.
    private var quote: String {
        guard !opening.isEmpty else { return "" }
        let shown = opening.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }
        return ", which begins with \"\(String(decoding: shown, as: UTF8.self))\""
    }
}
