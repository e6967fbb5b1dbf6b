import CampipeKit
import CampipeNodes
import CampipeProcess
import Foundation

/// Nodes in a process of their own (`isolation: process`): this program, started once more with a word that no user writes.
enum IsolatedNodes {
    /// The type with its work done in a child.
    static func registration(_ registration: Registration) -> Registration {
        let descriptor = registration.descriptor
        guard descriptor.contract == .transform else { return registration }
        return registration.remote { options in
            IsolatedNode(descriptor, options, program: "/proc/self/exe", environment: environment)
        }
    }

    /// All that a child gets of the environment: in which zone strftime writes the time.
    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key == "TZ" }
    }

    /// Whether the program was started as such a child.
    static func isChild(_ words: [String]) -> Bool { words == [IsolatedNode.command] }

    /// Works as such a child until its host ends it.
    static func work() -> ExitCode { NodeWorker(BuiltInNodes.registry).run() ? .ok : .failed }
}
