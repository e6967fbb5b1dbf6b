internal import CampipeKit

/// Finds what is indented too little or too much in the three maps of nodes, and puts it where it was meant, so that it
/// is told once, and the rest is checked all the same.
enum SectionShape {
    /// The tree of a file with its sections beside one another, and the keys of nodes under their ids.
    static func mended(_ root: LocatedValue, _ findings: inout Findings) -> LocatedValue {
        guard case .map(var entries) = root.content else { return root }
        lift(&entries, &findings)
        for index in entries.indices {
            if KnownKeys.sections.contains(entries[index].key) {
                gather(&entries[index], &findings)
            } else if entries[index].key == "templates", case .map(var templates) = entries[index].value.content {
                for index in templates.indices { gatherSections(of: &templates[index], &findings) }
                entries[index].value.content = .map(templates)
            }
        }
        var root = root
        root.content = .map(entries)
        return root
    }

    private static func gatherSections(of template: inout LocatedValue.Entry, _ findings: inout Findings) {
        guard case .map(var keys) = template.value.content else { return }
        for index in keys.indices where KnownKeys.sections.contains(keys[index].key) {
            gather(&keys[index], &findings)
        }
        template.value.content = .map(keys)
    }

    /// Takes sections out of a section that they are written under.
    private static func lift(_ entries: inout [LocatedValue.Entry], _ findings: inout Findings) {
        let names = KnownKeys.sections + ["templates", "cameras"]
        for index in entries.indices where KnownKeys.sections.contains(entries[index].key) {
            guard case .map(let inner) = entries[index].value.content else { continue }
            let taken = Set(entries.map(\.key))
            let lifted = inner.filter { names.contains($0.key) && !taken.contains($0.key) && isMapOfMaps($0.value) }
            if lifted.isEmpty { continue }
            for entry in lifted {
                findings.report(
                    .misplacedKey, entry.keyMark,
                    "\"\(entry.key)\" stands under \"\(entries[index].key)\", not beside it",
                    fix: "begin it in the column in which \"\(entries[index].key)\" begins")
            }
            entries[index].value.content = .map(inner.filter { entry in !lifted.contains { $0.key == entry.key } })
            entries += lifted
        }
    }

    private static func isMapOfMaps(_ value: LocatedValue) -> Bool {
        guard case .map(let entries) = value.content else { return false }
        return entries.allSatisfy { if case .map = $0.value.content { true } else { false } }
    }

    /// Puts keys of nodes that stand beside an id under it.
    private static func gather(_ section: inout LocatedValue.Entry, _ findings: inout Findings) {
        guard case .map(let entries) = section.value.content, isBeside(entries, section.key) else { return }
        var nodes: [LocatedValue.Entry] = []
        /// Where the id stands that the keys at hand belong to.
        var owner: Int?
        var hasNoID = false
        for entry in entries {
            if isKey(entry, of: section.key, isBehindID: owner != nil) {
                if let owner, case .map(let inner) = nodes[owner].value.content {
                    if inner.isEmpty {
                        findings.report(
                            .misplacedKey, entry.keyMark,
                            "\"\(entry.key)\" stands beside \"\(nodes[owner].key)\", not under it",
                            fix: "indent the keys of \(nodes[owner].key) deeper than its id")
                    }
                    nodes[owner].value.content = .map(inner + [entry])
                } else if !hasNoID {
                    hasNoID = true
                    findings.report(
                        .missingKey, entry.keyMark, "\"\(entry.key)\" belongs to a node, and no id stands above it",
                        fix:
                            "write an id above it, such as \(section.key.dropLast()):, and indent the node's keys under that"
                    )
                }
                continue
            }
            nodes.append(entry)
            owner = nil
            if entry.value.isNull {
                owner = nodes.count - 1
                nodes[nodes.count - 1].value.content = .map([])
            }
        }
        section.value.content = .map(nodes)
    }

    /// Whether it is clear that keys of a node stand among ids: `type: http`.
    private static func isBeside(_ entries: [LocatedValue.Entry], _ section: String) -> Bool {
        entries.contains { $0.key == "type" && $0.value.text != nil }
    }

    /// Whether an entry among ids is a key of a node: a node is a map.
    private static func isKey(_ entry: LocatedValue.Entry, of section: String, isBehindID: Bool) -> Bool {
        switch entry.value.content {
        case .map: isBehindID && entry.value["type"] == nil
        case .scalar(let scalar):
            !scalar.isNull || KnownKeys.common(in: section).contains(entry.key) || entry.key == "input"
        case .list, .secret: true
        }
    }
}
