import CampipeKit
import CampipeRuntime

/// How each node of a pipeline is, as one JSON object by their ids, for `/state`: `{"clips":{"state":"waiting",…},…}`.
///
/// Beside `state`, a node that failed has its last `reason` and `retries` since it last ran well; `restarts` counts all.
enum NodeStates {
    static func json(_ snapshot: PipelineSnapshot) -> String {
        let off = snapshot.off.sorted().map { (key: $0, value: EventValue.map(["state": .text("off")])) }
        return JSONString.object(snapshot.nodes.filter(\.isNamed).map { (key: $0.id, value: value(of: $0)) } + off)
    }

    private static func value(of node: PipelineSnapshot.Node) -> EventValue {
        var members: [String: EventValue] = ["state": .text(node.state.state.rawValue)]
        if let reason = node.state.reason { members["reason"] = .text(reason) }
        if node.state.retries > 0 { members["retries"] = .number(Double(node.state.retries)) }
        if node.restarts > 0 { members["restarts"] = .number(Double(node.restarts)) }
        return .map(members)
    }
}
