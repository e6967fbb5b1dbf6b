import CampipeConfig
import CampipeKit
import CampipeNodes

extension PipelineDescription {
    /// Why nodes are off, by their ids, in words that follow "ID is off: ".
    var offReasons: [String: String] {
        var reasons: [String: String] = [:]
        for node in nodes { if let cause = node.off { reasons[node.id] = cause.text } }
        return reasons
    }

    /// Why nodes fail from the start, by their ids: their plugins are refused.
    var failures: [String: String] {
        var failures: [String: String] = [:]
        for node in nodes { if let failure = node.failure { failures[node.id] = failure } }
        return failures
    }

    /// What stands in for `http` sinks that are off because of others; one that is itself switched off leaves its path
    /// free.
    var offStreams: [OffStream] {
        nodes.flatMap { node -> [OffStream] in
            guard let reason = node.off?.reason else { return [] }
            var access: String?
            if case .scalar(let scalar) = node.options["access"] { access = scalar.text }
            return node.inspection.httpPaths.map { OffStream(path: $0, reason: reason, access: access) }
        }
    }
}
