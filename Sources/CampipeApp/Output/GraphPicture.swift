import CampipeKit
import CampipeRuntime

/// A plan drawn as text or for Graphviz.
struct GraphPicture {
    let plan: Plan
    let graph: GraphDescription
    /// Why nodes are off, by their ids.
    let offReasons: [String: String]

    /// Plans as if everybody looked: sinks that wait for viewers are drawn with one.
    init(_ graph: GraphDescription, offReasons: [String: String] = [:], registry: Registry) {
        self.graph = graph
        self.offReasons = offReasons
        var state = PlannerState(graph)
        for node in graph.nodes where node.descriptor.contract == .sink && state.subscriptions[node.id] == nil {
            state.subscriptions[node.id] = [0: .all]
        }
        plan = Planner(graph: graph, registry: registry).plan(state)
    }

    // MARK: Text

    /// A line a node, upstream first, and under it the links into it.
    var text: String {
        var lines: [String] = []
        for node in plan.nodes {
            lines.append("\(name(node.key))  \(facts(node).joined(separator: ", "))")
            for link in plan.links where link.key.to == node.key {
                lines.append("    from \(output(link.key.from))\(input(link))  \(facts(link).joined(separator: ", "))")
            }
        }
        for id in off { lines.append("\(id)  \(offText(id))") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The nodes of the file that are off.
    var off: [String] { plan.off.sorted().filter { graph[$0]?.isImplicit != true } }

    private func offText(_ id: String) -> String { "off" + (offReasons[id].map { ": \($0)" } ?? "") }

    private func facts(_ node: PlannedNode) -> [String] {
        var facts: [String] = []
        switch node.key {
        case .explicit(let id):
            facts.append((graph[id]?.descriptor.name ?? "") + (isImplicit(node.key) ? " (implicit)" : ""))
        case .implicit(let role, _, let request, _):
            facts.append("\(role.rawValue) (implicit)")
            facts += request.facts
        }
        facts.append(node.isLive ? "live" : "not live")
        // What befalls a sink is nothing that it gives.
        if !isSink(node.key), let format = plan.outputFormats[PlannedOutput(node.key)] {
            facts.append("gives \(format)")
        }
        if let late = node.lateAfter { facts.append("late after \(late.optionText ?? "")") }
        return facts
    }

    private func facts(_ link: PlannedLink) -> [String] {
        let policy = link.policy
        var facts = [policy.whenFull.rawValue]
        if policy.maxItems < 4096 { facts.append(policy.maxItems == 1 ? "1 item" : "\(policy.maxItems) items") }
        if policy.maxBytes < 256 << 20 { facts.append(ByteCount(bytes: policy.maxBytes).description) }
        if let age = policy.maxAge { facts.append(age.optionText ?? "") }
        if let late = link.lateAfter { facts.append("late after \(late.optionText ?? "")") }
        if let rate = link.maxRate { facts.append("at most \(rate.optionText ?? "") a second") }
        if !link.isOpen { facts.append("closed: nobody wants it") }
        return facts
    }

    func name(_ key: NodeKey) -> String { key.description }

    /// Whether nobody wrote it: a converter, or what stands for a key of a source.
    func isImplicit(_ key: NodeKey) -> Bool {
        if case .explicit(let id) = key { graph[id]?.isImplicit == true } else { true }
    }

    private func isSink(_ key: NodeKey) -> Bool {
        if case .explicit(let id) = key { graph[id]?.descriptor.contract == .sink } else { false }
    }

    private func output(_ output: PlannedOutput) -> String {
        guard case .explicit(let id) = output.node, let node = graph[id],
            node.descriptor.impliedOutputs.count > 1 || output.port == node.descriptor.supervision
        else {
            return name(output.node)
        }
        return "\(id).\(node.descriptor.outputs[output.port].name)"
    }

    /// Which input a link leads to, where it is not the main one.
    private func input(_ link: PlannedLink) -> String {
        guard link.key.input > 0, case .explicit(let id) = link.key.to, let node = graph[id] else { return "" }
        let inputs = node.descriptor.inputs
        return link.key.input < inputs.count ? " as \(inputs[link.key.input].name)" : " as when"
    }

    // MARK: Graphviz

    var dot: String {
        var lines = [
            "digraph \(JSONString.quoted(graph.name)) {", "  rankdir=LR;", "  node [shape=box, fontname=sans];",
        ]
        for node in plan.nodes {
            let label = "\(name(node.key))\n\(facts(node).joined(separator: "\n"))"
            let style = isImplicit(node.key) ? ", style=dashed" : ""
            lines.append("  \(JSONString.quoted(name(node.key))) [label=\(JSONString.quoted(label))\(style)];")
        }
        for link in plan.links {
            let label = (input(link).isEmpty ? [] : [String(input(link).dropFirst())]) + facts(link)
            lines.append(
                "  \(JSONString.quoted(name(link.key.from.node))) -> \(JSONString.quoted(name(link.key.to)))"
                    + " [label=\(JSONString.quoted(label.joined(separator: "\n")))];")
        }
        for id in off {
            let label = "\(id)\n\(offText(id))"
            lines.append("  \(JSONString.quoted(id)) [label=\(JSONString.quoted(label)), style=dotted];")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }
}
