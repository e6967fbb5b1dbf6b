/// `${NAME}` and `${NAME:-default}` in a text.
enum VariableText {
    /// The text without the names of its variables, and the dash before a default.
    static func emptied(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            result += rest[...open]
            rest = rest[rest.index(after: open)...]
            guard result.hasSuffix("${") else { continue }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
            let behind = rest[name.endIndex...]
            if behind.hasPrefix("}") { rest = behind }
            if behind.hasPrefix(":-") {
                result += ":"
                rest = behind.dropFirst(2)
            }
        }
        return result + rest
    }
}
