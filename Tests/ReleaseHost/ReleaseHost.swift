import CampipeKit
import CampipePlugins
import Foundation

/// Runs over the release build what the tests run over the debug build: the node contract's suite for every built-in
/// node, and plugins. `scripts/check-release` compiles it with -O against the modules of the release build.
///
///     release-host PROGRAM THRESHOLD.so BORDER.so [THRESHOLD.so BORDER.so …]
@main struct ReleaseHost {
    static func main() throws {
        var failed = 0
        func expect(_ name: String, _ wrongs: [String]) {
            guard !wrongs.isEmpty else { return }
            failed += 1
            print("FAILED: \(name)\n\(wrongs.joined(separator: "\n"))")
        }
        var inPlace: [String] = []
        for node in BuiltInConformance.all {
            let reports = try node.check()
            let seen = reports.map(\.longRun).max() ?? 0
            expect("\(node)", reports.filter { !$0.isConforming }.map(\.description))
            expect("\(node)", seen < BuiltInConformance.longRun ? ["the search for leaks saw \(seen) items"] : [])
            if reports.contains(where: { $0.outcome(.copiesNoPixel) == .passed }) { inPlace.append("\(node)") }
        }
        print("\(BuiltInConformance.all.count) built-in nodes checked; in place: \(inPlace.joined(separator: ", "))")
        expect("in-place nodes", inPlace.isEmpty ? ["no node was seen to work in place"] : [])

        let libraries = CommandLine.arguments.dropFirst(2)
        let host = try HostIdentity(program: CommandLine.arguments[1])
        for (index, library) in libraries.enumerated() {
            let plugin = try PluginLibrary(try CheckedObject.checking(library, host: host))
            expect(library, index % 2 == 0 ? try PluginTrial.threshold(plugin) : try PluginTrial.border(plugin))
        }
        print("\(libraries.count) plugins loaded")
        if failed > 0 || libraries.isEmpty { exit(1) }
    }
}
