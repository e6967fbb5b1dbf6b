import CampipeKit

/// What a server asks of a user, and the answer to it: Basic and Digest (RFC 7617, RFC 7616, RFC 2069). A value.
///
/// Of several challenges the strongest that is known is answered: Digest with SHA-256, with MD5, then Basic. libavformat
/// knows no SHA-256, which newer cameras ask for alone.
package struct RTSPChallenge: Hashable, Sendable {
    package enum Algorithm: Int, Sendable {
        case basic, md5, sha256
    }
    package let algorithm: Algorithm
    package let realm: String
    package let nonce: String
    package let opaque: String?
    package let isSession: Bool
    package let hasQop: Bool
    /// As it was spelt; nil when it was left out.
    private let spelling: String?
    /// How often the nonce was used.
    private var uses = 0

    /// The strongest of all `WWW-Authenticate` fields; nil when none is known.
    package init?(_ fields: [String]) {
        let found = fields.flatMap { Self.split(Array($0.utf8)[...]) }.compactMap { Self($0.scheme, $0.parameters) }
        guard let best = found.max(by: { $0.algorithm.rawValue < $1.algorithm.rawValue }) else { return nil }
        self = best
    }

    private init?(_ scheme: String, _ parameters: [String: String]) {
        realm = parameters["realm"] ?? ""
        nonce = parameters["nonce"] ?? ""
        opaque = parameters["opaque"]
        spelling = parameters["algorithm"]
        let name = lowercased(Array((parameters["algorithm"] ?? "md5").utf8)[...])
        isSession = name.hasSuffix("-sess")
        hasQop = hasToken(parameters["qop"], "auth")
        switch (scheme, isSession ? String(name.dropLast(5)) : name) {
        case ("basic", _): algorithm = .basic
        case ("digest", "md5"): algorithm = .md5
        case ("digest", "sha-256"), ("digest", "sha256"): algorithm = .sha256
        default: return nil
        }
        guard algorithm == .basic || !nonce.isEmpty else { return nil }
    }

    /// The field `Authorization` of one request.
    ///
    /// - Parameters:
    ///   - uri: As it stands in the request's line.
    ///   - random: Sixteen digits that were not used before.
    package mutating func answer(
        _ method: String, _ uri: String, username: String, password: String, random: String
    ) -> String {
        if algorithm == .basic { return "Basic " + Base64.text(Array("\(username):\(password)".utf8)) }
        uses += 1
        let count = String(repeating: "0", count: max(0, 8 - String(uses, radix: 16).count)) + String(uses, radix: 16)
        var secret = hash("\(username):\(realm):\(password)")
        if isSession { secret = hash("\(secret):\(nonce):\(random)") }
        let request = hash("\(method):\(uri)")
        let proof = hash(
            hasQop ? "\(secret):\(nonce):\(count):\(random):auth:\(request)" : "\(secret):\(nonce):\(request)")
        var text = "Digest username=\(quoted(username)), realm=\(quoted(realm)), nonce=\(quoted(nonce))"
        text += ", uri=\(quoted(uri)), response=\"\(proof)\""
        // Unquoted, as RFC 7616 section 3.4 says; left out where the challenge did.
        if let spelling { text += ", algorithm=\(spelling)" }
        if let opaque { text += ", opaque=\(quoted(opaque))" }
        if hasQop {
            text += ", qop=auth, nc=\(count), cnonce=\"\(random)\""
        } else if isSession {
            text += ", cnonce=\"\(random)\""
        }
        return text
    }

    private func hash(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return (algorithm == .sha256 ? MessageDigest.sha256 : .md5).text(bytes)
    }

    private func quoted(_ text: String) -> String {
        var out = "\""
        for character in text {
            if character == "\"" || character == "\\" { out.append("\\") }
            out.append(character)
        }
        return out + "\""
    }

    /// The challenges of one field: a scheme, then `name=value` with commas between; a value may be quoted.
    private static func split(_ field: ArraySlice<UInt8>) -> [(scheme: String, parameters: [String: String])] {
        var found: [(scheme: String, parameters: [String: String])] = []
        var rest = field
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") }
        while true {
            rest = rest.drop { isBlank($0) }
            let word = rest.prefix { isTokenByte($0) }
            guard !word.isEmpty else {
                guard !rest.isEmpty else { return found }
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(word.count)
            let after = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard after.first == UInt8(ascii: "=") else {
                found.append((lowercased(word), [:]))
                continue
            }
            rest = after.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            let value = value(&rest)
            guard !found.isEmpty else { continue }
            let name = lowercased(word)
            if found[found.count - 1].parameters[name] == nil { found[found.count - 1].parameters[name] = value }
        }
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix { $0 != UInt8(ascii: ",") && $0 != 0x20 && $0 != 0x09 }
            rest = rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }
        rest = rest.dropFirst()
        var out: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                out.append(escaped)
            } else {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
