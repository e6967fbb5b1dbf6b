internal import CampipeKit

/// Why a node does nothing in this pipeline: it is switched off, or what it cannot work without is.
///
/// A node is off with `enabled: false`; when all that feeds its main input, or another input that must be connected, is
/// off; and when all that its `when` names is. One of several inputs that is off is passed over, as is what an optional
/// input names.
package struct OffCause: Hashable, Sendable {
    /// The node whose `enabled: false` began it: itself, or the first one upstream.
    package let root: String
    /// What follows "ID is off: ": `its input watch is disabled`; nil where the node itself is switched off.
    package let reason: String?

    /// A node that is switched off by its own key.
    init(disabled id: String) {
        root = id
        reason = nil
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
        let areDisabled = nodes.allSatisfy { $0.cause.reason == nil }
        let since = isOne && !areDisabled ? ", since \(name(root)) is disabled" : ""
        let state = "\(isOne ? "is" : "are") \(areDisabled ? "disabled" : "off")\(since)"
        reason =
            isWhen
            ? "it waits for events of \(names), which \(state)" : "its input\(isOne ? "" : "s") \(names) \(state)"
    }

    /// The cause in words, for a list of nodes: `disabled`, or why.
    package var text: String { reason ?? "disabled" }
}
