internal import CampipeKit

/// Finds events that can never belong to what their node takes: of what is live the times are those of the host's clock,
/// of what is read as fast as it goes those of the stream, so that none of one lies near any of the other.
///
/// Pictures beside pictures are none of its business: what lies behind is simply the newest there is.
struct TimeCheck {
    private let drafts: [NodeDraft]
    private let facts: [NodeFacts]

    static func check(_ resolver: GraphResolver, findings: inout Findings) {
        let check = TimeCheck(drafts: resolver.drafts, facts: resolver.facts)
        for index in check.drafts.indices where check.facts[index].off == nil { check.check(index, &findings) }
    }

    private func check(_ node: Int, _ findings: inout Findings) {
        let draft = drafts[node]
        let main = draft.inputs.first?.references.flatMap(\.targets) ?? []
        guard isKnown(node) else { return }
        let isLive = draft.inspection?.isLive == true || main.contains { facts[$0].isLive }
        for condition in draft.when {
            check(condition.reference, at: node, isLive: isLive, "its when never opens", &findings)
        }
        for input in draft.inputs.dropFirst() where input.port.kind == .event {
            for reference in input.references {
                check(reference, at: node, isLive: isLive, "none of these events is ever seen", &findings)
            }
        }
    }

    private func check(
        _ reference: ReferenceDraft, at node: Int, isLive: Bool, _ consequence: String, _ findings: inout Findings
    ) {
        let apart = reference.targets.first { target in
            facts[target].off == nil && facts[target].isLive != isLive && isKnown(target)
        }
        guard let target = apart else { return }
        let draft = drafts[node]
        let source = self.source(of: isLive ? target : node)
        let name = draft.sibling(drafts[target].id)
        let file = draft.sibling(drafts[source].id)
        let hasSpeed = drafts[source].registrations.first?.descriptor.options.contains { $0.key == "speed" } == true
        findings.report(
            .pacesDiffer, at: reference.path,
            isLive
                ? "\(name) has the times of \(file), which is read as fast as it goes, and \(draft.name) takes what is live, so that \(consequence)"
                : "\(name) is live, and \(draft.name) takes \(file), which is read as fast as it goes and has times of its own, so that \(consequence)",
            fix: hasSpeed
                ? "write speed: realtime on \(file)"
                : isLive ? "take the events of what is live too" : "take the events of what is made of \(file)",
            related: drafts[source].path)
    }

    /// Whether all on the way to a node can be told to be live or not.
    private func isKnown(_ node: Int) -> Bool {
        let source = source(of: node)
        return drafts[node].isKnown && drafts[source].isKnown && !drafts[source].hasFaultyOptions
    }

    /// The source at the head of a node's main input.
    private func source(of node: Int) -> Int {
        var node = node
        for _ in drafts.indices {
            guard let next = drafts[node].inputs.first?.references.first?.targets.first else { break }
            node = next
        }
        return node
    }
}
