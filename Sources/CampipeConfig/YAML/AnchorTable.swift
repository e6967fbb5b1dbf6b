internal import CampipeKit

/// The anchors of a text with what they stand for, and those among them that were most likely meant as text.
struct AnchorTable {
    /// What an anchor stands for, with the size that limits are made of.
    struct Value {
        let value: LocatedValue
        /// How many values it is made of, aliases written out.
        let count: Int
        let height: Int

        init(_ value: LocatedValue, count: Int, height: Int) {
            self.value = value
            self.count = count
            self.height = height
        }
    }

    enum State {
        /// What it stands for has not ended.
        case open
        case closed(Value)
    }

    private var states: [String: State] = [:]
    /// The anchors of texts, in order.
    private var texts: [(name: String, mark: Mark)] = []
    private var aliased: Set<String> = []

    /// More anchors of texts are not warned of.
    private static let mostTexts = 100

    mutating func open(_ name: String) { states[name] = .open }

    mutating func close(_ name: String, _ value: Value) { states[name] = .closed(value) }

    /// What an alias names.
    mutating func named(_ name: String) -> State? {
        aliased.insert(name)
        return states[name]
    }

    /// Keeps an anchor of a text in mind: where no alias names it, the word is most likely part of the text.
    ///
    /// - Returns: What is wrong where nothing follows the anchor.
    mutating func note(_ name: String, of value: LocatedValue) -> Diagnostic? {
        guard case .scalar(let scalar) = value.content else { return nil }
        guard scalar.isQuoted || !scalar.text.isEmpty else {
            return Diagnostic(
                .quoteIt, value.mark, "a word that begins with & is an anchor to YAML, and nothing follows it",
                fix: "quote it if it is text")
        }
        if texts.count < Self.mostTexts { texts.append((name, value.mark)) }
        return nil
    }

    /// Those that lose the first word of a text.
    var warnings: [Diagnostic] {
        texts.filter { !aliased.contains($0.name) }.map { _, mark in
            Diagnostic(
                .quoteIt, mark, "a word that begins with & is an anchor to YAML, and no part of the text",
                fix: "quote the whole value if it is; else delete the word, which no * names", severity: .warning)
        }
    }
}
