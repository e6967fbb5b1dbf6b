internal import CampipeKit

/// What only the whole graph can tell: what is used by nobody, what two want for themselves, what leaks past a mask.
struct GraphChecks {
    private let drafts: [NodeDraft]
    private let facts: [NodeFacts]
    private let order: [Int]

    static func check(_ resolver: GraphResolver, findings: inout Findings) {
        let checks = GraphChecks(drafts: resolver.drafts, facts: resolver.facts, order: resolver.order)
        checks.checkSinks(&findings)
        checks.checkUse(&findings)
        checks.checkResources(&findings)
        checks.checkLinks(&findings)
        checks.checkMasks(&findings)
    }

    private func checkSinks(_ findings: inout Findings) {
        let sinks = drafts.filter(\.isSink)
        if sinks.isEmpty {
            // Where other things are wrong, the sinks may be there, misplaced.
            if findings.hasErrors { return }
            findings.report(
                .noSink, nil, "the pipeline has no sink, so nothing would come of it",
                fix: "add one under \"sinks\", such as web: {type: http, input: ID, path: /NAME}")
        } else if !sinks.contains(where: \.keys.enabled) {
            findings.report(.noSink, at: sinks[0].path, "every sink is switched off", part: .key, severity: .warning)
        }
    }

    private func checkUse(_ findings: inout Findings) {
        // A misspelt reference or type explains why something looks unused.
        let reasons: Set<FaultCode> = [.unknownInput, .unknownType, .misplacedKey, .missingKey]
        if findings.faults.contains(where: { reasons.contains($0.code) }) { return }
        var used = Set<Int>()
        for draft in drafts { used.formUnion(draft.feeders) }
        for (index, draft) in drafts.enumerated() where !draft.isSink && draft.keys.enabled && !used.contains(index) {
            findings.report(
                .unusedNode, at: draft.path, "nothing uses \(draft.name)",
                fix: "name it as the input of a sink or a transform, or write enabled: false", part: .key,
                severity: .warning)
        }
    }

    // MARK: - Exclusive resources

    /// The HTTP paths that the server keeps for itself.
    static let reservedPaths = ["/", "/api", "/metrics", "/healthz", "/readyz", "/stream", "/snapshot", "/state"]

    private func checkResources(_ findings: inout Findings) {
        var holders: [NodeResource: NodeDraft] = [:]
        for draft in drafts where draft.keys.enabled {
            for resource in draft.inspection?.resources ?? [] {
                let path = draft.path.key(resource.option)
                var key = NodeResource(resource.kind, resource.name, option: "")
                if resource.kind == .httpPath {
                    key.name = Self.normalized(resource.name)
                    if Self.isReserved(key.name) {
                        findings.report(
                            .reservedPath, at: path, "the path \(resource.name) belongs to the server itself",
                            fix: "take another, such as /\(Self.isReserved("/\(draft.id)") ? "camera" : draft.id)")
                        continue
                    }
                } else if key.name.contains("{") {
                    // A field of the node's own may tell the files apart.
                    continue
                }
                guard let holder = holders[key] else {
                    holders[key] = draft
                    continue
                }
                let what = resource.kind == .httpPath ? "is served" : "is written"
                findings.report(
                    .pathInUse, at: path, "\(resource.name) \(what) by \(holder.id) already",
                    fix: draft.camera == nil ? "give each its own" : "put {camera} into it",
                    related: holder.path.key(resource.option))
            }
        }
    }

    private static func normalized(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func isReserved(_ path: String) -> Bool { reservedPaths.contains(path) || path.hasPrefix("/api/") }

    // MARK: - Links and masks

    private func checkLinks(_ findings: inout Findings) {
        for (index, draft) in drafts.enumerated() where draft.keys.enabled && facts[index].isLive {
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

    private func checkMasks(_ findings: inout Findings) {
        let masks = MaskTrace(drafts, order: order)
        for leak in masks.leaks {
            guard let first = leak.unmasked.first, let covered = leak.masked.first else { continue }
            let names = leak.unmasked.prefix(8).map { drafts[$0].id }.joined(separator: ", ")
            findings.report(
                .maskBypassed, at: drafts[first].path.key("input"),
                "\(drafts[leak.source].id) is masked for \(drafts[covered].id), and \(names) gets it without the mask",
                fix: "take the masked branch here too, if that was not meant", severity: .warning,
                related: drafts[covered].path.key("input"))
        }
    }
}
