/// Several words as a sentence has them.
package enum WordList {
    /// `a`, `a and b`, `a, b and c`; of more than eight the rest is a number. Empty for none.
    package static func and(_ words: [String]) -> String {
        var shown = words.count > 8 ? Array(words.prefix(7)) + ["\(words.count - 7) more"] : words
        guard let last = shown.popLast() else { return "" }
        return shown.isEmpty ? last : "\(shown.joined(separator: ", ")) and \(last)"
    }
}
