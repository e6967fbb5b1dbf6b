package import CampipeKit

/// A plugin that a file names under `plugins`.
package struct PluginReference: Hashable, Sendable {
    /// As it is written, with variables filled in: from the pipeline file's folder.
    package var text: String
    /// Whether nothing may start without it.
    package var isRequired: Bool
    /// Where it stands.
    package var place: FaultPath
    /// Where it lies, as the process can open it.
    package var path = ""

    /// The keys of an entry that is a map.
    struct Keys: OptionGroup {
        @Option("The shared object, from the pipeline file's folder.") var path: String
        @Option("Whether the pipeline is refused without it; else only its nodes fail.") var required = false
    }

    /// Reads the list.
    static func read(_ value: LocatedValue, at path: FaultPath, into findings: inout Findings) -> [PluginReference] {
        guard case .list(let elements) = value.content else {
            if case .map(let entries) = value.content, entries.isEmpty { return [] }
            let text = value.text
            findings.report(
                .wrongKind, at: path, "found \(value.value.kindText), expected a list of plugins",
                fix: text.map { "write [\($0)]" } ?? "write [plugins/NAME.so]")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            let place = path.index(index)
            if findings.broken.contains(element.mark) { return nil }
            if case .map = element.content {
                guard let keys = Keys.read(element.value, at: place, into: &findings.faults), !keys.path.isEmpty else {
                    return nil
                }
                return PluginReference(text: keys.path, isRequired: keys.required, place: place)
            }
            guard let text = String.read(element.value, at: place, into: &findings.faults) else { return nil }
            if let fault = HomePath.fault(text, at: place) {
                findings.faults.append(fault)
                return nil
            }
            return PluginReference(text: text, isRequired: false, place: place)
        }
    }
}

/// What a file asks of plugins: those that it names, and the types that it uses, which may be of others.
package struct PluginRequest: Sendable {
    package var plugins: [PluginReference]
    package var types: Set<String>
}

/// The types of node that a file may use.
package struct NodeTypes: Sendable {
    package var registry: Registry
    /// Plugins that were to bring types and are not taken.
    package var refused: [RefusedPlugin]

    package init(_ registry: Registry, refused: [RefusedPlugin] = []) {
        self.registry = registry
        self.refused = refused
    }

    /// The refused plugin that a type is of, as far as that can be told.
    ///
    /// - Parameter isKnownElsewhere: Whether the name looks like that of a type that there is.
    func refusal(of type: String, in section: String, isKnownElsewhere: Bool) -> RefusedPlugin? {
        let exact = refused.first { plugin in
            plugin.types?.contains { $0.name == type && $0.section == section } ?? false
        }
        if let exact { return exact }
        return isKnownElsewhere ? nil : refused.first { $0.types == nil }
    }
}

/// A plugin that is not taken.
package struct RefusedPlugin: Hashable, Sendable {
    package struct NodeType: Hashable, Sendable {
        package var section: String
        package var name: String

        package init(section: String, name: String) {
            self.section = section
            self.name = name
        }
    }

    /// What the file says of it; nil where another place than the file has it.
    package var reference: PluginReference?
    /// Why, in one sentence without a full stop.
    package var sentence: String
    package var fix: String
    /// The types that it says it has; nil where it does not say.
    package var types: [NodeType]?

    package init(reference: PluginReference?, sentence: String, fix: String, types: [NodeType]?) {
        self.reference = reference
        self.sentence = sentence
        self.fix = fix
        self.types = types
    }

    var severity: Fault.Severity { reference?.isRequired == true ? .error : .warning }

    /// What names the inputs of a node whose type cannot be had.
    static func inputs(of draft: NodeDraft) -> [PortDescriptor] {
        guard draft.refusal != nil, draft.section != "sources" else { return [] }
        return [In<Frame>("input", optional: true, many: true).descriptor]
    }

    /// Says that a node, whose common keys were read, cannot be had.
    func report(for draft: NodeDraft, _ findings: inout Findings) {
        let type = draft.value["type"]?.text ?? ""
        let cause = reference == nil ? sentence : "its plugin is refused"
        findings.report(
            .refusedPlugin, at: draft.path.key("type"), "\(draft.name) fails, since \(type) cannot be had: \(cause)",
            fix: reference == nil ? fix : "mend the plugin, or write enabled: false here",
            severity: draft.keys.enabled ? severity : .warning)
    }
}
