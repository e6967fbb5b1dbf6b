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
        "{\(members.map { "\(quoted($0.key)):\(quoted($0.value))" }.joined(separator: ","))}"
    }
}
