/// What a server says of the session it gives, and when it wants to hear of us again. A value.
package struct RTSPKeepalive: Sendable {
    /// As `Session` of later requests.
    package private(set) var session: String?
    /// After so long without a request the server forgets the session (RFC 2326 section 12.37).
    package private(set) var timeout = Duration.seconds(60)
    /// What the server offers.
    private var methods: Set<String> = []
    private var refused: Set<String> = []

    package init() {}

    /// Takes over what an answer says in `Session` and `Public`.
    package mutating func learn(_ headers: HTTPHeaders) {
        if let field = headers["Session"] {
            let parts = Array(field.utf8).split(separator: UInt8(ascii: ";"))
            if let first = parts.first, !trimmed(first).isEmpty {
                session = String(decoding: trimmed(first), as: UTF8.self)
            }
            for part in parts.dropFirst() {
                let sides = part.split(separator: UInt8(ascii: "=")).map { trimmed($0) }
                guard sides.count == 2, lowercased(sides[0]) == "timeout", let seconds = decimal(sides[1]),
                    (1...86_400).contains(seconds)
                else { continue }
                timeout = .seconds(seconds)
            }
        }
        for field in headers.all("Public") {
            for word in Array(field.utf8).split(separator: UInt8(ascii: ",")) {
                methods.insert(lowercased(trimmed(word)))
            }
        }
    }

    /// How long after a request the next is due: well before half of the timeout, so that one may be lost.
    package var interval: Duration { min(timeout * 2 / 5, .seconds(25)) }

    /// What keeps the session: GET_PARAMETER where it is offered, or where nothing is said and it was not refused; else
    /// OPTIONS, which some servers do not count.
    package var method: String {
        let isOffered = methods.isEmpty || methods.contains("get_parameter")
        return isOffered && !refused.contains("GET_PARAMETER") ? "GET_PARAMETER" : "OPTIONS"
    }

    /// The server does not know the method.
    package mutating func refuse(_ method: String) { refused.insert(method) }
}
