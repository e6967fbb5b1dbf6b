internal import CampipeKit

/// Reads one node: its type, the keys that every node has, its own options; what it takes from others is
/// `InputReading`'s.
struct NodeReading {
    private let types: NodeTypes
    private var registry: Registry { types.registry }
    private let surroundings: Surroundings
    private let path: FaultPath
    /// Values that could not be filled in.
    private var broken: Set<Mark>
    /// The texts that marks speak of.
    private let sources: [SourceText]
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
        /// The texts that marks speak of.
        let sources: [SourceText]
        /// The ids of the file.
        let ids: [String]
    }

    /// Fills in a draft, reporting every fault in it.
    static func read(_ draft: inout NodeDraft, in file: Surrounding, findings: inout Findings) {
        var reading = NodeReading(
            types: file.types, surroundings: file.surroundings, path: draft.path, broken: file.broken,
            sources: file.sources, ids: file.ids, draft: draft)
        reading.read(&findings)
        draft = reading.draft
    }

    private var entries: [LocatedValue.Entry] { draft.value.entries ?? [] }

    private mutating func read(_ findings: inout Findings) {
        let before = findings.faults.count
        readType(&findings)
        let inputs = draft.registrations.first?.descriptor.inputs ?? RefusedPlugin.inputs(of: draft)
        let leftOver = findLeftOver(inputs, &findings)
        readCommon(&findings)
        draft.refusal?.report(for: draft, &findings)
        let places = places(of: inputs)
        findMisspelt(inputs, places)
        InputReading.read(&draft, inputs, misspelt: misspelt, ids: ids, findings: &findings)
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
        let faulty = Set(findings.faults[before...].map(\.path))
        findings.diagnostics += leftOver.filter { !faulty.contains($0.path) }.map(\.diagnostic)
    }

    /// The keys that it has beside its type's options and inputs.
    private var common: [String] {
        KnownKeys.common(in: draft.section) + (rightSection.map(KnownKeys.common) ?? [])
    }

    /// - Returns: Warnings of values of which nothing else may be found.
    private mutating func findLeftOver(
        _ inputs: [PortDescriptor], _ findings: inout Findings
    ) -> [(path: FaultPath, diagnostic: Diagnostic)] {
        let known = InputReading.keys(of: inputs) + common
        let check = LeftOverCheck(draft, known: known, sources: sources)
        findings.diagnostics += check.diagnostics
        findings.placeholders.formUnion(check.texts)
        findings.broken.formUnion(check.marks)
        broken.formUnion(check.marks)
        return check.warnings
    }

    /// The keys of the node and of the maps in it.
    private func places(of inputs: [PortDescriptor]) -> KeyPlaces {
        let options = draft.registrations.first?.descriptor.options ?? []
        let inputKeys = InputReading.keys(of: inputs)
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
            let sentence = "\(name) is a \(other.contract.rawValue), not a \(kind)"
            let fix = "move this node to \"\(other.contract.section)\""
            if let foreign = ForeignWord.type(name, in: draft.section, among: names) {
                findings.report(
                    .unknownType, at: path.key("type"), sentence, fix: "did you mean \"\(foreign)\"? else \(fix)")
                return
            }
            findings.report(.unknownType, at: path.key("type"), sentence, fix: fix)
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
            fix: (ForeignWord.type(name, in: draft.section, among: names) ?? near).map { "did you mean \"\($0)\"?" }
                ?? "known: \(names.joined(separator: ", "))")
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

    // MARK: - Options

    private mutating func readOptions(_ ports: [PortDescriptor], _ findings: inout Findings) {
        guard let registration = draft.registrations.first else { return }
        let options = registration.descriptor.options
        let own = Set(options.map(\.key))
        let resources = Set(options.filter { $0.type == .resource }.map(\.key))
        let inputKeys = InputReading.keys(of: ports)
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
        let keys = InputReading.keys(of: draft.inputs.map(\.port))
        if keys.contains(where: misspelt.contains) { return nil }
        if entries.contains(where: { keys.contains($0.key) && $0.value.contains(anyOf: broken) }) { return nil }
        var named = Dictionary(
            draft.inputs.map { ($0.port.name, $0.references.map(\.text.id)) }, uniquingKeysWith: { first, _ in first })
        // What is wrong with it is told elsewhere; it was meant all the same.
        if draft.value.entry("when") != nil { named["when"] = draft.when.map(\.reference.text.id) + [""] }
        return named
    }

    private mutating func findMisspelt(_ ports: [PortDescriptor], _ places: KeyPlaces) {
        guard let options = draft.registrations.first?.descriptor.options else { return }
        let known = options.map(\.key) + InputReading.keys(of: ports) + common
        let given = Set(entries.map(\.key))
        for entry in entries where !known.contains(entry.key) && entry.key != typeKey {
            let meant = ForeignWord.key(entry.key, among: known) ?? Nearest.match(entry.key, in: known)
            if let meant, !given.contains(meant) { misspelt.insert(meant) }
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
        let known = options.map(\.key) + inputKeys + common
        let foreign = ForeignWord.key(key, among: known).flatMap { draft.value.entry($0) == nil ? $0 : nil }
        findings.report(
            code, at: path.key(key),
            place == nil ? "unknown key \"\(key.prefix(80))\" of \(type)" : "\"\(key)\" does not stand here",
            fix: place ?? foreign.map { "did you mean \"\($0)\"?" } ?? findings.nearest(key, in: known), part: .key)
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
