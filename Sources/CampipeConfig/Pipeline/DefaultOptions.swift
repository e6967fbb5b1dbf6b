internal import CampipeKit

/// `defaults`: options by type, merged into the nodes that do not say otherwise.
///
/// Where a source and a sink share a type's name, each takes the keys it has; a key that neither has is a fault. Maps
/// of options (`retention`) are merged key by key.
struct DefaultOptions {
    private var byType: [String: [LocatedValue.Entry]] = [:]
    private let registry: Registry

    init(_ entries: [LocatedValue.Entry], registry: Registry, findings: inout Findings) {
        self.registry = registry
        for entry in entries {
            let registrations = registry.named(entry.key)
            guard !registrations.isEmpty else {
                let names = KnownKeys.sections.flatMap { registry.names(in: $0) }
                if let planned = PlannedType.named(entry.key) {
                    findings.report(
                        .notSupportedYet, entry.keyMark,
                        "the type \(entry.key) is not in this version: \(planned.summary)",
                        fix: "delete \"\(entry.key)\" here")
                    continue
                }
                findings.report(
                    .unknownType, entry.keyMark, "there is no type \"\(entry.key.prefix(80))\"",
                    fix: findings.nearest(entry.key, in: names))
                continue
            }
            guard let options = findings.entries(of: entry.value, what: "a map of options of \(entry.key)") else {
                continue
            }
            let known = registrations.flatMap { Self.keys(of: $0.descriptor) }
            for option in options where !known.contains(option.key) {
                findings.report(
                    .unknownKey, option.keyMark,
                    "\(entry.key) has no option \"\(option.key.prefix(80))\" that defaults can set",
                    fix: findings.nearest(option.key, in: known))
            }
            byType[entry.key] = options
        }
    }

    /// What defaults can set of a type: its options, and the keys of its section but those that make a node what it is.
    private static func keys(of descriptor: NodeDescriptor) -> [String] {
        let kept = ["type", "when", "links", "enabled"]
        return descriptor.options.map(\.key)
            + KnownKeys.common(in: descriptor.contract.section).filter { !kept.contains($0) }
    }

    /// Checks the values, whether or not a node takes them.
    func check(broken: Set<Mark>, _ findings: inout Findings) {
        for (type, entries) in byType.sorted(by: { $0.key < $1.key }) {
            let path = FaultPath([.key("defaults"), .key(type)])
            for section in KnownKeys.sections {
                guard let registration = registry.named(type, in: section).first else { continue }
                let options = registration.descriptor.options
                let given = Self.map(entries, of: options.map(\.key))
                let unknown =
                    entries.filter { $0.value.contains(anyOf: broken) }.map(\.key)
                    + options.filter { $0.isRequired && given[$0.key] == nil }.map(\.key)
                findings.faults += registration.inspect(given, at: path, unknown: Set(unknown)).faults
                    .filter { $0.code != .noEffect }
                read(NodeKeys.self, entries, path, &findings)
                if section == "sources" { read(SourceKeys.self, entries, path, &findings) }
                if section == "sinks" { read(SinkKeys.self, entries, path, &findings) }
            }
            if let link = entries.first(where: { $0.key == "link" }) {
                _ = LinkKeys.read(link.value.value, at: path.key("link"), into: &findings.faults)
            }
        }
    }

    private func read<Keys: OptionGroup>(
        _ type: Keys.Type, _ entries: [LocatedValue.Entry], _ path: FaultPath, _ findings: inout Findings
    ) {
        _ = Keys.read(.map(Self.map(entries, of: Keys.keys)), at: path, into: &findings.faults)
    }

    private static func map(_ entries: [LocatedValue.Entry], of keys: [String]) -> Value.ValueMap {
        Value.ValueMap(
            entries.filter { keys.contains($0.key) }.map { Value.ValueMap.Entry($0.key, $0.value.value) })
    }

    /// Gives a node what it does not say itself.
    func merge(into draft: inout NodeDraft) {
        guard let type = draft.value["type"]?.text, let defaults = byType[type],
            let descriptor = registry.named(type, in: draft.section).first?.descriptor,
            case .map(var entries) = draft.value.content
        else { return }
        let known = Set(Self.keys(of: descriptor))
        let groups = Set(
            descriptor.options.filter { if case .group = $0.type { true } else { false } }.map(\.key) + ["link"])
        for option in defaults where known.contains(option.key) {
            guard let index = entries.firstIndex(where: { $0.key == option.key }) else {
                entries.append(option)
                draft.defaulted.insert(option.key)
                continue
            }
            guard groups.contains(option.key), case .map(var inner) = entries[index].value.content,
                case .map(let further) = option.value.content
            else { continue }
            inner += further.filter { candidate in !inner.contains { $0.key == candidate.key } }
            entries[index].value.content = .map(inner)
        }
        draft.value.content = .map(entries)
    }
}
