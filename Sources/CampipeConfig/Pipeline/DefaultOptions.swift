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
