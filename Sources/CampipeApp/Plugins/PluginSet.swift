import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipePlugins

/// The types of node that a command knows: those that are built in, and those of plugins.
///
/// Plugins come from the file's `plugins`, from `--plugin-path`, and from the user's and the machine's folders, in this
/// order; never from the working folder unasked. Of one name the first is taken. What only tells of types (`list`,
/// `inspect`, `schema`) does with what a child process said of them; what makes nodes loads the plugins of those.
final class PluginSet: Sendable {
    /// A plugin that was looked at, and where it was found.
    struct Entry: Sendable {
        var finding: PluginFinding
        var folder: PluginFolder
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var libraries: [String: Result<PluginLibrary, PluginRefusal>] = [:]
        var scanner: Result<PluginScanner, CampipeError>?
    }

    private let folders: [PluginFolder]
    private let environment: [String: String]
    private let program: String
    private let state = Lock(State())

    /// - Parameters:
    ///   - given: What `--plugin-path` names.
    ///   - environment: Where the user's folders are.
    ///   - program: This program, which looks at plugins as its own child.
    init(given: [String] = [], environment: [String: String] = [:], program: String = PluginChild.program) {
        folders =
            given.map { PluginFolder($0, .given) }
            + [PluginFolder.user(environment: environment), .system].compactMap(\.self)
        self.environment = environment
        self.program = program
    }

    convenience init(_ invocation: Invocation, _ console: Console) {
        self.init(given: invocation.all(Flags.pluginPath), environment: console.environment)
    }

    // MARK: - What is there

    /// All plugins outside pipeline files, by folder and name.
    var entries: [Entry] { folders.flatMap { folder in folder.files.map { entry(of: $0, in: folder) } } }

    /// All types, those of plugins only described.
    func described() -> (registry: Registry, origins: [String: String], refused: [Entry]) {
        var registry = BuiltInNodes.registry
        var origins: [String: String] = [:]
        var refused: [Entry] = []
        for entry in entries {
            var finding = entry.finding
            if finding.refusal == nil, let conflict = conflict(of: finding, with: registry) {
                if entry.folder.kind != .given, origins[conflict.key] != nil { continue }
                finding = PluginFinding(refused: finding.path, conflict.refusal, names: finding.names)
            }
            guard finding.refusal == nil else {
                refused.append(Entry(finding: finding, folder: entry.folder))
                continue
            }
            for type in finding.types {
                registry.add(Registration(describing: type))
                origins[Self.key(type)] = finding.path
            }
        }
        return (registry, origins, refused)
    }

    /// The types that a file may use, with the plugins loaded that it names or whose types it uses.
    func types(for request: PluginRequest) -> NodeTypes {
        var types = NodeTypes(BuiltInNodes.registry)
        for reference in request.plugins {
            take(entry(of: reference.path, in: PluginFolder(reference.path, .given)), reference, into: &types)
        }
        for folder in folders {
            let known = Set(types.registry.registrations.map(\.descriptor.name))
            // What nobody asks for is not loaded.
            if folder.kind != .given, request.types.isSubset(of: known) { continue }
            for file in folder.files {
                let entry = entry(of: file, in: folder)
                let names = entry.finding.types.map(\.name) + (entry.finding.names ?? []).map(\.name)
                if folder.kind != .given, request.types.isDisjoint(with: Set(names).subtracting(known)) { continue }
                take(entry, nil, into: &types)
            }
        }
        return types
    }

    private func take(_ entry: Entry, _ reference: PluginReference?, into types: inout NodeTypes) {
        let finding = entry.finding
        var refusal = finding.refusal
        if refusal == nil, let conflict = conflict(of: finding, with: types.registry) { refusal = conflict.refusal }
        if refusal == nil, let object = finding.object {
            do throws(PluginRefusal) {
                for registration in try library(object).registrations { types.registry.add(registration) }
                return
            } catch { refusal = error }
        }
        guard let refusal else { return }
        let names = finding.types.map { RefusedPlugin.NodeType(section: $0.contract.section, name: $0.name) }
        let told = finding.names?.map { RefusedPlugin.NodeType(section: $0.contract.section, name: $0.name) }
        types.refused.append(
            RefusedPlugin(
                reference: reference, sentence: refusal.sentence, fix: refusal.fix,
                types: entry.folder.kind == .given ? (names.isEmpty ? told : names) : told ?? []))
    }

    private static func key(_ type: NodeDescriptor) -> String { "\(type.contract.section).\(type.name)" }

    /// A type of a plugin whose name is taken.
    private func conflict(
        of finding: PluginFinding, with registry: Registry
    ) -> (key: String, refusal: PluginRefusal)? {
        for type in finding.types {
            let section = type.contract.section
            guard let other = registry.named(type.name, in: section).first else { continue }
            let isBuiltIn = BuiltInNodes.registry.named(other.descriptor.name, in: section).first != nil
            return (
                Self.key(type),
                .taken(
                    finding.path, type: type.name, section: section,
                    by: isBuiltIn ? "campipe itself" : "another plugin")
            )
        }
        return nil
    }

    // MARK: - Looking, loading

    private func entry(of file: String, in folder: PluginFolder) -> Entry {
        if let known = state.withLock({ $0.entries[file] }) { return known }
        let entry = Entry(finding: look(at: file, in: folder), folder: folder)
        state.withLock { $0.entries[file] = entry }
        return entry
    }

    private func look(at file: String, in folder: PluginFolder) -> PluginFinding {
        if let distrust = folder.distrust(file) { return PluginFinding(refused: file, distrust, names: nil) }
        do throws(CampipeError) { return try scanner().scan(file) } catch {
            return PluginFinding(refused: file, .unknownHost(file, error.message), names: nil)
        }
    }

    private func scanner() throws(CampipeError) -> PluginScanner {
        if let made = state.withLock({ $0.scanner }) { return try made.get() }
        let made: Result<PluginScanner, CampipeError>
        do throws(CampipeError) {
            made = .success(
                PluginScanner(
                    program: program, host: try HostIdentity(program: program),
                    cache: PluginCache(environment: environment)))
        } catch {
            made = .failure(error)
        }
        state.withLock { $0.scanner = made }
        return try made.get()
    }

    private func library(_ object: CheckedObject) throws(PluginRefusal) -> PluginLibrary {
        if let known = state.withLock({ $0.libraries[object.path] }) { return try known.get() }
        let made: Result<PluginLibrary, PluginRefusal>
        do throws(PluginRefusal) { made = .success(try PluginLibrary(object)) } catch { made = .failure(error) }
        state.withLock { $0.libraries[object.path] = made }
        return try made.get()
    }
}
