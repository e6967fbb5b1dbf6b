import CampipeKit
import CampipeRuntime

/// Whether a pipeline does what it is for. It follows frames, not sockets: a source is ready while items come.
struct Readiness: Equatable {
    /// The sources from which nothing comes, each with its state and the last reason.
    let missing: [String]

    init(_ snapshot: PipelineSnapshot) {
        missing = snapshot.nodes.filter { $0.contract == .source }.compactMap { node in
            switch node.state.state {
            case .running, .idle, .off, .stopped: nil
            case .connecting, .stalled, .waiting, .failed:
                "\(node.id): \(node.state.state.rawValue)" + (node.state.reason.map { ", \($0)" } ?? "")
            }
        }
    }

    var isReady: Bool { missing.isEmpty }
    /// What anyone may know; it names nothing.
    var word: String { isReady ? "ready" : "waiting" }
}
