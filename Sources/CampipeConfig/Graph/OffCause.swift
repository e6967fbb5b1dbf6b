internal import CampipeKit

/// Why a node does nothing in this pipeline: it is switched off, its plugin is refused, or what it cannot work without is
/// off.
///
/// A node is off with `enabled: false`; when its plugin is refused; when all that feeds its main input, or another input that must be connected, is
/// off; and when all that its `when` names is. One of several inputs that is off is passed over, as is what an optional
/// input names.
package struct OffCause: Hashable, Sendable {
    /// The node whose `enabled: false` began it: itself, or the first one upstream.
    package let root: String
    /// What follows "ID is off: ": `its input watch is disabled`; nil where the node itself is switched off.
    package let reason: String?
    /// How the first one is: `disabled`, or `not there`, where its plugin is refused.
    private let word: String
    /// Whether it began with a plugin that is refused.
    var isRefused: Bool { word != "disabled" }

    /// A node that is switched off by its own key.
    init(disabled id: String) {
        root = id
        reason = nil
        word = "disabled"
    }

    /// A node whose plugin is refused.
    init(refused id: String) {
        root = id
        reason = nil
        word = "not there"
    }

    /// A node that has nothing left to work on.
    ///
    /// - Parameters:
    ///   - nodes: What it names at one place, all of it off, with the causes; nil comes of none.
    ///   - isWhen: Whether that place is `when`, else it is an input.
    ///   - name: How it calls another node.
    init?(_ nodes: [(name: String, cause: OffCause)], isWhen: Bool, root name: (String) -> String) {
        guard let first = nodes.first else { return nil }
        root = first.cause.root
        let isOne = nodes.count == 1
        let names = WordList.and(nodes.map(\.name))
        word = first.cause.word
        let areFirst = nodes.allSatisfy { $0.cause.reason == nil && $0.cause.word == first.cause.word }
        let since = isOne && !areFirst ? ", since \(name(root)) is \(word)" : ""
        let state = "\(isOne ? "is" : "are") \(areFirst ? word : "off")\(since)"
        reason =
            isWhen
            ? "it waits for events of \(names), which \(state)" : "its input\(isOne ? "" : "s") \(names) \(state)"
    }

    /// The cause in words, for a list of nodes: `disabled`, or why.
    package var text: String { reason ?? (isRefused ? "failed: its plugin is refused" : word) }
}
