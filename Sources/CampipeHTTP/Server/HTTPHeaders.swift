/// Header fields in their order, found by name without regard to case.
package struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first field of that name; nil when there is none.
    package subscript(name: String) -> String? {
        fields.first { sameFieldName($0.name, name) }?.value
    }

    /// All fields of that name.
    package func all(_ name: String) -> [String] {
        fields.filter { sameFieldName($0.name, name) }.map(\.value)
    }

    /// Adds a field; line ends in the value become blanks, so that no value makes a field of its own.
    package mutating func add(_ name: String, _ value: String) {
        let isClean = value.utf8.allSatisfy { $0 != 13 && $0 != 10 && $0 != 0 }
        let safe = isClean ? value : String(decoding: value.utf8.map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
        fields.append((name: name, value: safe))
    }

    /// Adds all fields of others, in their order, beside those that are there.
    package mutating func add(contentsOf other: HTTPHeaders) {
        for field in other.fields { add(field.name, field.value) }
    }
}

/// ASCII names alike but for their case.
func sameFieldName(_ left: String, _ right: String) -> Bool {
    let a = left.utf8
    let b = right.utf8
    guard a.count == b.count else { return false }
    for (x, y) in zip(a, b) where x != y {
        guard x | 0x20 == y | 0x20, (0x61...0x7A).contains(x | 0x20) else { return false }
    }
    return true
}

/// Whether a comma-separated field value holds `token` (RFC 9110 section 5.6.1), without regard to case.
func hasToken(_ value: String?, _ token: String) -> Bool {
    guard let value else { return false }
    return Array(value.utf8).split(separator: UInt8(ascii: ",")).contains { lowercased(trimmed($0)) == token }
}
