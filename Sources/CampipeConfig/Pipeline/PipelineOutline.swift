internal import CampipeKit

/// The top of a pipeline file, with variables filled in: what stands where, not yet what it means.
struct PipelineOutline {
    var name: String?
    var server = ServerSettings()
    /// The nodes outside templates first, then each camera's.
    var drafts: [NodeDraft] = []
    /// The nodes of templates that no camera uses, as if one did; only to be checked.
    var samples: [NodeDraft] = []
    var defaults: [LocatedValue.Entry] = []
    /// What `plugins` names.
    var plugins: [PluginReference] = []
    /// The file's tree with variables filled in, templates as written.
    var root: LocatedValue

    /// The most nodes of one pipeline, all cameras together.
    static let maximumNodes = 4096

    private let rawRoot: LocatedValue
    private var isFull = false
    private let surface: [String]

    /// - Parameter substitution: Keeps what it found: faults, secrets, broken values.
    init(_ root: LocatedValue, substitution: inout Substitution, findings: inout Findings) {
        let root = SectionShape.mended(Self.respelt(root, &findings), &findings)
        rawRoot = root
        self.root = root
        surface = root.entries?.map(\.key) ?? []
        guard let entries = findings.entries(of: root, what: "a map of \(KnownKeys.top.joined(separator: ", "))") else {
            return
        }
        var filled: [LocatedValue.Entry] = []
        for entry in entries {
            var entry = entry
            if entry.key != "templates" { entry.value = substitution.applied(to: entry.value) }
            filled.append(entry)
        }
        self.root.content = .map(filled)
        findings.broken.formUnion(substitution.broken)
        for entry in filled { read(entry, &findings) }
        if !surface.contains("version") {
            findings.report(.missingKey, nil, "\"version\" is missing", fix: "begin the file with \"version: 1\"")
        }
        readSections(of: self.root, camera: nil, into: &findings)
        readCameras(substitution: &substitution, findings: &findings)
        checkIDs(&findings)
    }

    /// The tree with misspelt sections under their names, so that what stands in them is read all the same.
    private static func respelt(_ root: LocatedValue, _ findings: inout Findings) -> LocatedValue {
        guard case .map(var entries) = root.content else { return root }
        let sections = KnownKeys.sections + ["templates", "cameras"]
        for index in entries.indices where !KnownKeys.top.contains(entries[index].key) {
            guard entries[index].value.entries != nil,
                let meant = ForeignWord.topKey(entries[index].key)
                    ?? Nearest.match(entries[index].key, in: KnownKeys.top), sections.contains(meant),
                !entries.contains(where: { $0.key == meant })
            else { continue }
            findings.report(
                .unknownKey, entries[index].keyMark, "unknown key \"\(entries[index].key.prefix(80))\"",
                fix: "did you mean \"\(meant)\"?")
            entries[index].key = meant
        }
        var root = root
        root.content = .map(entries)
        return root
    }

    private mutating func read(_ entry: LocatedValue.Entry, _ findings: inout Findings) {
        let path = FaultPath([.key(entry.key)])
        switch entry.key {
        case "version":
            if entry.value.text != "1" {
                findings.report(
                    .unsupportedVersion, at: path, "version \(entry.value.value.kindText) is not known",
                    fix: "write version: 1")
            }
        case "name":
            guard let name = String.read(entry.value.value, at: path, into: &findings.faults) else { return }
            if findings.checkName(name, entry.value.mark, what: "pipeline") { self.name = name }
        case "server": readServer(entry.value, path, &findings)
        case "defaults":
            defaults = findings.entries(of: entry.value, what: "a map of types to options") ?? []
        case "plugins": plugins = PluginReference.read(entry.value, at: path, into: &findings)
        case "sources", "transforms", "sinks", "templates", "cameras": break
        default:
            let isParameter = entry.value.entries == nil
            findings.report(
                .unknownKey, at: path, "unknown key \"\(entry.key.prefix(80))\"",
                fix: misplacedFix(entry.key)
                    ?? (isParameter
                        ? findings.nearest(entry.key, in: KnownKeys.top)
                        : findings.nearest(
                            entry.key, in: KnownKeys.top, or: "a node stands under sources, transforms or sinks")),
                part: .key)
        }
    }

    private func misplacedFix(_ key: String) -> String? {
        if ServerKeys.keys.contains(key) { return "it belongs under \"server\"" }
        if let meant = ForeignWord.topKey(key) { return "did you mean \"\(meant)\"?" }
        if Nearest.match(key, in: KnownKeys.top) != nil { return nil }
        if key.hasPrefix("x-") {
            return "delete it; options that several nodes share stand under \"defaults\", by type"
        }
        if KnownKeys.common(in: "sources").contains(key) || ["input", "inputs", "late_after"].contains(key) {
            return "it belongs under a node, which stands under sources, transforms or sinks"
        }
        return nil
    }

    // MARK: - Server

    private mutating func readServer(_ value: LocatedValue, _ path: FaultPath, _ findings: inout Findings) {
        guard let entries = findings.entries(of: value, what: "a map of \(ServerKeys.keys.joined(separator: ", "))")
        else { return }
        let before = findings.faults.count
        server = ServerReading.read(entries, at: path, into: &findings)
        var places = KeyPlaces(KnownKeys.top)
        places.add(ServerKeys.keys, at: ["server"])
        places.add(ServerKeys.schemas, at: ["server"])
        for index in before..<findings.faults.count {
            findings.faults[index] = places.moved(findings.faults[index], from: .root)
        }
    }

    // MARK: - Nodes

    /// Reads the three maps of nodes of the file or of a template's copy.
    mutating func readSections(of value: LocatedValue, camera: CameraUse?, into findings: inout Findings) {
        for section in KnownKeys.sections {
            guard let nodes = value[section] else { continue }
            guard
                let entries = findings.entries(
                    of: nodes, what: "a map of ids to nodes", fix: Self.sectionFix(nodes))
            else {
                findings.unread.formUnion(Self.ids(in: nodes))
                continue
            }
            for entry in entries {
                guard findings.checkName(entry.key, entry.keyMark, what: "node", beside: entries.map(\.key)) else {
                    continue
                }
                var node = entry.value
                if findings.broken.contains(node.mark) { node.content = .map(node.entries ?? []) }
                let id = camera.map { "\($0.name)/\(entry.key)" } ?? entry.key
                guard findings.entries(of: node, what: "a map with \"type\"", fix: nodeFix(entry)) != nil else {
                    findings.unread.insert(id)
                    continue
                }
                guard drafts.count < Self.maximumNodes else {
                    if !isFull {
                        findings.report(
                            .tooLarge, entry.keyMark, "the pipeline has more than \(Self.maximumNodes) nodes",
                            fix: "split the pipeline into several files")
                    }
                    isFull = true
                    return
                }
                drafts.append(
                    NodeDraft(id: id, section: section, keyMark: entry.keyMark, value: node, camera: camera))
            }
        }
    }

    /// The ids that the nodes of a list most likely have.
    private static func ids(in nodes: LocatedValue) -> [String] {
        guard case .list(let elements) = nodes.content else { return [] }
        return elements.compactMap { ($0["id"] ?? $0["name"])?.text }.filter(NameCheck.isName)
    }

    private static func sectionFix(_ nodes: LocatedValue) -> String {
        guard case .list = nodes.content else { return "write each node as id: {type: ...}" }
        return "write each node as \(ids(in: nodes).first ?? "id"): {type: ...}, without dashes"
    }

    private func nodeFix(_ entry: LocatedValue.Entry) -> String? {
        var first = entry.value
        if case .list(let elements) = first.content, let element = elements.first { first = element }
        if first.text?.contains("://") == true { return "write \(entry.key): {type: camera, url: ...}" }
        return typeFix(entry)
    }

    private func typeFix(_ entry: LocatedValue.Entry) -> String? {
        entry.value.text.flatMap {
            NameCheck.isName($0) && $0.first?.isLetter == true && !KnownKeys.node.contains(entry.key)
                ? "write \(entry.key): {type: \($0)}" : nil
        }
    }

    private mutating func readCameras(substitution: inout Substitution, findings: inout Findings) {
        let templates = TemplateSet(rawRoot["templates"], findings: &findings)
        var used: Set<String> = []
        var hasFaultyCamera = false
        if let cameras = root["cameras"],
            let entries = findings.entries(
                of: cameras, what: "a map of names to cameras", fix: "write each camera as name: {use: TEMPLATE}")
        {
            for entry in entries where !substitution.isExhausted && !isFull {
                guard let copy = templates.copy(for: entry, &substitution, &findings) else {
                    hasFaultyCamera = true
                    findings.unread.insert(entry.key)
                    continue
                }
                used.insert(copy.template)
                readSections(of: copy.value, camera: copy.use, into: &findings)
            }
        }
        // A faulty camera is likely the one that uses it.
        if !hasFaultyCamera { templates.warnUnused(except: used, findings: &findings) }
        let count = drafts.count
        let cameras = root["cameras"]?.entries?.map(\.key) ?? []
        for copy in templates.samples(except: used, cameras: cameras, &substitution)
        where !substitution.isExhausted && !isFull {
            readSections(of: copy.value, camera: copy.use, into: &findings)
        }
        samples = Array(drafts[count...])
        drafts.removeSubrange(count...)
    }

    private func checkIDs(_ findings: inout Findings) {
        var first: [String: NodeDraft] = [:]
        for draft in drafts {
            guard let other = first[draft.id] else {
                first[draft.id] = draft
                continue
            }
            findings.report(
                .duplicateID, draft.keyMark,
                "the id \"\(draft.id)\" is taken: ids are unique across sources, transforms and sinks",
                fix: "give one of them another name",
                related: [Diagnostic.Related(other.keyMark, "the first one is here")])
        }
    }
}
