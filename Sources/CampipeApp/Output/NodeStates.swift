import CampipeKit
import CampipeRuntime

/// How each node of a pipeline is, as one JSON object by their ids, for `/state`: `{"clips":{"state":"waiting",…},…}`.
///
/// Beside `state`, a node that failed has its last `reason` and `retries` since it last ran well; `restarts` counts all,
/// `damaged` the pictures that it gave on marked so, `removed` by reason what it removed itself.
enum NodeStates {
    static func json(_ snapshot: PipelineSnapshot) -> String {
        let off = snapshot.off.sorted().map { (key: $0, value: EventValue.map(["state": .text("off")])) }
        let shown = snapshot.nodes.filter { $0.isNamed || snapshot.damaged[$0.key] != nil }
        return JSONString.object(
            shown.map { (key: $0.id, value: value(of: $0, damaged: snapshot.damaged[$0.key] ?? 0)) } + off)
    }

    private static func value(of node: PipelineSnapshot.Node, damaged: Int) -> EventValue {
        var members: [String: EventValue] = ["state": .text(node.state.state.rawValue)]
        if let reason = node.state.reason { members["reason"] = .text(reason) }
        if node.state.retries > 0 { members["retries"] = .number(Double(node.state.retries)) }
        if damaged > 0 { members["damaged"] = .number(Double(damaged)) }
        if node.restarts > 0 { members["restarts"] = .number(Double(node.restarts)) }
        if !node.removed.isEmpty {
            let counts = node.removed.map { ($0.key.name, EventValue.integer($0.value)) }
            members["removed"] = .map(Dictionary(counts, uniquingKeysWith: { first, _ in first }))
        }
        return .map(members)
    }
}
