internal import CampipeKit

/// Something in a text for which its writer expects a value to be put in, and nothing is: a name in braces that is no
/// parameter, a variable without braces, the braces of other tools' templates.
struct LeftOver: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// `{ip}`.
        case braces
        /// `{{ url }}`, as Jinja and Helm write it.
        case doubled
        /// `$HOST`, `$(HOST)`.
        case variable
        /// `<ip>`, `[ip]`, `%IP%`, as instructions have it; looked for in URLs alone.
        case sample
    }

    let kind: Kind
    /// As it is written.
    let text: String
    /// The name in it; empty where there is more than a name.
    let name: String
    /// The value of the file that it is written in.
    let mark: Mark

    /// Whether it is what a template's parameters look like.
    var isTemplates: Bool { kind == .braces || kind == .doubled }

    /// More of one text are not told of.
    private static let most = 32

    /// All of a text as written, each once.
    ///
    /// - Parameter isKnown: Whether a name in braces is a parameter.
    static func all(in text: String, at mark: Mark, isKnown: (String) -> Bool) -> [LeftOver] {
        let isURL = text.utf8.contains(UInt8(ascii: "@")) || text.contains("://")
        guard isURL || text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "$") }) else {
            return []
        }
        var found: [LeftOver] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first, found.count < most {
            let next: (kind: Kind, name: String, length: Int)?
            switch first {
            case UInt8(ascii: "$"): next = variable(rest)
            case UInt8(ascii: "{"): next = doubled(rest) ?? braces(rest, isKnown)
            case UInt8(ascii: "<") where isURL: next = sample(rest, end: UInt8(ascii: ">"))
            case UInt8(ascii: "[") where isURL: next = sample(rest, end: UInt8(ascii: "]"))
            case UInt8(ascii: "%") where isURL: next = sample(rest, end: UInt8(ascii: "%"))
            default: next = nil
            }
            guard let next else {
                rest = rest.dropFirst(skipped(rest))
                continue
            }
            let leftOver = LeftOver(
                kind: next.kind, text: String(decoding: rest.prefix(next.length), as: UTF8.self), name: next.name,
                mark: mark)
            if !found.contains(leftOver) { found.append(leftOver) }
            rest = rest.dropFirst(next.length)
        }
        return found
    }

    /// The text with one pair of braces around each name that has two.
    static func singled(_ text: String) -> String {
        guard text.contains("{{") else { return text }
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first {
            if first == UInt8(ascii: "{"), let (_, name, length) = doubled(rest), !name.isEmpty {
                result += Array("{\(name)}".utf8)
                rest = rest.dropFirst(length)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// How far a dollar goes that is no variable here: `$$`, `${NAME}`.
    private static func skipped(_ rest: ArraySlice<UInt8>) -> Int {
        if rest.starts(with: "$${".utf8) { return 3 }
        if rest.starts(with: "$$".utf8) {
            return 2 + rest.dropFirst(2).prefix { isLetter($0) || isDigit($0) }.count
        }
        if rest.starts(with: "${".utf8), let end = rest.firstIndex(of: UInt8(ascii: "}")) {
            return end + 1 - rest.startIndex
        }
        return 1
    }

    /// - Parameter rest: What begins with a dollar.
    private static func variable(_ rest: ArraySlice<UInt8>) -> (kind: Kind, name: String, length: Int)? {
        let isInBrackets = rest.dropFirst().first == UInt8(ascii: "(")
        let word = rest.dropFirst(isInBrackets ? 2 : 1).prefix { isLetter($0) || isDigit($0) }
        guard let first = word.first, isLetter(first), word.count <= 64 else { return nil }
        if isInBrackets, rest[word.endIndex...].first != UInt8(ascii: ")") { return nil }
        return (.variable, String(decoding: word, as: UTF8.self), word.count + (isInBrackets ? 3 : 1))
    }

    /// - Parameter rest: What begins with a brace.
    private static func doubled(_ rest: ArraySlice<UInt8>) -> (kind: Kind, name: String, length: Int)? {
        guard rest.starts(with: "{{".utf8) else { return nil }
        let inner = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "{") }
        guard !inner.isEmpty, inner.count <= 128, rest[inner.endIndex...].starts(with: "}}".utf8) else { return nil }
        let name = Substitution.trimmed(String(decoding: inner, as: UTF8.self))
        return (.doubled, isName(name) ? name : "", inner.count + 4)
    }

    /// - Parameter rest: What begins with a bracket or a percent sign.
    private static func sample(_ rest: ArraySlice<UInt8>, end: UInt8) -> (kind: Kind, name: String, length: Int)? {
        let inner = rest.dropFirst().prefix { $0 != end }
        guard inner.count <= 64, inner.endIndex < rest.endIndex else { return nil }
        let name = String(decoding: inner, as: UTF8.self)
        return isName(name) ? (.sample, name, inner.count + 2) : nil
    }

    private static func braces(
        _ rest: ArraySlice<UInt8>, _ isKnown: (String) -> Bool
    ) -> (kind: Kind, name: String, length: Int)? {
        guard let (name, end) = Substitution.parameterName(rest), !isKnown(name) else { return nil }
        let word = Substitution.trimmed(name)
        guard isName(word), !isGUID(word) else { return nil }
        return (.braces, word, end - rest.startIndex)
    }

    private static func isName(_ word: String) -> Bool {
        NameCheck.isName(word) && word.utf8.first.map(isLetter) == true
    }

    /// `{3f2504e0-4f89-11d3-9a0c-0305e82c3301}`, as the addresses of some recorders have it.
    private static func isGUID(_ word: String) -> Bool {
        word.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [8, 4, 4, 4, 12]
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
