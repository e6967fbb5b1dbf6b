import CampipeKit

/// The text of an overlay, taken apart: literal text with strftime, and fields in braces. A value.
///
/// Fields: `{source}`, `{camera}`, `{fps}`, and of events `{event.score}` (the newest of any) or `{watch.score}` (the
/// newest of that node): `class`, `score`, `kind`, `label`, `area`. `{{` and `}}` are braces.
struct OverlayText: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Filled by strftime.
        case text(String)
        case source
        case camera
        case fps
        /// Something of the newest event of a node; nil: of any.
        case event(node: String?, EventField)
    }

    enum EventField: String, CaseIterable, Sendable {
        case `class`, score, kind, label, area
    }

    /// A field that is not known, or a brace without its other.
    struct Problem: Error, Hashable, Sendable {
        var sentence: String
        var fix: String?
        var isField: Bool
    }

    private(set) var parts: [Part] = []

    private static let plainFields = ["source", "camera", "fps"]
    private static let knownFields =
        plainFields + EventField.allCases.map { "event.\($0.rawValue)" }

    /// - Throws: `Problem` with what would be right.
    init(_ pattern: String) throws(Problem) {
        var literal = ""
        var rest = pattern[...]
        while let character = rest.popFirst() {
            guard character == "{" || character == "}" else {
                literal.append(character)
                continue
            }
            if rest.first == character {
                rest.removeFirst()
                literal.append(character)
                continue
            }
            guard character == "{", let end = rest.firstIndex(of: "}") else {
                throw Problem(
                    sentence: "\"\(character)\" stands alone",
                    fix: "write \(character)\(character) for the brace itself",
                    isField: false)
            }
            if !literal.isEmpty { parts.append(.text(literal)) }
            literal = ""
            parts.append(try Self.field(String(rest[..<end])))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        for case .text(let pattern) in parts { try Self.check(pattern) }
    }

    private static func check(_ pattern: String) throws(Problem) {
        guard let unknown = WallClockText.unknownConversion(in: pattern) else { return }
        throw Problem(
            sentence: "\"\(unknown)\" is not a conversion of strftime",
            fix: "known: \(WallClockText.usual); write %% for a percent sign", isField: false)
    }

    private static func field(_ name: String) throws(Problem) -> Part {
        switch name {
        case "source": return .source
        case "camera": return .camera
        case "fps": return .fps
        default: break
        }
        // The id of a node may have slashes and dots of its own; the last dot parts it from what is asked.
        if let dot = name.lastIndex(of: "."), dot > name.startIndex {
            let node = String(name[..<dot])
            let asked = String(name[name.index(after: dot)...])
            if let field = EventField(rawValue: asked) { return .event(node: node == "event" ? nil : node, field) }
            let known = EventField.allCases.map { "\(node).\($0.rawValue)" }
            throw Problem(
                sentence: "unknown field {\(name)}", fix: Nearest.fix(name, in: known), isField: true)
        }
        throw Problem(
            sentence: "unknown field {\(name)}", fix: Nearest.fix(name, in: knownFields), isField: true)
    }
}
