import CampipeKit
import CampipePlugins
import Foundation

/// `campipe plugin list` and `install`: the plugins that campipe finds by itself.
struct PluginListCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func list() -> ExitCode {
        let found = PluginSet(invocation, console).entries.map(\.finding)
        if invocation[Flags.json] {
            let rows = found.map { finding in
                let types = finding.types.map {
                    "{\"name\":\(JSONString.quoted($0.name)),\"section\":\"\($0.contract.section)\"}"
                }
                let refusal = finding.refusal.map { JSONString.quoted($0.text) } ?? "null"
                return "  {\"path\":\(JSONString.quoted(finding.path)),\"types\":[\(types.joined(separator: ","))],"
                    + "\"refused\":\(refusal)}"
            }
            console.print(rows.isEmpty ? "[]\n" : "[\n\(rows.joined(separator: ",\n"))\n]\n")
            return .ok
        }
        if found.isEmpty {
            let folder = PluginFolder.user(environment: console.environment)?.path
            console.print("no plugin in \(WordList.and([folder, PluginFolder.system.path].compactMap(\.self)))\n")
        }
        for finding in found {
            let types = finding.types.map { "\($0.contract == .join ? "transform" : $0.contract.rawValue) \($0.name)" }
            let text = finding.refusal.map { "refused: \($0.text)" } ?? types.joined(separator: ", ")
            console.print("\(PrintableText.escaping(finding.path)): \(text)\n")
        }
        return .ok
    }

    func install() -> ExitCode {
        let source = invocation.arguments[0]
        do {
            let path = source.hasSuffix(".so") ? source : try PluginProject(source).library
            let host = try HostIdentity(program: PluginChild.program)
            let finding = PluginScanner(program: PluginChild.program, host: host, cache: nil).scan(path)
            if let refusal = finding.refusal {
                console.complain("campipe: \(refusal.text)\n")
                return .failed
            }
            guard let folder = PluginFolder.user(environment: console.environment)?.path else {
                throw CampipeError(
                    .configuration, "there is no folder of yours: neither XDG_DATA_HOME nor HOME is set",
                    fix: "set one of them")
            }
            let name = URL(filePath: path).lastPathComponent
            let place = "\(folder)/\(name)"
            let files = FileManager.default
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            // A program that has the old one loaded keeps it: the new one is another file.
            try Data(contentsOf: URL(filePath: path)).write(to: URL(filePath: "\(place).new"))
            try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(place).new")
            try files.moveReplacing("\(place).new", to: place)
            console.print("\(place): every pipeline of yours may use \(WordList.and(finding.types.map(\.name)))\n")
            return .ok
        } catch let error as CampipeError {
            console.complain("campipe: \(error)\n")
        } catch {
            console.complain("campipe: cannot install \(source): \(error.localizedDescription)\n")
        }
        return .failed
    }
}
