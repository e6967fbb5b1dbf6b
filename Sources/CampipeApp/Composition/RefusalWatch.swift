import CampipeConfig
import CampipeKit
import CampipeRuntime
import Dispatch
import Glibc

/// Looks whether the pipeline file or a secret has changed while a camera refuses the password, and has it tried at once
/// then, with the new password.
///
/// Such a source waits for minutes to hours, since cameras lock accounts. Only then is anything read, every few
/// seconds; all else that changed in the file takes effect at the next start. Any thread may call it.
final class RefusalWatch: Sendable {
    /// How often it looks.
    static let interval = Duration.seconds(5)
    /// A wait of more than this is that of a refusal.
    private static let longWait = Duration.seconds(60)

    private struct State {
        /// The sources that wait.
        var waiting: Set<String> = []
        /// What each node was made with.
        var known: [String: Known] = [:]
        var mark: FileMark?
        var isLooking = false
    }
    private struct Known {
        var type: String
        var options: Value.ValueMap
    }

    private let pipeline: Pipeline
    private let path: String
    private let overrides: [Override]
    private let plugins: PluginSet
    private let clock: any PipelineClock
    private let log: Log
    private let state: Lock<State>

    /// - Parameter file: What was read from `path`.
    init(
        _ pipeline: Pipeline, path: String, file: PipelineDescription, overrides: [Override], plugins: PluginSet,
        clock: any PipelineClock, log: Log
    ) {
        self.pipeline = pipeline
        self.path = path
        self.overrides = overrides
        self.plugins = plugins
        self.clock = clock
        self.log = log
        var state = State()
        state.mark = Self.mark(of: path)
        for node in file.nodes {
            state.known[node.id] = Known(type: node.registration.descriptor.name, options: node.options)
        }
        self.state = Lock(state)
    }

    /// Told of each node's new state.
    func changed(_ id: String, _ status: SourceStatus) {
        let isLong = status.retryAt.map { $0 - clock.now > Self.longWait } ?? false
        let begins = state.withLock { state -> Bool in
            guard isLong, status.state == .waiting, state.mark != nil else {
                state.waiting.remove(id)
                return false
            }
            state.waiting.insert(id)
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if begins { lookLater() }
    }

    private func lookLater() {
        clock.schedule(at: clock.now + Self.interval) { [weak self] in
            // Reading a file may take its time; the clock's thread has none.
            guard let self else { return }
            DispatchQueue.global(qos: .utility).async { @Sendable in self.look() }
        }
    }

    private func look() {
        let goesOn = state.withLock { state -> Bool in
            state.isLooking = !state.waiting.isEmpty
            return state.isLooking
        }
        guard goesOn else { return }
        let mark = Self.mark(of: path)
        // A file that cannot be read at this moment, or has a fault, changes nothing; the secrets are in it.
        if mark != nil,
            let file = PipelineFile.load(path, types: plugins.types, overrides: overrides, adding: { _ in [] })
                .description
        {
            retry(with: file, mark: mark)
        }
        lookLater()
    }

    private func retry(with file: PipelineDescription, mark: FileMark?) {
        var mended: [(id: String, options: Value.ValueMap)] = []
        state.withLock { state in
            let isRewritten = state.mark != mark
            state.mark = mark
            for id in state.waiting.sorted() {
                guard let node = file[id], let known = state.known[id],
                    known.type == node.registration.descriptor.name, isRewritten || node.options != known.options
                else { continue }
                state.known[id]?.options = node.options
                mended.append((id, node.options))
            }
        }
        for (id, options) in mended {
            log.info("the pipeline file or a secret changed, connects again", ["node": id])
            pipeline.retry(id, options: options)
        }
    }

    /// nil when it is no regular file: a pipe is read only once.
    private static func mark(of path: String) -> FileMark? { FileMark(path).flatMap { $0.isRegular ? $0 : nil } }
}
