/// A scheme of login that a server offers in `WWW-Authenticate`, with its parameters (RFC 9110 section 11.6.1). A value.
struct LoginOffer {
    /// As it was spelt.
    let scheme: String
    /// Whether it stands at the field's begin or behind a comma; else it may be text of the scheme before it.
    let beginsElement: Bool
    /// By names in small letters; of two of one name the first.
    private(set) var parameters: [String: String] = [:]

    /// The offers of one field, in their order: several may stand in one, separated by the same commas as their
    /// parameters, or by none.
    static func offers(in field: ArraySlice<UInt8>) -> [LoginOffer] {
        var found: [LoginOffer] = []
        var rest = field
        var beginsElement = true
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        while let byte = rest.first {
            let word = rest.prefix { isTokenByte($0) }
            guard !word.isEmpty else {
                if byte == UInt8(ascii: ",") { beginsElement = true }
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(word.count)
            defer { beginsElement = false }
            let after = rest.drop(while: isBlank)
            guard after.first == UInt8(ascii: "=") else {
                let scheme = String(decoding: word, as: UTF8.self)
                found.append(LoginOffer(scheme: scheme, beginsElement: beginsElement))
                continue
            }
            rest = after.dropFirst().drop(while: isBlank)
            let value = value(&rest)
            guard !found.isEmpty else { continue }
            let name = lowercased(word)
            if found[found.count - 1].parameters[name] == nil { found[found.count - 1].parameters[name] = value }
        }
        return found
    }

    /// The schemes of all fields of an answer, each once.
    static func schemes(of headers: HTTPHeaders) -> [String] {
        var schemes: [String] = []
        for field in headers.all("WWW-Authenticate") { add(Array(field.utf8)[...], to: &schemes) }
        return schemes
    }

    /// Adds the schemes of one field that are not among them yet.
    static func add(_ field: ArraySlice<UInt8>, to schemes: inout [String]) {
        for offer in offers(in: field) where offer.beginsElement && !schemes.contains(offer.scheme) {
            schemes.append(offer.scheme)
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
