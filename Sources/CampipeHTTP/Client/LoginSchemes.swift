/// The schemes that a `WWW-Authenticate` field offers, as it spells them (RFC 9110 section 11.6.1): several may share one
/// field, separated by the same commas as their parameters.
func loginSchemes(_ value: ArraySlice<UInt8>) -> [String] {
    var schemes: [String] = []
    var rest = value
    while !rest.isEmpty {
        // One element of the list; a quoted text may hold commas.
        var end = rest.startIndex
        var isQuoted = false
        while end < rest.endIndex, isQuoted || rest[end] != UInt8(ascii: ",") {
            let isEscape = isQuoted && rest[end] == UInt8(ascii: "\\")
            if rest[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
            end = min(end + (isEscape ? 2 : 1), rest.endIndex)
        }
        let element = trimmed(rest[..<end])
        let word = element.prefix { $0 != 0x20 && $0 != 0x09 && $0 != UInt8(ascii: "=") }
        // A parameter has its `=` behind its name; a scheme stands alone, or before something else.
        if !word.isEmpty, trimmed(element[word.endIndex...]).first != UInt8(ascii: "=") {
            schemes.append(String(decoding: word, as: UTF8.self))
        }
        rest = rest[min(end + 1, rest.endIndex)...]
    }
    return schemes
}

/// The schemes of all `WWW-Authenticate` fields of an answer, each once.
func loginSchemes(of headers: HTTPHeaders) -> [String] {
    var schemes: [String] = []
    for field in headers.all("WWW-Authenticate") {
        for scheme in loginSchemes(Array(field.utf8)[...]) where !schemes.contains(scheme) { schemes.append(scheme) }
    }
    return schemes
}
