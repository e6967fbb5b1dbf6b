internal import CampipeKit

/// What only the whole graph can tell: what is used by nobody, what two want for themselves, what leaks past a mask.
struct GraphChecks {
    private let drafts: [NodeDraft]
    private let facts: [NodeFacts]
    private let order: [Int]
    private let index: [String: Int]

    static func check(_ resolver: GraphResolver, findings: inout Findings) {
        let checks = GraphChecks(
            drafts: resolver.drafts, facts: resolver.facts, order: resolver.order, index: resolver.index)
        checks.checkSinks(&findings)
        checks.checkOff(&findings)
        checks.checkUse(&findings)
        ResourceCheck.check(resolver.drafts, findings: &findings)
        checks.checkLinks(&findings)
        checks.checkLateness(&findings)
        checks.checkMasks(&findings)
        checks.checkPaces(&findings)
        checks.checkFiles(&findings)
        TimeCheck.check(resolver, findings: &findings)
        CodingCheck.check(resolver, findings: &findings)
        AlertCheck.check(resolver, findings: &findings)
    }

    private func checkSinks(_ findings: inout Findings) {
        let sinks = drafts.indices.filter { drafts[$0].isSink }
        guard let first = sinks.first else {
            // Where other things are wrong, the sinks may be there, misplaced.
            if !findings.diagnostics.allSatisfy({ $0.severity == .warning }) { return }
            if findings.faults.contains(where: { $0.severity == .error && !Self.hidesNoNode($0.path) }) { return }
            findings.report(
                .noSink, nil, "the pipeline has no sink, so nothing would come of it",
                fix: "add one under \"sinks\", such as web: {type: http, input: ID, path: /NAME}")
            return
        }
        guard sinks.allSatisfy({ facts[$0].off != nil }) else { return }
        let areDisabled = sinks.allSatisfy { facts[$0].off?.reason == nil && facts[$0].off?.isRefused == false }
        findings.report(
            .noSink, at: drafts[first].path,
            "every sink is \(areDisabled ? "switched off" : "off"), so nothing would come of the pipeline",
            fix: sinks.contains { facts[$0].off?.isRefused == true }
                ? "mend the plugins that are refused"
                : areDisabled ? "write enabled: true on one" : "enable what one of them takes from", part: .key,
            severity: .warning)
    }

    /// Whether a fault is about a key beside which all nodes are known.
    private static func hidesNoNode(_ path: FaultPath) -> Bool {
        guard case .key(let top)? = path.steps.first else { return false }
        return ["name", "version", "server", "defaults"].contains(top)
    }

    /// What is off because of another node, which its own lines do not show.
    private func checkOff(_ findings: inout Findings) {
        let paths = Dictionary(drafts.map { ($0.id, $0.path) }, uniquingKeysWith: { first, _ in first })
        for (draft, facts) in zip(drafts, facts) {
            guard let cause = facts.off, let reason = cause.reason, let path = facts.offPath,
                let root = paths[cause.root]
            else { continue }
            findings.report(
                .switchedOff, at: path, "\(draft.name) is off: \(reason)",
                fix: cause.isRefused
                    ? "mend the plugin of \(draft.sibling(cause.root)), or take the input from another node"
                    : "if that is meant, write enabled: false on \(draft.name) too; if not, enable \(draft.sibling(cause.root))",
                severity: .warning, related: cause.isRefused ? nil : root.key("enabled"))
        }
    }

    /// Errors that leave every reference of the file known.
    private static let aboutValues: Set<FaultCode> = [
        .missingUnit, .outOfRange, .unknownEnumValue, .unknownField, .notSupportedYet, .pathInUse, .reservedPath,
        .unsafeListen, .missingResource,
    ]

    private func checkUse(_ findings: inout Findings) {
        // Something that could not be read may be what uses it.
        if findings.hasErrors(except: Self.aboutValues) { return }
        var used = Set<Int>()
        for draft in drafts {
            used.formUnion(draft.feeders)
            // Of a type that is still to come no input is known: whatever it names it may take.
            if draft.isKnown { continue }
            for reference in Self.references(in: draft.value) {
                if reference.isPattern { return }
                let local = draft.camera.flatMap { self.index["\($0.name)/\(reference.id)"] }
                if let named = local ?? self.index[reference.id] { used.insert(named) }
            }
        }
        for (index, draft) in drafts.enumerated() where !draft.isSink && draft.keys.enabled && !used.contains(index) {
            findings.report(
                .unusedNode, at: draft.path, "nothing uses \(draft.name)",
                fix: "name it as the input of a sink or a transform, or write enabled: false", part: .key,
                severity: .warning)
        }
    }

    /// What may be a reference, anywhere in a value.
    private static func references(in value: LocatedValue) -> [ReferenceText] {
        switch value.content {
        case .secret: []
        case .scalar(let scalar): ReferenceText(scalar.text).map { [$0] } ?? []
        case .list(let elements): elements.flatMap(references(in:))
        case .map(let entries): entries.flatMap { references(in: $0.value) }
        }
    }

    // MARK: - Links and masks

    private func checkLinks(_ findings: inout Findings) {
        for (index, draft) in drafts.enumerated() where facts[index].off == nil && facts[index].isLive {
            for (input, link) in draft.links.sorted(by: { $0.key < $1.key }) where link.whenFull == .block {
                let isMain = input == draft.inputs.first?.port.name
                let written =
                    isMain && draft.value.entry("link") != nil
                    ? draft.path.key("link") : draft.path.key("links").key(input)
                findings.report(
                    .blockingLive, at: written.key("when_full"),
                    "block on a live stream lets \(draft.name) hold up the source, and with it every other branch",
                    fix: "leave when_full out, or take drop_oldest with a larger max_items", severity: .warning)
            }
        }
    }

    /// Whoever keeps all is never given too little because it was late.
    private func checkLateness(_ findings: inout Findings) {
        for (index, draft) in drafts.enumerated() where facts[index].off == nil && draft.sinkKeys.lateAfter != nil {
            guard draft.registrations.first?.descriptor.mainInput?.taste == .complete else { continue }
            findings.report(
                .noEffect, at: draft.path.key("late_after"),
                "late_after does nothing here: \(draft.name) is given all, however late it comes",
                fix: "delete it; max_age under link bounds how long what comes may wait", severity: .warning)
        }
    }

    /// What takes several inputs goes by the clock where one of them is live, and reads what is not live meanwhile as fast
    /// as that goes.
    private func checkPaces(_ findings: inout Findings) {
        for (index, draft) in drafts.enumerated() where facts[index].off == nil && facts[index].isLive {
            guard let input = draft.inputs.first, input.port.takesMany, input.port.kind == .frame else { continue }
            for reference in input.references {
                guard let target = reference.targets.first(where: { !facts[$0].isLive && facts[$0].off == nil }) else {
                    continue
                }
                let name = draft.sibling(drafts[target].id)
                let source = self.source(of: target)
                // Of a type that is not known it is not known either.
                guard !drafts[source].registrations.isEmpty else { continue }
                let hasSpeed = drafts[source].registrations.first?.descriptor.options.contains { $0.key == "speed" }
                findings.report(
                    .pacesDiffer, at: reference.path,
                    "\(name) is read as fast as it goes beside live cameras, so that \(draft.name) shows little of it",
                    fix: hasSpeed == true
                        ? "write speed: realtime on \(draft.sibling(drafts[source].id))"
                        : "take it out of the inputs",
                    severity: .warning, related: drafts[source].path)
            }
        }
    }

    /// Each picture of a live camera as a file of its own fills a disk, or its table of files, in days.
    private func checkFiles(_ findings: inout Findings) {
        for (index, draft) in drafts.enumerated() where facts[index].off == nil && facts[index].isLive {
            guard draft.inspection?.writesEachItem == true, draft.when.isEmpty, !isThinned(index) else { continue }
            findings.report(
                .fileEach, at: draft.path.key("path"),
                "each picture of a live camera becomes a file, of many cameras 30 a second",
                fix: "add every: 60s, or when: with the id of what gives events; for a video end the path with .mp4",
                severity: .warning)
        }
    }

    /// Whether a node on the way to this one takes only some of what comes.
    private func isThinned(_ node: Int) -> Bool {
        var node = node
        for _ in drafts.indices {
            guard let next = drafts[node].inputs.first?.references.first?.targets.first else { break }
            node = next
            let options = drafts[node].registrations.first?.descriptor.options ?? []
            if drafts[node].inputs.first != nil, options.contains(where: { $0.key == "every" }) { return true }
        }
        return false
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

    private func checkMasks(_ findings: inout Findings) {
        let masks = MaskTrace(drafts, facts, order: order)
        for leak in masks.leaks {
            guard let first = leak.unmasked.first, let covered = leak.masked.first else { continue }
            let names = WordList.and(leak.unmasked.map { drafts[$0].id })
            findings.report(
                .maskBypassed, at: drafts[first].path.key("input"),
                "\(drafts[leak.source].id) is masked for \(drafts[covered].id), and \(names) \(leak.unmasked.count == 1 ? "gets" : "get") it without the mask",
                fix: "take the masked branch here too, if that was not meant", severity: .warning,
                related: drafts[covered].path.key("input"))
        }
    }
}
