import CampipeKit
import CampipeRuntime

extension GraphPicture {
    /// The plan for programs, one JSON object: `name`, `nodes`, `links`, `off`, `off_reasons`.
    ///
    /// A node has `id`, `type`, `contract` (source, transform, join or sink), `implicit`, `live`, `gives` (the formats of
    /// its outputs by port) and, where there are, `late_after_seconds` and `asked_for` (of an implicit converter). A link
    /// has `from` (`node`, `port`), `to` (`node`, `input`), `when_full`, `max_items`, `max_bytes`, `open` and, where
    /// there are, `max_age_seconds`, `late_after_seconds`, `max_rate`. `off` names the nodes that are off, `off_reasons` says
    /// why by their ids.
    var json: String {
        JSONString.object([
            ("name", .text(graph.name)),
            ("nodes", .list(plan.nodes.map { .map(members(of: $0)) })),
            ("links", .list(plan.links.map { .map(members(of: $0)) })),
            ("off", .list(off.map(EventValue.text))),
            ("off_reasons", .map(offReasons.mapValues(EventValue.text))),
        ]) + "\n"
    }

    private func members(of node: PlannedNode) -> [String: EventValue] {
        var members: [String: EventValue] = [
            "id": .text(name(node.key)), "implicit": .bool(isImplicit(node.key)), "live": .bool(node.isLive),
        ]
        var gives: [String: EventValue] = [:]
        switch node.key {
        case .explicit(let id):
            let descriptor = graph[id]?.descriptor
            members["type"] = .text(descriptor?.name ?? "")
            members["contract"] = .text(descriptor?.contract.rawValue ?? "")
            for (port, output) in (descriptor?.outputs ?? []).enumerated() {
                let format = plan.outputFormats[PlannedOutput(node.key, port)] ?? output.formats.first
                gives[output.name] = Self.value(of: format ?? output.kind.anyFormat)
            }
        case .implicit(let role, _, let request, _):
            members["type"] = .text(role.rawValue)
            members["contract"] = .text(NodeDescriptor.Contract.transform.rawValue)
            members["asked_for"] = .list(request.facts.map(EventValue.text))
            if let format = plan.outputFormats[PlannedOutput(node.key)] { gives["out"] = Self.value(of: format) }
        }
        members["gives"] = .map(gives)
        if let late = node.lateAfter { members["late_after_seconds"] = .number(late.seconds) }
        return members
    }

    private static func value(of format: Format) -> EventValue {
        var members: [String: EventValue] = ["kind": .text(format.kind.rawValue)]
        func add(_ size: Size?, _ rate: Double?) {
            if let size {
                members["width"] = .integer(size.width)
                members["height"] = .integer(size.height)
            }
            if let rate { members["rate"] = .number(rate) }
        }
        switch format {
        case .packets(let packets):
            if let coding = packets.coding { members["coding"] = .text(coding.rawValue) }
            add(packets.size, packets.rate)
        case .frames(let frames):
            if let pixel = frames.pixel { members["pixel"] = .text(pixel.rawValue) }
            add(frames.size, frames.rate)
        case .events: break
        }
        return .map(members)
    }

    private func members(of link: PlannedLink) -> [String: EventValue] {
        let (key, policy) = (link.key, link.policy)
        var members: [String: EventValue] = [
            "from": .map(["node": .text(name(key.from.node)), "port": .text(outputName(key.from))]),
            "to": .map(["node": .text(name(key.to)), "input": .text(inputName(key))]),
            "when_full": .text(policy.whenFull.rawValue), "max_items": .integer(policy.maxItems),
            "max_bytes": .integer(policy.maxBytes), "open": .bool(link.isOpen),
        ]
        if let age = policy.maxAge { members["max_age_seconds"] = .number(age.seconds) }
        if let late = link.lateAfter { members["late_after_seconds"] = .number(late.seconds) }
        if let rate = link.maxRate { members["max_rate"] = .number(rate) }
        return members
    }

    private func outputName(_ output: PlannedOutput) -> String {
        guard case .explicit(let id) = output.node, let outputs = graph[id]?.descriptor.outputs,
            output.port < outputs.count
        else { return "out" }
        return outputs[output.port].name
    }

    private func inputName(_ key: LinkKey) -> String {
        guard case .explicit(let id) = key.to, let inputs = graph[id]?.descriptor.inputs else { return "input" }
        return key.input < inputs.count ? inputs[key.input].name : "when"
    }
}
