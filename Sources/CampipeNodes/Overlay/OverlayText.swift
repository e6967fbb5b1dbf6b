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
        var fix: String
        var isField: Bool
        /// Where it stands, in Unicode scalars.
        var span: Range<Int>
    }

    private(set) var parts: [Part] = []

    private static let plainFields = ["source", "camera", "fps"]
    private static let knownFields =
        plainFields + EventField.allCases.map { "event.\($0.rawValue)" }

    /// More than these are not told of one text.
    private static let mostProblems = 50

    /// - Throws: The first `Problem`, with what would be right.
    init(_ pattern: String) throws(Problem) {
        let read = Self.read(pattern)
        if let first = read.problems.first { throw first }
        self = read.text
    }

    /// All that is wrong with a text, in its order.
    static func problems(in pattern: String) -> [Problem] { read(pattern).problems }

    /// The fields of a text that ask for events which do not come.
    ///
    /// - Parameter nodes: The nodes whose events come.
    static func unheard(in pattern: String, of nodes: [String]) -> [Problem] {
        read(pattern).events.compactMap { event in
            let field = "{\(event.node ?? "event").\(event.field.rawValue)}"
            if nodes.isEmpty {
                let example = event.node ?? "the id of what finds them"
                return Problem(
                    sentence: "\(field) asks for events, and none come here",
                    fix: event.node == nil ? "add events: with \(example)" : "add events: [\(example)]",
                    isField: true, span: event.span)
            }
            guard let node = event.node, !nodes.contains(where: { $0 == node || $0.hasSuffix("/\(node)") }) else {
                return nil
            }
            return Problem(
                sentence: "no events of \"\(node)\" come here",
                fix: Nearest.fix(node, in: nodes), isField: true, span: event.span)
        }
    }

    private init() {}

    /// A field that asks for events, and where it stands.
    private typealias EventPlace = (node: String?, field: EventField, span: Range<Int>)

    private static func read(
        _ pattern: String
    ) -> (text: OverlayText, problems: [Problem], events: [EventPlace]) {
        let scalars = Array(pattern.unicodeScalars)
        var text = OverlayText()
        var problems: [Problem] = []
        var events: [EventPlace] = []
        var literal: [Unicode.Scalar] = []
        /// Where each character of the literal stands in the pattern.
        var places: [Int] = []
        func endLiteral() {
            if literal.isEmpty { return }
            for unknown in WallClockText.unknownConversions(in: literal) {
                problems.append(conversion(String.UnicodeScalarView(literal[unknown]), at: places[unknown.lowerBound]))
            }
            text.parts.append(.text(String(String.UnicodeScalarView(literal))))
            (literal, places) = ([], [])
        }
        var index = 0
        while index < scalars.count, problems.count < mostProblems {
            let scalar = scalars[index]
            let isBrace = scalar == "{" || scalar == "}"
            let isDoubled = isBrace && index + 1 < scalars.count && scalars[index + 1] == scalar
            if !isBrace || isDoubled {
                literal.append(scalar)
                places.append(index)
                index += isDoubled ? 2 : 1
            } else if scalar == "{", let end = scalars[index...].firstIndex(of: "}") {
                endLiteral()
                let name = String(String.UnicodeScalarView(scalars[(index + 1)..<end]))
                do throws(Problem) {
                    let part = try field(name, at: index..<(end + 1))
                    text.parts.append(part)
                    if case .event(let node, let field) = part { events.append((node, field, index..<(end + 1))) }
                } catch {
                    problems.append(error)
                }
                index = end + 1
            } else {
                problems.append(
                    Problem(
                        sentence: "\"\(scalar)\" stands alone",
                        fix: "write \(scalar)\(scalar) for the brace itself", isField: false, span: index..<(index + 1))
                )
                index += 1
            }
        }
        endLiteral()
        return (text, problems, events)
    }

    private static func conversion(_ unknown: String.UnicodeScalarView, at place: Int) -> Problem {
        Problem(
            sentence: "\"\(String(unknown))\" is not a conversion of strftime",
            fix: "known: \(WallClockText.usual); write %% for a percent sign", isField: false,
            span: place..<(place + unknown.count))
    }

    private static func field(_ name: String, at span: Range<Int>) throws(Problem) -> Part {
        switch name {
        case "source": return .source
        case "camera": return .camera
        case "fps": return .fps
        default: break
        }
        // The id of a node may have slashes and dots of its own; the last dot parts it from what is asked.
        var known = knownFields
        if let dot = name.lastIndex(of: "."), dot > name.startIndex {
            let node = String(name[..<dot])
            let asked = String(name[name.index(after: dot)...])
            if let field = EventField(rawValue: asked) { return .event(node: node == "event" ? nil : node, field) }
            known = EventField.allCases.map { "\(node).\($0.rawValue)" }
        }
        throw Problem(
            sentence: "unknown field {\(name)}", fix: Nearest.fix(name, in: known), isField: true, span: span)
    }
}
