internal import CampipeKit

/// Reads one scalar as people mean it: `!secret`, the quotes of a word processor, characters that nobody sees.
struct ScalarReading {
    private let event: YAMLEvent
    private let mark: Mark
    /// Whether it stands behind a key whose name says that it is secret: then no sentence names it.
    private let isSecret: Bool
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether the value could not be told, so that nothing need be said of what follows from it.
    private(set) var isBroken = false

    init(_ event: YAMLEvent, source: Int, isSecret: Bool) {
        self.event = event
        mark = Mark(source: source, event.start, event.end)
        self.isSecret = isSecret
    }

    mutating func value(_ text: String, isQuoted: Bool) -> LocatedValue {
        if text.utf8.contains(0) {
            report(.invalidValue, mark, "text may not hold a NUL character", fix: "delete the \\0")
        }
        if event.tag == "!secret" {
            if text.hasPrefix("file:"), text.utf8.count > 5 { return LocatedValue(.secret(text), mark) }
            report(
                .tagNotAllowed, mark, "!secret needs the file that holds it",
                fix: "write !secret file:PATH, from the pipeline file's folder")
            isBroken = true
            return LocatedValue(.scalar(Value.Scalar("", isQuoted: true, isSecret: true)), mark)
        }
        refuseTag()
        // `when: !watch`: the tag was the value.
        if event.tag != nil, text.isEmpty { isBroken = true }
        if !isQuoted, let inner = Self.insideTypographicQuotes(text) {
            report(
                .invalidValue, mark, "these are no quotes of YAML: they would be part of the text",
                fix: "write straight ones, \"...\" (and both where these belong to the text)")
            return LocatedValue(.scalar(Value.Scalar(inner, isQuoted: true)), mark)
        }
        if isQuoted, event.tag == nil, text == "!secret" || text.hasPrefix("!secret ") {
            let path = text.dropFirst("!secret ".count).drop { $0 == " " }
            report(
                .unquoteIt, mark, "inside quotes this is plain text, and no secret is read",
                fix: path.hasPrefix("file:") && path.utf8.count > 5
                    ? "take the quotes away: !secret \(path.prefix(120))" : "write !secret file:PATH, without quotes")
            isBroken = true
            return LocatedValue(.scalar(Value.Scalar("", isQuoted: true, isSecret: true)), mark)
        }
        return LocatedValue(.scalar(Value.Scalar(isQuoted ? text : seen(text), isQuoted: isQuoted)), mark)
    }

    /// A text without characters that nobody sees, which are reported by name.
    mutating func seen(_ text: String) -> String {
        guard let unseen = UnseenCharacter.first(in: text) else { return text }
        // A text over several lines is folded, and its places are others.
        let isPlaced = event.end - event.start == text.unicodeScalars.count
        let place = isPlaced ? event.start + unseen.offset : event.start
        report(
            .syntax, Mark(source: Int(mark.source), place, place + 1),
            "U+\(TextCheck.hex(unseen.scalar.value)), \(unseen.name), stands here where nobody sees it",
            fix: "delete it; where it belongs to a text, put quotes around that")
        return UnseenCharacter.removed(from: text)
    }

    /// Reports a tag, of whatever it stands at; of a scalar `!secret` is none that is refused.
    mutating func refuseTag() {
        guard let tag = event.tag else { return }
        if isSecret, tag != "!secret" {
            report(
                .tagNotAllowed, mark, "YAML reads a value that begins with ! as a tag",
                fix: "quote the whole value; only !secret file:PATH is known")
            return
        }
        if tag.hasPrefix("!include") || tag == "!env_var" {
            isBroken = true
            report(
                .tagNotAllowed, mark, "the tag \(tag.prefix(80)) is of another tool's files",
                fix: tag == "!env_var"
                    ? "write ${NAME} or ${NAME:-default}" : "write here what stands there: a pipeline is one file")
            return
        }
        report(
            .tagNotAllowed, mark, "the tag \(tag.prefix(80)) may not stand in a pipeline file",
            fix: tag == "!secret"
                ? "write !secret file:PATH"
                : tag.hasPrefix("!")
                    ? "quote the value if it is text; the one tag that is known is !secret file:PATH"
                    : "delete it; only !secret file:PATH is known")
    }

    /// What stands between the quotes of a word processor; nil for what does not begin and end with some.
    private static func insideTypographicQuotes(_ text: String) -> String? {
        guard text.count >= 2, let first = text.first, let last = text.last, "“”„‟«»‘’‚".contains(first),
            "“”„‟«»‘’‚".contains(last)
        else { return nil }
        return String(text.dropFirst().dropLast())
    }

    private mutating func report(_ code: FaultCode, _ mark: Mark, _ sentence: String, fix: String) {
        diagnostics.append(Diagnostic(code, mark, sentence, fix: fix))
    }
}
