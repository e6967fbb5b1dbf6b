import CampipeKit

/// What a server asks of a user, and the answer to it: Basic and Digest (RFC 7617, RFC 7616, RFC 2069). A value.
///
/// Of several challenges the strongest that is known is answered: Digest with SHA-256, with MD5, then Basic. libavformat
/// knows no SHA-256, which newer cameras ask for alone.
package struct RTSPChallenge: Hashable, Sendable {
    /// The digest that a server asks for (RFC 7616, section 3.2), the stronger one greater.
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
        let found = fields.flatMap { LoginOffer.offers(in: Array($0.utf8)[...]) }.compactMap(Self.init)
        guard let best = found.max(by: { $0.algorithm.rawValue < $1.algorithm.rawValue }) else { return nil }
        self = best
    }

    private init?(_ offer: LoginOffer) {
        let parameters = offer.parameters
        realm = parameters["realm"] ?? ""
        nonce = parameters["nonce"] ?? ""
        opaque = parameters["opaque"]
        spelling = parameters["algorithm"]
        let name = lowercased(Array((parameters["algorithm"] ?? "md5").utf8)[...])
        isSession = name.hasSuffix("-sess")
        hasQop = hasToken(parameters["qop"], "auth")
        switch (lowercased(Array(offer.scheme.utf8)[...]), isSession ? String(name.dropLast(5)) : name) {
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
}
