internal import CampipeKit

/// Finds out what every reference means: which node, which of its outputs, and whether the item fits.
///
/// Nodes are visited upstream first, so that formats, kinds and liveness are known where they are needed.
struct GraphResolver {
    let registry: Registry
    private(set) var drafts: [NodeDraft]
    /// What is known of each node once it has been visited.
    private(set) var facts: [NodeFacts]
    /// The nodes, upstream first.
    private(set) var order: [Int] = []
    /// Where each id stands; of two of one id the first.
    private(set) var index: [String: Int] = [:]
    /// The most references of one pipeline, patterns written out: twice as many as nodes.
    static let maximumReferences = 8192
    private var referencesLeft = Self.maximumReferences

    init(_ drafts: [NodeDraft], registry: Registry, findings: inout Findings) {
        self.registry = registry
        self.drafts = drafts
        facts = [NodeFacts](repeating: NodeFacts(), count: drafts.count)
        for (position, draft) in drafts.enumerated() where index[draft.id] == nil { index[draft.id] = position }
        findTargets(&findings)
        let graph = GraphOrder(feeds: self.drafts.map(\.feeders))
        order = graph.order
        for cycle in graph.cycles { report(cycle, &findings) }
        for node in order { visit(node, &findings) }
    }

    // MARK: - Which nodes

    private mutating func findTargets(_ findings: inout Findings) {
        for node in drafts.indices {
            for input in drafts[node].inputs.indices {
                for reference in drafts[node].inputs[input].references.indices {
                    let draft = drafts[node].inputs[input].references[reference]
                    let isMain = input == 0
                    let found = targets(of: draft, for: node, takesAlarms: isMain && takesAlarms(node), &findings)
                    drafts[node].inputs[input].references[reference].targets = spent(found, at: draft.path, &findings)
                }
            }
            for condition in drafts[node].when.indices {
                let draft = drafts[node].when[condition].reference
                drafts[node].when[condition].reference.targets = spent(
                    targets(of: draft, for: node, kind: .event, &findings), at: draft.path, &findings)
            }
        }
    }

    /// Whether the main input of a node may be told what befalls others, so that the id of a sink means that.
    private func takesAlarms(_ node: Int) -> Bool {
        drafts[node].isSink && drafts[node].registrations.contains { $0.descriptor.mainInput?.kind == .event }
    }

    /// The targets of one reference, while there are not too many of all together.
    private mutating func spent(_ targets: [Int], at path: FaultPath, _ findings: inout Findings) -> [Int] {
        let wasLeft = referencesLeft >= 0
        referencesLeft -= targets.count
        if referencesLeft >= 0 { return targets }
        if wasLeft {
            findings.report(
                .tooLarge, at: path,
                "the nodes of the pipeline name more than \(Self.maximumReferences) inputs together",
                fix: "name fewer by each, such as \"yard*\" for \"*\", or split the pipeline into several files")
        }
        return []
    }

    /// - Parameters:
    ///   - kind: What is due there, for did-you-mean; nil is anything.
    ///   - takesAlarms: Whether a sink's id means what befalls it.
    private mutating func targets(
        of reference: ReferenceDraft, for node: Int, kind: ItemKind? = nil, takesAlarms: Bool = false,
        _ findings: inout Findings
    ) -> [Int] {
        if reference.text.isPattern { return matches(reference, for: node, &findings) }
        let id = reference.text.id
        // In a template a node's own siblings come first.
        let local = drafts[node].camera.flatMap { index["\($0.name)/\(id)"] }
        guard let target = local ?? index[id] else {
            if isUnread(id, for: node, findings) { return [] }
            findings.report(
                .unknownInput, at: reference.path, "there is no node \"\(id.prefix(80))\"",
                fix: nearestID(id, for: node, kind: kind, findings))
            return []
        }
        if drafts[target].isSink, !takesAlarms, reference.text.port == nil {
            findings.report(
                .unknownInput, at: reference.path, "\(id) is a sink: only what befalls it comes out of it",
                fix: kind == .event
                    ? "write \(id).events if that is meant, or name a node that gives events"
                    : "name what feeds it, or another source or transform", related: drafts[target].path)
            return []
        }
        return [target]
    }

    /// Whether it is the id of a node that could not be read, or a camera that could not, or of such a one.
    private func isUnread(_ id: String, for node: Int, _ findings: Findings) -> Bool {
        if findings.unread.isEmpty { return false }
        let camera = id.firstIndex(of: "/").map { String(id[..<$0]) }
        let sibling = drafts[node].camera.map { "\($0.name)/\(id)" }
        return [id, camera, sibling].contains { $0.map(findings.unread.contains) == true }
    }

    private mutating func matches(_ reference: ReferenceDraft, for node: Int, _ findings: inout Findings) -> [Int] {
        let pattern = reference.text.id
        var found: [Int] = []
        if let camera = drafts[node].camera?.name {
            found = drafts.indices.filter {
                drafts[$0].camera?.name == camera && ReferenceText.matches("\(camera)/\(pattern)", drafts[$0].id)
            }
        }
        if found.isEmpty { found = drafts.indices.filter { ReferenceText.matches(pattern, drafts[$0].id) } }
        found.removeAll { $0 == node || drafts[$0].isSink }
        if found.isEmpty {
            findings.report(
                .unknownInput, at: reference.path, "no node's id matches \"\(pattern.prefix(80))\"",
                fix: "* stands for any characters but /; */cam names a node of every camera")
        }
        return found
    }

    private func nearestID(_ id: String, for node: Int, kind: ItemKind?, _ findings: Findings) -> String {
        guard findings.faults.count < 500 else { return "name a node of the file" }
        let fitting = drafts.filter { draft in
            !draft.isSink
                && (kind == nil || !draft.isKnown
                    || draft.registrations.contains { $0.descriptor.impliedOutputs.contains { $0.kind == kind } })
        }
        var candidates: [String] = []
        if let camera = drafts[node].camera?.name {
            candidates = fitting.filter { $0.camera?.name == camera }.map {
                String($0.id.dropFirst(camera.count + 1))
            }
        }
        candidates += fitting.map(\.id)
        candidates.removeAll { $0 == drafts[node].id }
        if candidates.isEmpty { return "name a node that gives \(kind?.plural ?? "what is due here")" }
        candidates = Array(candidates.prefix(1000))
        if !NameCheck.isName(id), let meant = ReferenceText.meant(by: id, among: candidates) {
            return "did you mean \"\(meant)\"?"
        }
        return findings.nearest(id, in: candidates)
    }

    private func report(_ cycle: [Int], _ findings: inout Findings) {
        guard let first = cycle.first, let last = cycle.last else { return }
        let names = (cycle + [first]).prefix(12).map { drafts[$0].id }
        let chain = names.joined(separator: " -> ") + (cycle.count >= 12 ? " ..." : "")
        let reference = drafts[first].references.first { $0.targets.contains(last) }
        findings.report(
            .cycle, at: reference?.path ?? drafts[first].path,
            cycle.count == 1
                ? "\(drafts[first].id) takes what it gives" : "these nodes feed one another in a circle: \(chain)",
            fix: "take one of these inputs from elsewhere")
    }

    // MARK: - Which outputs

    private mutating func visit(_ node: Int, _ findings: inout Findings) {
        var draft = drafts[node]
        facts[node].isLive = draft.inspection?.isLive ?? false
        for position in draft.inputs.indices {
            let input = draft.inputs[position]
            let wanted = position == 0 ? draft.registrations.compactMap(\.descriptor.mainInput) : [input.port]
            // Whoever takes nothing but events is told what befalls the camera that it names.
            let impliesAlarms = position == 0 && draft.isSink && wanted.allSatisfy { $0.kind == .event }
            var from: [OutputReference] = []
            for reference in input.references {
                for target in reference.targets {
                    let choice = OutputChoice.find(
                        reference.text.port, of: drafts[target], facts[target], wanted: wanted,
                        impliesAlarms: impliesAlarms && !reference.text.isPattern || drafts[target].isSink,
                        registry: registry)
                    switch choice {
                    case .found(let output, let format):
                        if position == 0 {
                            pick(output.kind, format, at: node, &draft)
                            let taken = draft.inputs[0].port.kind
                            facts[node].inputFormat = format.map { $0.kind == taken ? $0 : taken.anyFormat }
                        }
                        from.append(OutputReference(node: drafts[target].id, port: output.name))
                    case .unknown(let port): from.append(OutputReference(node: drafts[target].id, port: port))
                    case .fault(let problem):
                        // A pattern passes over nodes that have nothing fitting.
                        if reference.text.isPattern, problem.code == .wrongKindOfItem { continue }
                        problem.report(at: reference.path, related: drafts[target].path, &findings)
                    }
                    facts[node].isLive = facts[node].isLive || facts[target].isLive
                }
            }
            check(from.count, of: input, &findings)
            facts[node].inputs.append(from)
        }
        for condition in draft.when {
            facts[node].when.append(event(of: condition, &findings))
        }
        facts[node].findOutputFormat(of: draft, findings: &findings)
        drafts[node] = draft
        findOff(node)
        takeAudio(node)
    }

    /// Whether it has nothing to work on, as the runtime will find too. Where a reference is faulty nothing is told.
    private mutating func findOff(_ node: Int) {
        let draft = drafts[node]
        if !draft.keys.enabled {
            facts[node].off = OffCause(disabled: draft.id)
            return
        }
        if draft.refusal != nil {
            facts[node].off = OffCause(refused: draft.id)
            return
        }
        func cause(_ from: [OutputReference], isWhen: Bool = false) -> OffCause? {
            var off: [(name: String, cause: OffCause)] = []
            var seen: Set<Int> = []
            for reference in from {
                guard let place = index[reference.node], let cause = facts[place].off else { return nil }
                if seen.insert(place).inserted { off.append((draft.sibling(reference.node), cause)) }
            }
            return OffCause(off, isWhen: isWhen, root: draft.sibling)
        }
        for (position, input) in draft.inputs.enumerated() where position == 0 || !input.port.isOptional {
            guard let cause = cause(facts[node].inputs[position]) else { continue }
            facts[node].off = cause
            let paths = input.references.map(\.path)
            facts[node].offPath =
                paths.count == 1 ? paths[0] : paths.first.map { FaultPath(Array($0.steps.dropLast())) }
            return
        }
        let events = facts[node].when.compactMap(\.self)
        if events.count == draft.when.count, let cause = cause(events, isWhen: true) {
            facts[node].off = cause
            facts[node].offPath = draft.path.key("when")
        }
    }

    /// Whether as many are named as the input takes; where a reference is wrong, that is told instead.
    private func check(_ count: Int, of input: InputDraft, _ findings: inout Findings) {
        guard let counts = input.port.counts, !counts.contains(count), let first = input.references.first,
            count > counts.upperBound || input.isWhole && input.references.allSatisfy({ !$0.targets.isEmpty })
        else { return }
        var list = first.path
        if case .index? = list.steps.last { list.steps.removeLast() }
        findings.report(
            .outOfRange, at: list, count == 1 ? "1 input is named" : "\(count) inputs are named",
            fix: "name \(counts.lowerBound) to \(counts.upperBound)")
    }

    /// Of a type that works on several kinds of item, keeps the one that fits.
    ///
    /// That is the one for what comes, if its options go with that; of one that makes packets of a coding of its own,
    /// only where somebody takes packets. Otherwise one for frames will do, which packets are decoded for.
    private func pick(_ kind: ItemKind, _ format: Format?, at node: Int, _ draft: inout NodeDraft) {
        guard draft.registrations.count > 1 else { return }
        let known = format.flatMap { $0.kind == kind ? $0 : nil } ?? kind.anyFormat
        let fitting = draft.registrations.first { registration in
            guard let input = registration.descriptor.mainInput, input.kind == kind else { return false }
            guard draft.section == "transforms", kind == .packet else { return true }
            guard draft.hasFaultyOptions || (try? registration.make(draft.options).output(for: known)) != nil else {
                return false
            }
            guard case .packets(let made)? = registration.descriptor.outputs.first?.formats.first,
                let coding = made.coding
            else { return true }
            guard case .packets(let packets) = known else { return false }
            return packets.coding == coding && isTakenAsPackets(node)
        }
        let decoded = kind == .packet ? draft.registrations.first { $0.descriptor.mainInput?.kind == .frame } : nil
        guard let fitting = fitting ?? decoded else { return }
        draft.registrations = [fitting]
        draft.inputs[0].port = fitting.descriptor.mainInput ?? draft.inputs[0].port
    }

    /// Whether any consumer's main input may be packets.
    private func isTakenAsPackets(_ node: Int) -> Bool {
        drafts.contains { draft in
            draft.registrations.contains { $0.descriptor.mainInput?.kind == .packet }
                && draft.inputs.first?.references.contains { $0.targets.contains(node) } == true
        }
    }

    private func event(of condition: WhenDraft, _ findings: inout Findings) -> OutputReference? {
        guard let target = condition.reference.targets.first else { return nil }
        let port = In<Event>("when").descriptor
        let choice = OutputChoice.find(
            condition.reference.text.port, of: drafts[target], facts[target], wanted: [port], registry: registry)
        switch choice {
        case .found(let output, _): return OutputReference(node: drafts[target].id, port: output.name)
        case .unknown(let port): return OutputReference(node: drafts[target].id, port: port)
        case .fault(let problem):
            problem.report(at: condition.reference.path, related: drafts[target].path, &findings)
            return nil
        }
    }

    /// Audio goes along by itself where the source of the main input has some.
    private mutating func takeAudio(_ node: Int) {
        guard let position = drafts[node].inputs.firstIndex(where: { $0.port.name == "audio" && $0.port.isOptional }),
            position > 0, drafts[node].value.entry("audio") == nil
        else { return }
        var source = drafts[node].inputs[0].references.first?.targets.first
        var steps = 0
        while let place = source, let next = drafts[place].inputs.first?.references.first?.targets.first,
            steps < drafts.count
        {
            // Of several cameras none is the one that is heard.
            if drafts[place].registrations.first?.descriptor.isMixer == true { return }
            source = next
            steps += 1
        }
        guard let source,
            let audio = drafts[source].registrations.first?.descriptor.outputs.first(where: { $0.name == "audio" })
        else { return }
        facts[node].inputs[position] = [OutputReference(node: drafts[source].id, port: audio.name)]
    }
}

extension NodeDraft {
    /// Everything that it refers to.
    var references: [ReferenceDraft] { inputs.flatMap(\.references) + when.map(\.reference) }
    /// The nodes that it takes items from.
    var feeders: [Int] { references.flatMap(\.targets) }
}
