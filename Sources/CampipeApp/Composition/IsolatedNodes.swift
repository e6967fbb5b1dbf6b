import CampipeKit
import CampipeNodes
import CampipePlugins
import CampipeProcess
import Foundation

/// Nodes in a process of their own (`isolation: process`): this program, started once more with a word that no user writes.
enum IsolatedNodes {
    /// The type with its work done in a child.
    static func registration(_ registration: Registration) -> Registration {
        let descriptor = registration.descriptor
        guard descriptor.contract == .transform else { return registration }
        return registration.remote { options in
            IsolatedNode(
                descriptor, options, program: "/proc/self/exe", plugin: registration.plugin, environment: environment)
        }
    }

    /// All that a child gets of the environment: in which zone strftime writes the time.
    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key == "TZ" }
    }

    /// Whether the program was started as such a child.
    static func isChild(_ words: [String]) -> Bool { words.first == IsolatedNode.command }

    /// Works as such a child until its host ends it.
    ///
    /// - Parameter words: The word, and the plugin that its type is from.
    static func work(_ words: [String]) -> ExitCode {
        let isFine = NodeWorker().run {
            var registry = BuiltInNodes.registry
            for plugin in words.dropFirst() {
                for registration in try types(of: plugin) { registry.add(registration) }
            }
            return registry
        }
        return isFine ? .ok : .failed
    }

    private static func types(of plugin: String) throws(CampipeError) -> [Registration] {
        let host = try HostIdentity(program: PluginChild.program)
        do throws(PluginRefusal) {
            return try PluginLibrary(try CheckedObject.checking(plugin, host: host)).registrations
        } catch {
            throw CampipeError(.configuration, error.sentence, fix: error.fix)
        }
    }
}
