import CampipeKit
import CampipeRuntime

/// A pipeline's state as Prometheus reads it (text format 0.0.4): each node's state and each link's ledger.
///
/// In each answer, and for each link, `offered = taken + queued + dropped`.
struct MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"
    private(set) var text = ""
    private let pipeline: String

    init(_ snapshot: PipelineSnapshot, pipeline: String) {
        self.pipeline = pipeline
        family("node_state", "gauge", "1 for the state that a node is in.")
        for node in snapshot.nodes {
            sample("node_state", [("node", node.id), ("state", node.state.state.rawValue)], 1)
        }
        let links = snapshot.links
        counts("link_open", "gauge", "Whether anybody wants what the link carries.", links) { $0.isOpen ? 1 : 0 }
        counts("link_offered_total", "counter", "Items offered to the link.", links) { $0.ledger.offered }
        counts("link_taken_total", "counter", "Items taken by the consumer.", links) { $0.ledger.taken }
        counts("link_queued", "gauge", "Items that wait.", links) { $0.ledger.queued }
        counts("link_queued_bytes", "gauge", "Bytes that wait.", links) { $0.queuedBytes }
        family("link_dropped_total", "counter", "Items dropped, by reason.")
        for link in links {
            for (reason, count) in link.ledger.drops {
                sample("link_dropped_total", [("link", Self.name(link)), ("reason", reason.name)], count)
            }
        }
    }

    /// What tells a link from all others.
    private static func name(_ link: PipelineSnapshot.LinkState) -> String {
        let key = link.key
        return "\(key)" + (key.position > 0 ? " [\(key.position)]" : "")
            + (key.subscription > 0 ? " for \(key.subscription)" : "")
    }

    private mutating func counts(
        _ name: String, _ type: String, _ help: String, _ links: [PipelineSnapshot.LinkState],
        _ count: (PipelineSnapshot.LinkState) -> Int
    ) {
        family(name, type, help)
        for link in links { sample(name, [("link", Self.name(link))], count(link)) }
    }

    private mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP campipe_\(name) \(help)\n# TYPE campipe_\(name) \(type)\n"
    }

    private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Int) {
        let all = [("pipeline", pipeline)] + labels
        let written = all.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += "campipe_\(name){\(written)} \(value)\n"
    }

    /// A label's value: backslash, quote and line feed are escaped.
    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
