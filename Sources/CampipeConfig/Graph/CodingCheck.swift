internal import CampipeKit

/// Finds pictures that are coded in vain: encoded only to be decoded again, or coded twice.
///
/// Nothing is wrong with the file then, and the pipeline runs; it costs a coding that nobody meant, and some quality.
struct CodingCheck {
    private let drafts: [NodeDraft]
    private let facts: [NodeFacts]
    private let index: [String: Int]

    static func check(_ resolver: GraphResolver, findings: inout Findings) {
        let check = CodingCheck(drafts: resolver.drafts, facts: resolver.facts, index: resolver.index)
        for node in check.drafts.indices where check.facts[node].off == nil {
            check.checkDecoder(node, &findings)
            check.checkSink(node, &findings)
        }
    }

    /// A decoder that is given frames: the planner would have to encode them first.
    private func checkDecoder(_ node: Int, _ findings: inout Findings) {
        let draft = drafts[node]
        guard role(of: node) == .decode, let feeder = feeder(of: node), feeder.output.kind == .frame else { return }
        let from = drafts[feeder.node]
        findings.report(
            .codedTwice, at: inputPath(draft),
            "\(from.id) gives frames already: they would be encoded for \(draft.id), only to be decoded by it",
            fix: "take \(from.name) where \(draft.name) is taken, and delete \(draft.name)", severity: .warning,
            related: from.path)
    }

    /// A sink that writes another coding than an encoder in front of it makes.
    private func checkSink(_ node: Int, _ findings: inout Findings) {
        let draft = drafts[node]
        guard draft.isSink, case .packets(let given)? = facts[node].inputFormat, let coding = given.coding,
            let due = written(of: coding, by: draft), coding != due, let encoder = encoder(before: node)
        else { return }
        let from = drafts[encoder]
        let taken = feeder(of: encoder).map { "take \(drafts[$0.node].name) here" }
        let other = from.options["codec"].map { _ in "set codec: \(due.rawValue) on \(from.name)" }
        findings.report(
            .codedTwice, at: inputPath(draft),
            "\(from.id) makes \(coding.rawValue), and \(draft.id) writes \(due.rawValue): "
                + "each picture would be decoded and encoded again",
            fix: [taken, other].compactMap(\.self).joined(separator: ", or "), severity: .warning, related: from.path)
    }

    /// What a sink makes of packets of a coding: what it wants, or what it codes them as itself; nil as they come.
    private func written(of coding: Coding, by draft: NodeDraft) -> Coding? {
        if case .packets(let wanted)? = draft.inspection?.want?.format, let due = wanted.coding { return due }
        return draft.inspection?.recodes[coding]
    }

    /// The encoder that somebody wrote and whose packets come to a node unchanged.
    private func encoder(before node: Int) -> Int? {
        var place = node
        for _ in 0..<drafts.count {
            guard let next = feeder(of: place) else { return nil }
            if role(of: next.node) == .encode { return next.node }
            guard next.output.kind == .packet, drafts[next.node].section == "transforms" else { return nil }
            place = next.node
        }
        return nil
    }

    private func role(of node: Int) -> ConverterRole? { drafts[node].registrations.first?.descriptor.role }

    private func inputPath(_ draft: NodeDraft) -> FaultPath {
        draft.path.key(draft.value.entry("input") != nil ? "input" : "inputs")
    }

    /// The one node that feeds the main input, and by which output.
    private func feeder(of node: Int) -> (node: Int, output: PortDescriptor)? {
        guard let references = facts[node].inputs.first, references.count == 1, let place = index[references[0].node],
            let output = drafts[place].outputs.first(where: { $0.name == references[0].port })
        else { return nil }
        return (place, output)
    }
}
