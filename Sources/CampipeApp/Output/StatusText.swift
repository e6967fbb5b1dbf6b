import CampipeKit
import CampipeRuntime

/// The state of a pipeline in one line: `front running 15/s | web 42ms old | dropped 3 | damaged 2`.
enum StatusText {
    /// What had gone into each link at some moment.
    struct Counts: Sendable {
        fileprivate var instant: Instant
        fileprivate var offered: [LinkKey: Int] = [:]

        init(at instant: Instant = .zero) { self.instant = instant }

        init(_ snapshot: PipelineSnapshot, at instant: Instant) {
            self.instant = instant
            for link in snapshot.links { offered[link.key] = link.ledger.offered }
        }
    }

    /// - Parameters:
    ///   - now: The counts of this snapshot.
    ///   - before: Those of the line before; rates are what came since.
    static func line(_ snapshot: PipelineSnapshot, _ now: Counts, since before: Counts) -> String {
        var parts = snapshot.nodes.filter { $0.contract == .source }.map { node in
            source(node, rate: rate(of: node.key, now, since: before))
        }
        for node in snapshot.nodes where node.contract != .source {
            if Readiness.isFailing(node.state) {
                parts.append(failing(node))
            } else if node.contract == .sink, node.isLive, let age = node.ages?.percentile(0.5) {
                parts.append("\(node.id) \(age.nanoseconds / 1_000_000)ms old")
            }
        }
        let lost = lost(in: snapshot)
        if lost > 0 { parts.append("dropped \(lost)") }
        if snapshot.damagedPictures > 0 { parts.append("damaged \(snapshot.damagedPictures)") }
        return parts.joined(separator: " | ")
    }

    private static func source(_ node: PipelineSnapshot.Node, rate: Double) -> String {
        let state = node.state
        if state.state == .running { return "\(node.id) running \(Int(rate.rounded()))/s" }
        return failing(node)
    }

    private static func failing(_ node: PipelineSnapshot.Node) -> String {
        let state = node.state
        return "\(node.id) \(state.state.rawValue)" + (state.reason.map { " (\(shortened($0)))" } ?? "")
    }

    /// The log has all of it.
    private static func shortened(_ reason: String) -> String {
        reason.count <= 60 ? reason : reason.prefix(59) + "…"
    }

    /// Items a second out of a node, on its busiest link.
    private static func rate(of node: NodeKey, _ now: Counts, since before: Counts) -> Double {
        let seconds = (now.instant - before.instant).seconds
        guard seconds > 0 else { return 0 }
        let most = now.offered.filter { $0.key.from.node == node }.map { $0.value - (before.offered[$0.key] ?? 0) }
            .max()
        return Double(most ?? 0) / seconds
    }

    /// What was dropped though somebody wanted it; a newer picture in the place of an older one is as it should be.
    private static func lost(in snapshot: PipelineSnapshot) -> Int {
        let harmless: Set<DropReason> = [.noDemand, .superseded, .rate, .gated, .filtered, .sampled, .stopped]
        return snapshot.links.reduce(0) { sum, link in
            link.ledger.drops.reduce(sum) { $0 + (harmless.contains($1.reason) ? 0 : $1.count) }
        }
    }
}
