internal import CampipeKit

/// Reads one node: its type, the keys that every node has, its inputs as written, its own options.
struct NodeReading {
    private let types: NodeTypes
    private var registry: Registry { types.registry }
    private let surroundings: Surroundings
    private let path: FaultPath
    /// Values that could not be filled in.
    private var broken: Set<Mark>
    /// What templates left over, by value.
    private let leftOver: [Mark: [String]]
    /// The ids that a reference may name, but for those of the own camera's nodes.
    private let ids: [String]
    private var draft: NodeDraft
    /// Keys that are not there, and that a misspelt one is most likely meant for.
    private var misspelt: Set<String> = []
    /// The key that "type" was most likely meant by.
    private var typeKey = "type"
    /// The section where a node of this type belongs, when it is another.
    private var rightSection: String?

    /// What reading a node takes from the rest of the file.
    struct Surrounding {
        let types: NodeTypes
        let surroundings: Surroundings
        /// Values that could not be filled in.
        let broken: Set<Mark>
        /// Names in braces that templates left over, by value.
        let leftOver: [Mark: [String]]
        /// The ids of the file.
        let ids: [String]
    }

    /// Fills in a draft, reporting every fault in it.
    static func read(_ draft: inout NodeDraft, in file: Surrounding, findings: inout Findings) {
        var reading = NodeReading(
            types: file.types, surroundings: file.surroundings, path: draft.path, broken: file.broken,
            leftOver: file.leftOver, ids: file.ids, draft: draft)
        reading.read(&findings)
        draft = reading.draft
    }

    private var entries: [LocatedValue.Entry] { draft.value.entries ?? [] }

    private mutating func read(_ findings: inout Findings) {
        let before = findings.faults.count
        readType(&findings)
        let inputs = draft.registrations.first?.descriptor.inputs ?? RefusedPlugin.inputs(of: draft)
        findLeftOver(inputs, &findings)
        readCommon(&findings)
        draft.refusal?.report(for: draft, &findings)
        let places = places(of: inputs)
        findMisspelt(inputs, places)
        readInputs(inputs, &findings)
        readWhen(&findings)
        readLinks(inputs, &findings)
        if draft.isKnown { readOptions(inputs, &findings) }
        if rightSection == nil {
            checkPrivacy(&findings)
        } else {
            // Its keys were looked at; where it stands it is no node.
            draft.registrations = []
            draft.inspection = nil
        }
        for index in before..<findings.faults.count {
            findings.faults[index] = places.moved(findings.faults[index], from: path)
        }
    }

    /// The keys that it has beside its type's options and inputs.
    private var common: [String] {
        KnownKeys.common(in: draft.section) + (rightSection.map(KnownKeys.common) ?? [])
    }

    private mutating func findLeftOver(_ inputs: [PortDescriptor], _ findings: inout Findings) {
        let known = Self.keys(of: inputs) + common
        guard let check = LeftOverCheck(draft, leftOver, known: known) else { return }
        findings.diagnostics += check.diagnostics
        findings.broken.formUnion(check.marks)
        broken.formUnion(check.marks)
    }

    /// The keys of the node and of the maps in it.
    private func places(of inputs: [PortDescriptor]) -> KeyPlaces {
        let options = draft.registrations.first?.descriptor.options ?? []
        let inputKeys = Self.keys(of: inputs)
        var places = KeyPlaces(options.map(\.key) + inputKeys + common)
        if draft.section != "sources" {
            places.add(LinkKeys.keys, at: ["link"])
            places.add(inputKeys + ["when"], at: ["links"])
        }
        places.add(WhenKeys.keys, at: ["when"])
        places.add(options)
        return places
    }

    private func checkPrivacy(_ findings: inout Findings) {
        guard draft.sourceKeys.privacy != nil, draft.isKnown, !draft.hasFaultyOptions, draft.pictureOutputs.isEmpty
        else { return }
        findings.report(
            .wrongKindOfItem, at: path.key("privacy"), "\(draft.name) gives no pictures, so there is nothing to cover",
            fix: "delete \"privacy\"", part: .key)
    }

    private mutating func readType(_ findings: inout Findings) {
        let names = registry.names(in: draft.section)
        if draft.value["type"] == nil, let entry = entries.first(where: { Nearest.match($0.key, in: ["type"]) != nil })
        {
            findings.report(
                .unknownKey, at: path.key(entry.key), "unknown key \"\(entry.key.prefix(80))\"",
                fix: "did you mean \"type\"?", part: .key)
            typeKey = entry.key
            if registry.named(entry.value.text ?? "").isEmpty { return }
        }
        guard let type = draft.value[typeKey] else {
            findings.report(
                .missingKey, at: path, "\"type\" is missing", fix: "known: \(names.joined(separator: ", "))", part: .key
            )
            return
        }
        if type.isNull {
            findings.report(
                .wrongKind, at: path.key("type"), "found nothing, expected a type",
                fix: "known: \(names.joined(separator: ", "))")
            return
        }
        guard let name = String.read(type.value, at: path.key("type"), into: &findings.faults) else { return }
        draft.registrations = registry.named(name, in: draft.section)
        if draft.isKnown { return }
        let kind = draft.section.dropLast()
        if let other = registry.named(name).first?.descriptor {
            findings.report(
                .unknownType, at: path.key("type"), "\(name) is a \(other.contract.rawValue), not a \(kind)",
                fix: "move this node to \"\(other.contract.section)\"")
            rightSection = other.contract.section
            draft.registrations = registry.named(name, in: other.contract.section)
            return
        }
        let elsewhere = KnownKeys.sections.flatMap { registry.names(in: $0) }
        let near = Nearest.match(name, in: names) ?? Nearest.match(name, in: elsewhere)
        let isPlanned = PlannedType.named(name) != nil
        if let refusal = types.refusal(of: name, in: draft.section, isKnownElsewhere: near != nil || isPlanned) {
            draft.refusal = refusal
            return
        }
        if let planned = PlannedType.named(name, in: draft.section) {
            findings.report(
                .notSupportedYet, at: path.key("type"), "the type \(name) is not in this version: \(planned.summary)",
                fix: planned.fix)
            return
        }
        findings.report(
            .unknownType, at: path.key("type"), "there is no \(kind) type \"\(name.prefix(80))\"",
            fix: near.map { "did you mean \"\($0)\"?" } ?? "known: \(names.joined(separator: ", "))")
    }

    private mutating func readCommon(_ findings: inout Findings) {
        draft.keys = group(NodeKeys.self, &findings) ?? NodeKeys()
        if draft.keys.isolation == .process, draft.isKnown,
            draft.registrations.first?.descriptor.contract != .transform
        {
            findings.report(
                .notSupportedYet, at: path.key("isolation"),
                "only a transform of one input can be in a process of its own yet", fix: "delete \"isolation\"",
                part: .key)
        }
        switch draft.section {
        case "sources":
            draft.sourceKeys = group(SourceKeys.self, &findings) ?? SourceKeys()
            if draft.sourceKeys.privacy?.list.isEmpty == true {
                findings.report(
                    .invalidValue, at: path.key("privacy"), "no polygon is given, so nothing would be covered",
                    fix: "write [[0, 0], [1, 0], [1, 0.5]], or delete \"privacy\"")
            }
        case "sinks": draft.sinkKeys = group(SinkKeys.self, &findings) ?? SinkKeys()
        default: break
        }
    }

    private func group<Keys: OptionGroup>(_ type: Keys.Type, _ findings: inout Findings) -> Keys? {
        let known = Keys.keys
        let map = Value.ValueMap(
            entries.filter { known.contains($0.key) }.map { Value.ValueMap.Entry($0.key, $0.value.value) })
        return Keys.read(.map(map), at: path, into: &findings.faults)
    }

    // MARK: - Inputs

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

    // MARK: - Options

    private mutating func readOptions(_ ports: [PortDescriptor], _ findings: inout Findings) {
        guard let registration = draft.registrations.first else { return }
        let options = registration.descriptor.options
        let own = Set(options.map(\.key))
        let resources = Set(options.filter { $0.type == .resource }.map(\.key))
        let inputKeys = Self.keys(of: ports)
        for (index, entry) in entries.enumerated() where entry.key != typeKey {
            if own.contains(entry.key) {
                let value = resources.contains(entry.key) ? resource(entry, &findings) : entry.value.value
                draft.options.entries.append(Value.ValueMap.Entry(entry.key, value))
            } else if !inputKeys.contains(entry.key), !common.contains(entry.key) {
                if let cut = CutValue(at: index, of: entries, options, inputKeys: inputKeys) {
                    broken.insert(cut.seen)
                    findings.broken.insert(cut.seen)
                    if cut.isFirst { findings.report(.quoteIt, cut.mark, cut.sentence, fix: cut.fix) }
                    continue
                }
                report(unknown: entry.key, options, inputKeys: inputKeys, common: common, &findings)
            }
        }
        // Where several types of source share a name, the options say which one is meant; while they are faulty,
        // nothing is known of its outputs.
        let isChoice = draft.section == "sources" && draft.registrations.count > 1
        let meant = isChoice ? registry.source(registration.descriptor.name, for: draft.options) : nil
        let unknown = entries.filter { own.contains($0.key) && $0.value.contains(anyOf: broken) }.map(\.key)
        let inspection = (meant ?? registration).inspect(
            draft.options, at: path, unknown: misspelt.union(unknown), inputs: namedInputs)
        findings.faults += inspection.faults.filter { !isIdleDefault($0) }.map(withParameterFix)
        draft.inspection = inspection
        guard let meant else { return }
        draft.registrations = inspection.faults.contains { $0.severity == .error } ? [] : [meant]
    }

    /// The path of a file that the pipeline comes with, as the process can open it.
    private func resource(_ entry: LocatedValue.Entry, _ findings: inout Findings) -> Value {
        // In a template without cameras a parameter has no value yet.
        guard case .scalar(var scalar) = entry.value.value, !scalar.isNull, !scalar.text.isEmpty,
            !entry.value.contains(anyOf: broken)
        else { return entry.value.value }
        let (place, problem) = surroundings.resource(scalar.text)
        if let problem {
            findings.report(
                .missingResource, at: path.key(entry.key), "cannot read \(place): \(problem)",
                fix: "put it there, or name another file; the path starts at the pipeline file's folder",
                severity: draft.keys.enabled ? .error : .warning)
        }
        scalar.text = place
        return .scalar(scalar)
    }

    /// Whether it warns of an option that this node takes from `defaults`, where others of its type have use for it.
    private func isIdleDefault(_ fault: Fault) -> Bool {
        guard fault.code == .noEffect, fault.path.steps.count > path.steps.count,
            case .key(let key) = fault.path.steps[path.steps.count]
        else { return false }
        return draft.defaulted.contains(key)
    }

    /// The ids that each input names, and under `when` those of its events; nil where one is most likely written under
    /// another key, or cannot be filled in.
    private var namedInputs: [String: [String]]? {
        let keys = Self.keys(of: draft.inputs.map(\.port))
        if keys.contains(where: misspelt.contains) { return nil }
        if entries.contains(where: { keys.contains($0.key) && $0.value.contains(anyOf: broken) }) { return nil }
        var named = Dictionary(
            draft.inputs.map { ($0.port.name, $0.references.map(\.text.id)) }, uniquingKeysWith: { first, _ in first })
        // What is wrong with it is told elsewhere; it was meant all the same.
        if draft.value.entry("when") != nil { named["when"] = draft.when.map(\.reference.text.id) + [""] }
        return named
    }

    private static func keys(of ports: [PortDescriptor]) -> [String] {
        ports.enumerated().flatMap { keys(of: $1, isMain: $0 == 0) }
    }

    private mutating func findMisspelt(_ ports: [PortDescriptor], _ places: KeyPlaces) {
        guard let options = draft.registrations.first?.descriptor.options else { return }
        let known = options.map(\.key) + Self.keys(of: ports) + common
        let given = Set(entries.map(\.key))
        for entry in entries where !known.contains(entry.key) && entry.key != typeKey {
            if let meant = Nearest.match(entry.key, in: known), !given.contains(meant) { misspelt.insert(meant) }
        }
        for key in places.misplaced(in: entries) where !given.contains(key) { misspelt.insert(key) }
        // `input: front path: /front`, of which it is told that a comma may be missing.
        for entry in entries where broken.contains(entry.value.mark) {
            for word in entry.value.text?.split(separator: " ") ?? [] where word.hasSuffix(":") {
                let key = String(word.dropLast())
                if known.contains(key), !given.contains(key) { misspelt.insert(key) }
            }
        }
    }

    private func report(
        unknown key: String, _ options: [OptionSchema], inputKeys: [String], common: [String],
        _ findings: inout Findings
    ) {
        let place = StrayKey.fix(for: key, in: draft, options, inputKeys: inputKeys)
        let code: FaultCode = place == nil ? .unknownKey : .misplacedKey
        let type = draft.registrations.first?.descriptor.name ?? ""
        findings.report(
            code, at: path.key(key),
            place == nil ? "unknown key \"\(key.prefix(80))\" of \(type)" : "\"\(key)\" does not stand here",
            fix: place ?? findings.nearest(key, in: options.map(\.key) + inputKeys + common), part: .key)
    }

    /// A node knows its own fields; in a template a parameter may have been meant.
    private func withParameterFix(_ fault: Fault) -> Fault {
        guard fault.code == .unknownField, let camera = draft.camera, !fault.fix.hasPrefix("did you mean"),
            let open = fault.sentence.firstIndex(of: "{"), let close = fault.sentence[open...].firstIndex(of: "}"),
            let near = Nearest.match(String(fault.sentence[open..<close].dropFirst()), in: camera.parameters)
        else { return fault }
        var fault = fault
        fault.fix = "did you mean {\(near)}?"
        return fault
    }
}
