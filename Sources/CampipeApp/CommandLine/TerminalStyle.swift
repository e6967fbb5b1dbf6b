/// Whether and how text is coloured: only on a terminal, and not where `NO_COLOR` asks for none.
struct TerminalStyle: Sendable {
    let usesColor: Bool

    /// - Parameters:
    ///   - isTerminal: Whether the text goes to a terminal.
    ///   - environment: The process's; `NO_COLOR` with any text in it means none (no-color.org), as does `TERM=dumb`.
    init(isTerminal: Bool, environment: [String: String]) {
        usesColor = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    enum Emphasis: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    /// The text, between the codes (ECMA-48 SGR) of an emphasis where colour is used.
    func styled(_ text: String, _ emphasis: Emphasis) -> String {
        usesColor ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}
