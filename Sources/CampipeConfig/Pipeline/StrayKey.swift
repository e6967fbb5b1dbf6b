internal import CampipeKit

/// A key of a node that neither its type nor its section knows, but somebody else.
enum StrayKey {
    /// Where it belongs; nil when nobody knows it.
    static func fix(for key: String, in draft: NodeDraft, _ options: [OptionSchema], inputKeys: [String]) -> String? {
        for option in options {
            if case .group(let inner) = option.type, inner.contains(where: { $0.key == key }) {
                return "it belongs under \"\(option.key)\""
            }
        }
        if draft.section == "sources", KnownKeys.links.contains(key) || LinkKeys.keys.contains(key) {
            let key = KnownKeys.links.contains(key) ? key : "link: {\(key): ...}"
            return "a source has no input: write \(key) in the nodes that take from \(draft.name)"
        }
        if LinkKeys.keys.contains(key) { return "it belongs under \"link\"" }
        if WhenKeys.keys.contains(key) { return "it belongs under \"when\"" }
        if ServerKeys.keys.contains(key) { return "it belongs under \"server\"" }
        if draft.isSink, ForeignWord.key(key, among: ServerKeys.keys) == "listen" {
            return "it belongs under \"server\", as listen: ADDRESS:PORT"
        }
        if ["input", "inputs"].contains(key) {
            return inputKeys.isEmpty ? "a source has no input" : "write \"\(inputKeys[0])\": this node takes one"
        }
        return KnownKeys.sections.first { KnownKeys.common(in: $0).contains(key) }.map { "it is a key of \($0)" }
    }
}
