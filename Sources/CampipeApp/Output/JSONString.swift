import CampipeKit

/// Text as JSON writes it (RFC 8259 section 7), and as other places that take the same escapes do: Graphviz, the log.
enum JSONString {
    static func quoted(_ text: String) -> String {
        var quoted = ""
        EventValue.appendJSON(text: text, to: &quoted)
        return quoted
    }

    /// An object of texts, on one line.
    static func object(_ members: [(key: String, value: String)]) -> String {
        object(members.map { ($0.key, EventValue.text($0.value)) })
    }

    /// An object on one line, its members in this order.
    static func object(_ members: [(key: String, value: EventValue)]) -> String {
        var text = "{"
        for (index, member) in members.enumerated() {
            text += (index > 0 ? "," : "") + quoted(member.key) + ":"
            member.value.appendJSON(to: &text)
        }
        return text + "}"
    }
}
