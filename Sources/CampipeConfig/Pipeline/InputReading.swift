internal import CampipeKit

/// Reads what a node takes from others: its inputs and `when` as written, and what is said of their links.
struct InputReading {
    private var draft: NodeDraft
    private let misspelt: Set<String>
    private let ids: [String]
    private var path: FaultPath { draft.path }
    private var entries: [LocatedValue.Entry] { draft.value.entries ?? [] }

    /// Fills in a draft's inputs, conditions and links, reporting every fault in them.
    ///
    /// - Parameters:
    ///   - ports: What it takes, as far as its type is known.
    ///   - misspelt: Keys that are not there, and that a misspelt one is most likely meant for.
    ///   - ids: The ids that a reference may name, but for those of the own camera's nodes.
    static func read(
        _ draft: inout NodeDraft, _ ports: [PortDescriptor], misspelt: Set<String>, ids: [String],
        findings: inout Findings
    ) {
        var reading = InputReading(draft: draft, misspelt: misspelt, ids: ids)
        reading.readInputs(ports, &findings)
        reading.readWhen(&findings)
        reading.readLinks(ports, &findings)
        draft = reading.draft
    }

    /// The keys that mean inputs.
    static func keys(of ports: [PortDescriptor]) -> [String] {
        ports.enumerated().flatMap { keys(of: $1, isMain: $0 == 0) }
    }

    /// The keys that mean an input: the main one is `input`, and `inputs` where it takes many.
    private static func keys(of port: PortDescriptor, isMain: Bool) -> [String] {
        guard isMain else { return [port.name] }
        return port.takesMany ? ["inputs", "input"] : ["input"]
    }

    private mutating func readInputs(_ ports: [PortDescriptor], _ findings: inout Findings) {
        for (index, port) in ports.enumerated() {
            var references: [ReferenceDraft] = []
            let keys = Self.keys(of: port, isMain: index == 0)
            let given = entries.filter { keys.contains($0.key) }
            var named = 0
            for entry in given {
                if port.name == "audio", entry.value.text == "none" { continue }
                references += self.references(entry, port, &findings)
                if case .list(let elements) = entry.value.content { named += elements.count } else { named += 1 }
            }
            if given.count > 1 {
                findings.report(
                    .duplicateKey, at: path.key("input"), "\"input\" and \"inputs\" are the same",
                    fix: "put all into \"inputs\"",
                    part: .key)
            }
            let isMisnamed = index == 0 && entries.contains { ["input", "inputs"].contains($0.key) }
            if given.isEmpty, !isMisnamed, !port.isOptional, !keys.contains(where: misspelt.contains) {
                let what = port.kind.plural
                findings.report(
                    .missingInput, at: path, "\(draft.name) has no \"\(keys[0])\"",
                    fix: "add \(keys[0]): with the id of what gives it \(what)", part: .key)
            }
            draft.inputs.append(
                InputDraft(port: port, references: references, isWhole: references.count == named))
        }
    }

    private func references(
        _ entry: LocatedValue.Entry, _ port: PortDescriptor, _ findings: inout Findings
    ) -> [ReferenceDraft] {
        let path = path.key(entry.key)
        guard case .list(let elements) = entry.value.content else {
            return reference(entry.value, path, allowsPattern: port.takesMany, &findings).map { [$0] } ?? []
        }
        if elements.isEmpty {
            findings.report(
                .invalidValue, at: path, "the list is empty, so nothing is named",
                fix: port.isOptional
                    ? "name what gives \(port.kind.plural), or delete \"\(entry.key)\""
                    : "name what gives \(port.kind.plural), such as [ID]")
            return []
        }
        guard port.takesMany else {
            findings.report(
                .wrongKind, at: path, "found a list, and \"\(entry.key)\" takes one id",
                fix: elements.first?.text.flatMap { ReferenceText($0)?.isPattern == false ? $0 : nil }
                    .map { "write \(entry.key): \($0)" } ?? "write the one id that is meant")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            reference(element, path.index(index), allowsPattern: true, &findings)
        }
    }

    private func reference(
        _ value: LocatedValue, _ path: FaultPath, allowsPattern: Bool, _ findings: inout Findings
    ) -> ReferenceDraft? {
        if value.isNull {
            findings.report(
                .wrongKind, at: path, "found nothing, expected an id",
                fix: "write the id of a source or a transform, or id.port")
            return nil
        }
        if case .list(let elements) = value.content {
            let id = elements.count == 1 ? elements[0].text : nil
            findings.report(
                .wrongKind, at: path, "found a list, expected an id",
                fix: id.map { "write \($0)" } ?? "write the one id")
            return nil
        }
        if case .map(let entries) = value.content {
            findings.report(.wrongKind, at: path, "found a map, expected an id", fix: Self.fix(forMap: entries))
            return nil
        }
        guard let text = String.read(value.value, at: path, into: &findings.faults) else { return nil }
        guard let reference = ReferenceText(text) else {
            let candidates = findings.faults.count < 500 ? localIDs + ids.prefix(1000) : []
            let meant = ReferenceText.meant(by: text, among: candidates)
            findings.report(
                .invalidValue, at: path, "\(value.value.kindText) is no reference",
                fix: meant.map { "did you mean \"\($0)\"?" } ?? "write id or id.port")
            return nil
        }
        if reference.isPattern, !allowsPattern {
            findings.report(
                .invalidValue, at: path, "a pattern cannot stand here: one id is due", fix: "write the id itself")
            return nil
        }
        return ReferenceDraft(text: reference, path: path)
    }

    /// `front.out` for `{front: out}`, `front` for `{front}`.
    private static func fix(forMap entries: [LocatedValue.Entry]) -> String {
        guard entries.count == 1, NameCheck.isName(entries[0].key) else { return "write id or id.port" }
        if entries[0].value.isNull { return "write \(entries[0].key)" }
        guard let port = entries[0].value.text, NameCheck.isName(port) else { return "write id or id.port" }
        return entries[0].key == "id" ? "write \(port)" : "write \(entries[0].key).\(port)"
    }

    /// The ids of the camera's own nodes, as its template says them.
    private var localIDs: [String] {
        guard let camera = draft.camera else { return [] }
        return ids.filter { $0.hasPrefix("\(camera.name)/") }.map(draft.sibling)
    }

    // MARK: - when, link

    private mutating func readWhen(_ findings: inout Findings) {
        guard let when = draft.value["when"] else { return }
        let path = path.key("when")
        if when.isNull {
            findings.report(
                .wrongKind, at: path, "found nothing, expected events",
                fix: "name what gives events, as id or id.port, or delete \"when\"")
            return
        }
        if case .list(let elements) = when.content {
            if elements.isEmpty {
                findings.report(
                    .invalidValue, at: path, "the list is empty, and without events the node would work always",
                    fix: "name what gives events, as id or id.port, or delete \"when\"")
            }
            for (index, element) in elements.enumerated() { readCondition(element, path.index(index), &findings) }
        } else {
            readCondition(when, path, &findings)
        }
    }

    private mutating func readCondition(_ value: LocatedValue, _ path: FaultPath, _ findings: inout Findings) {
        guard case .map = value.content else {
            if let reference = reference(value, path, allowsPattern: false, &findings) {
                draft.when.append(WhenDraft(reference: reference, classes: []))
            }
            return
        }
        // Whatever is wrong with the other keys, the events are used.
        let keys = WhenKeys.read(value.value, at: path, into: &findings.faults)
        guard let event = value["event"], event.entries == nil || keys != nil,
            let reference = reference(event, path.key("event"), allowsPattern: false, &findings)
        else { return }
        draft.when.append(WhenDraft(reference: reference, classes: keys?.class ?? [], minScore: keys?.minScore))
    }

    private mutating func readLinks(_ ports: [PortDescriptor], _ findings: inout Findings) {
        // To a source they are keys like any other that it does not know.
        if draft.section == "sources" { return }
        let main = ports.first?.name ?? "input"
        if let link = draft.value["link"],
            let keys = LinkKeys.read(link.value, at: path.key("link"), into: &findings.faults)
        {
            draft.links[main] = keys.override
        }
        guard let links = draft.value["links"] else { return }
        let path = path.key("links")
        guard let entries = findings.entries(of: links, what: "a map of inputs to what \"link\" takes") else { return }
        let names = ports.enumerated().flatMap { Self.keys(of: $1, isMain: $0 == 0) } + ["when"]
        for entry in entries {
            let name = ["input", "inputs"].contains(entry.key) ? main : entry.key
            guard !draft.isKnown || names.contains(entry.key) else {
                findings.report(
                    .unknownKey, at: path.key(entry.key), "there is no input \"\(entry.key.prefix(80))\"",
                    fix: findings.nearest(entry.key, in: names), part: .key)
                continue
            }
            if draft.links[name] != nil {
                findings.report(
                    .duplicateKey, at: path.key(entry.key), "\"link\" already speaks of this input",
                    fix: "keep one of the two",
                    part: .key, related: self.path.key("link"))
            } else if let keys = LinkKeys.read(entry.value.value, at: path.key(entry.key), into: &findings.faults) {
                draft.links[name] = keys.override
            }
        }
    }
}
