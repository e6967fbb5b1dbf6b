import CampipeKit
import CampipeRuntime

/// Whether a pipeline does what it is for. It follows frames, not sockets: a source is ready while items come, and any
/// other node unless it failed, waits to be started again or for something outside, is stuck, or was started again and has
/// not worked well for 30 s since.
struct Readiness: Equatable {
    enum Verdict: Equatable {
        case ready
        /// Nothing comes from a source.
        case waiting
        /// A node failed, or is being started again.
        case failing
    }

    let verdict: Verdict

    /// - Parameter lacksNodes: Whether nodes of the file failed from the start, so that no snapshot has them.
    init(_ snapshot: PipelineSnapshot, lacksNodes: Bool = false) {
        var verdict = lacksNodes ? Verdict.failing : .ready
        for node in snapshot.nodes {
            if node.contract != .source {
                if Self.isFailing(node.state) { verdict = .failing }
            } else if verdict == .ready, Self.isMissing(node.state) {
                verdict = .waiting
            }
        }
        self.verdict = verdict
    }

    var isReady: Bool { verdict == .ready }

    /// What anyone may know; it names nothing.
    var word: String {
        switch verdict {
        case .ready: "ready"
        case .waiting: "waiting"
        case .failing: "failing"
        }
    }

    private static func isMissing(_ status: SourceStatus) -> Bool {
        switch status.state {
        case .running, .idle, .off, .stopped: false
        case .connecting, .stalled, .waiting, .failed: true
        }
    }

    /// Of a node that is no source.
    static func isFailing(_ status: SourceStatus) -> Bool {
        switch status.state {
        case .waiting, .stalled, .failed: true
        case .connecting: status.retries > 0
        case .running, .idle, .off, .stopped: false
        }
    }
}
