import CampipeKit
import Foundation

/// Finds out what is in plugins, in a child process each, so that one that crashes or hangs takes nobody along; what was
/// found is kept until the file changes.
package struct PluginScanner: Sendable {
    private let program: String
    private let host: HostIdentity
    private let cache: PluginCache?
    private let deadline: Duration
    private let environment: [String: String]

    /// - Parameters:
    ///   - program: campipe itself, which is run again for each plugin.
    ///   - cache: Where findings are kept; nil keeps none.
    ///   - deadline: What a plugin may take to be loaded and to describe itself.
    package init(
        program: String, host: HostIdentity, cache: PluginCache?, deadline: Duration = .seconds(10)
    ) {
        self.program = program
        self.host = host
        self.cache = cache
        self.deadline = deadline
        environment = PluginChild.environment
    }

    /// Looks at a plugin. First at its file, then, if nothing is known of it, a child loads it.
    package func scan(_ path: String) -> PluginFinding {
        let object: CheckedObject
        do throws(CheckedObject.Failure) {
            object = try CheckedObject(path, host: host)
        } catch {
            return PluginFinding(refused: path, error.refusal, names: error.types)
        }
        let key = PluginCache.key(of: object, host: host)
        if let kept = cache?.answer(for: key) { return finding(kept, object, path) }
        let answer = ask(object, path)
        if let answer, let key { cache?.keep(answer, for: key) }
        return finding(
            answer ?? .refused(.notLoaded(path, "campipe could not be started again to look at it")), object, path)
    }

    private func finding(_ answer: PluginChild.Answer, _ object: CheckedObject, _ path: String) -> PluginFinding {
        switch answer {
        case .types(let types): PluginFinding(object, at: path, types: types)
        case .refused(let refusal): PluginFinding(refused: path, refusal, names: object.handshake.types)
        }
    }

    /// nil when no child could be started, which says nothing of the plugin.
    private func ask(_ object: CheckedObject, _ path: String) -> PluginChild.Answer? {
        let child = ChildProgram(
            program, [PluginChild.word, PluginChild.Task.describe.rawValue, object.path], environment: environment,
            folder: "/", deadline: deadline)
        guard let result = try? child.run() else { return nil }
        switch result.ending {
        case .exited(let code):
            guard let answer = try? JSONDecoder().decode(PluginChild.Answer.self, from: Data(result.output)) else {
                return .refused(.ended(path, code: code))
            }
            return answer
        case .crashed(let signal): return .refused(.crashed(path, signal: signal))
        case .timedOut: return .refused(.hung(path, deadline))
        }
    }
}
