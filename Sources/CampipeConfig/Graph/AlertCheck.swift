internal import CampipeKit

/// Alerts that wait for kinds of event that nothing they read can tell: `on: [clip_ready]` of a camera.
struct AlertCheck {
    private let drafts: [NodeDraft]
    private let facts: [NodeFacts]
    private let index: [String: Int]

    /// Where an event comes out.
    private struct Output {
        /// As a reference to it is written.
        var name: String
        var kinds: [String]
    }

    static func check(_ resolver: GraphResolver, findings: inout Findings) {
        let check = AlertCheck(drafts: resolver.drafts, facts: resolver.facts, index: resolver.index)
        let told = Set(findings.faults.map(\.path))
        for node in resolver.drafts.indices { check.check(node, told: told, &findings) }
    }

    /// - Parameter told: Where something was found already.
    private func check(_ node: Int, told: Set<FaultPath>, _ findings: inout Findings) {
        let draft = drafts[node]
        guard facts[node].off == nil, draft.isKnown, !draft.hasFaultyOptions, let input = draft.inputs.first,
            let kinds = kinds(of: draft), input.isWhole, !facts[node].inputs[0].isEmpty,
            input.references.allSatisfy({ !$0.targets.isEmpty })
        else { return }
        var outputs: [Output] = []
        for reference in facts[node].inputs[0] {
            // Where one is not known, all may come.
            guard let output = output(reference, for: draft) else { return }
            outputs.append(output)
        }
        let coming = Set(outputs.flatMap(\.kinds))
        for (position, kind) in kinds.enumerated() where !coming.contains(kind) {
            let path = draft.path.key("on").index(position)
            if told.contains(path) { continue }
            findings.report(
                .noEffect, at: path, "no \(kind) comes here: \(Self.sentence(outputs))",
                fix: findings.faults.count < 500
                    ? fix(for: kind, coming.sorted(), node: node) : "name kinds that its inputs tell",
                severity: .warning)
        }
    }

    /// What an alert's `on` names; nil where it is no alert, or takes all.
    private func kinds(of draft: NodeDraft) -> [String]? {
        let descriptor = draft.registrations.first?.descriptor
        guard draft.isSink, descriptor?.mainInput?.kind == .event,
            descriptor?.options.first(where: { $0.key == "on" })?.type == .list(.text),
            case .list(let elements)? = draft.options["on"]
        else { return nil }
        return elements.map { if case .scalar(let scalar) = $0 { scalar.text } else { "" } }
    }

    /// What may come out there; nil where that is not known.
    private func output(_ reference: OutputReference, for reader: NodeDraft) -> Output? {
        guard let target = index[reference.node], let registration = drafts[target].registrations.first,
            registration.plugin == nil,
            let output = drafts[target].outputs.firstIndex(where: { $0.name == reference.port })
        else { return nil }
        return self.output(output, of: target, for: reader)
    }

    private func output(_ position: Int, of node: Int, for reader: NodeDraft) -> Output? {
        guard let descriptor = drafts[node].registrations.first?.descriptor,
            var kinds = descriptor.outputs[position].tells
        else { return nil }
        let isSupervision = position == descriptor.supervision
        if isSupervision, drafts[node].section == "sources", !facts[node].isLive {
            // What is not live is not lost: it ends.
            kinds.removeAll { $0 == .cameraLost || $0 == .cameraFound }
        }
        let hasOthers = descriptor.impliedOutputs.contains { $0.kind == .event }
        let port = isSupervision && hasOthers ? ".\(descriptor.outputs[position].name)" : ""
        let camera = reader.camera?.name
        let name = drafts[node].camera?.name == camera ? drafts[node].name : drafts[node].id
        return Output(name: name + port, kinds: kinds.map(\.rawValue))
    }

    private static func sentence(_ outputs: [Output]) -> String {
        let parts = outputs.prefix(3).map { output in
            output.kinds.isEmpty
                ? "\(output.name) is not live, and tells nothing" : "\(output.name) tells \(WordList.and(output.kinds))"
        }
        return parts.joined(separator: "; ") + (outputs.count > 3 ? "; and so on" : "")
    }

    private func fix(for kind: String, _ coming: [String], node: Int) -> String {
        if let near = Nearest.match(kind, in: coming) { return "did you mean \"\(near)\"?" }
        // `motion` is most likely meant for its beginning.
        let longer = coming.filter { $0.hasPrefix("\(kind)_") }
        if !longer.isEmpty { return "write \(longer.joined(separator: " or "))" }
        let reader = drafts[node]
        var names: [String] = []
        for other in drafts.indices where drafts[other].camera?.name == reader.camera?.name && facts[other].off == nil {
            for position in drafts[other].outputs.indices where drafts[other].outputs[position].kind == .event {
                guard let output = output(position, of: other, for: reader),
                    output.kinds.contains(where: { $0 == kind || $0.hasPrefix("\(kind)_") })
                else { continue }
                names.append(output.name)
            }
        }
        let known = coming.isEmpty ? "" : "write one of these"
        guard !names.isEmpty else {
            return known.isEmpty ? "take the events of a node that tells it" : known + ", or take the events of others"
        }
        return "add \(names.prefix(3).joined(separator: " or ")) to its inputs" + (known.isEmpty ? "" : ", or \(known)")
    }
}
