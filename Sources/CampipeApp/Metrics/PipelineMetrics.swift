import CampipeHTTP
import CampipeKit
import CampipeRuntime

/// All that `/metrics` tells, as a pure function of what was looked at. Names are prefixed, units are base units, and
/// counters end in `_total` (prometheus.io/docs/practices/naming).
struct PipelineMetrics: Sendable {
    /// What one `http` sink has done for its viewers.
    struct Stream: Sendable {
        /// The sink's id.
        var node: String
        var counters: BroadcastFeed.Counters
    }

    /// The pipeline's name.
    var pipeline: String
    var version: String
    /// When the process began, in seconds since 1970.
    var started: Double
    var snapshot: PipelineSnapshot
    /// Sources that are switched off.
    var off: [String] = []
    var links: LinkTotals
    var streams: [Stream] = []
    var server = HTTPServer.Counters()
    var usage = ProcessUsage()
    /// Pictures that were copied since somebody wrote to a shared one.
    var copies = 0

    var families: [MetricFamily] { about + sources + nodes + linkFamilies + ages + viewers + process }

    var text: String { MetricsText.render(families) }

    private typealias Label = MetricFamily.Label

    private func of(_ node: String, _ more: Label...) -> [Label] {
        [Label("pipeline", pipeline), Label("node", node)] + more
    }

    private var about: [MetricFamily] {
        var build = MetricFamily(.gauge, "campipe_build_info", "Always 1; the version of campipe is its label.")
        build.add([Label("version", version)], 1)
        var ready = MetricFamily(
            .gauge, "campipe_ready", "Whether pictures flow where they are wanted and no node fails, as /readyz says.")
        ready.add([Label("pipeline", pipeline)], Readiness(snapshot).isReady ? 1 : 0)
        return [build, ready]
    }

    private var sources: [MetricFamily] {
        var state = MetricFamily(
            .gauge, "campipe_source_state", "1 for the state that a source is in, 0 for the others.")
        var retries = MetricFamily(
            .gauge, "campipe_source_retries", "Tries of a source since it last ran well.")
        let present = snapshot.nodes.filter { $0.contract == .source }.map { (id: $0.id, status: $0.state) }
        for (id, status) in present + off.map({ ($0, SourceStatus(.off)) }) {
            for one in SourceStatus.State.allCases {
                state.add(of(id, Label("state", one.rawValue)), status.state == one ? 1 : 0)
            }
            retries.add(of(id), status.retries)
        }
        return [state, retries]
    }

    private var nodes: [MetricFamily] {
        var state = MetricFamily(
            .gauge, "campipe_node_state", "1 for the state that a transform, join or sink is in, 0 for the others.")
        var restarts = MetricFamily(
            .counter, "campipe_node_restarts_total", "New instances that took the place of one that failed or was lost."
        )
        var removed = MetricFamily(
            .counter, "campipe_node_dropped_items_total",
            "Items that a node removed itself: pictures that a source refused, items that a node failed at.")
        var damaged = MetricFamily(
            .counter, "campipe_node_damaged_items_total",
            "Items that a node gave on marked as damaged: as they came, or as a decoder found them.")
        // A source says so too when there were none.
        let none = snapshot.nodes.filter { $0.contract == .source }.map { ($0.key, 0) }
        let counts = snapshot.damaged.merging(none) { known, _ in known }.map { ($0.key.description, $0.value) }
        for (id, count) in counts.sorted(by: { $0.0 < $1.0 }) { damaged.add(of(id), count) }
        for node in snapshot.nodes {
            if node.isNamed {
                restarts.add(of(node.id), node.restarts)
                for one in Self.states where node.contract != .source {
                    state.add(of(node.id, Label("state", one.rawValue)), node.state.state == one ? 1 : 0)
                }
            }
            for reason in DropReason.allCases {
                guard let count = node.removed[reason] else { continue }
                removed.add(of(node.id, Label("reason", reason.name)), count)
            }
        }
        for id in snapshot.off.subtracting(off).sorted() {
            for one in Self.states { state.add(of(id, Label("state", one.rawValue)), one == .off ? 1 : 0) }
        }
        return [state, restarts, removed, damaged]
    }

    /// Those of nodes that are no sources.
    private static let states: [SourceStatus.State] = [.connecting, .running, .waiting, .off, .stopped, .failed]

    private var linkFamilies: [MetricFamily] {
        var offered = MetricFamily(
            .counter, "campipe_link_offered_items_total",
            "Items offered to a link; what is not taken or dropped yet waits there.")
        var taken = MetricFamily(
            .counter, "campipe_link_taken_items_total", "Items that the consumer took from a link.")
        var dropped = MetricFamily(.counter, "campipe_link_dropped_items_total", "Items dropped on a link, by reason.")
        var queued = MetricFamily(.gauge, "campipe_link_queued_items", "Items that wait on a link.")
        var bytes = MetricFamily(.gauge, "campipe_link_queued_bytes", "Bytes of the items that wait on a link.")
        for (name, total) in links.totals.sorted(by: { $0.key < $1.key }) {
            let labels = [Label("pipeline", pipeline), Label("link", name)]
            offered.add(labels, total.offered)
            taken.add(labels, total.taken)
            for reason in DropReason.allCases {
                guard let count = total.dropped[reason] else { continue }
                dropped.add(labels + [Label("reason", reason.name)], count)
            }
            queued.add(labels, total.queued)
            bytes.add(labels, total.queuedBytes)
        }
        return [offered, taken, dropped, queued, bytes]
    }

    private var ages: [MetricFamily] {
        var ages = MetricFamily(
            .histogram, "campipe_sink_age_seconds", "How old live items are when they reach a sink: glass to sink.")
        for node in snapshot.nodes where node.contract == .sink && node.isLive {
            guard let histogram = node.ages else { continue }
            ages.add(
                of(node.id), buckets: histogram.doublings.map { (Double($0.atMost.nanoseconds) / 1e9, $0.count) },
                sum: Double(histogram.nanoseconds) / 1e9, count: histogram.count)
        }
        return [ages]
    }

    private var viewers: [MetricFamily] {
        var viewers = MetricFamily(.gauge, "campipe_http_viewers", "Viewers of a stream now.")
        var joined = MetricFamily(.counter, "campipe_http_viewers_total", "Viewers of a stream that ever came.")
        var delivered = MetricFamily(
            .counter, "campipe_http_delivered_pictures_total", "Pictures that went out whole, of all viewers.")
        var bytes = MetricFamily(.counter, "campipe_http_delivered_bytes_total", "Bytes of these pictures.")
        var skipped = MetricFamily(
            .counter, "campipe_http_skipped_pictures_total", "Pictures that viewers missed since they were slow.")
        var stalled = MetricFamily(
            .counter, "campipe_http_stalled_viewers_total", "Viewers that were closed since they took nothing.")
        for stream in streams {
            let (labels, counters) = (of(stream.node), stream.counters)
            viewers.add(labels, counters.viewers)
            joined.add(labels, counters.viewersTotal)
            delivered.add(labels, counters.delivered)
            bytes.add(labels, counters.deliveredBytes)
            skipped.add(labels, counters.skipped)
            stalled.add(labels, counters.stalled)
        }
        var connections = MetricFamily(.gauge, "campipe_http_connections", "Connections to the server now.")
        connections.add([], server.connections)
        var accepted = MetricFamily(.counter, "campipe_http_connections_total", "Connections that the server took.")
        accepted.add([], server.accepted)
        var refused = MetricFamily(
            .counter, "campipe_http_refused_connections_total", "Connections turned away since there were too many.")
        refused.add([], server.refused)
        return [viewers, joined, delivered, bytes, skipped, stalled, connections, accepted, refused]
    }

    private var process: [MetricFamily] {
        func one(_ kind: MetricFamily.Kind, _ name: String, _ help: String, _ value: Double?) -> MetricFamily {
            var family = MetricFamily(kind, "campipe_process_\(name)", help)
            if let value { family.add([], value) }
            return family
        }
        var copied = MetricFamily(
            .counter, "campipe_copied_pictures_total", "Pictures copied since somebody wrote to a shared one.")
        copied.add([], copies)
        return [
            copied,
            one(.counter, "cpu_seconds_total", "CPU time of the process, user and system.", usage.cpuSeconds),
            one(.gauge, "resident_memory_bytes", "Memory that is in use.", Double(usage.residentBytes)),
            one(.gauge, "virtual_memory_bytes", "Address space.", Double(usage.virtualBytes)),
            one(.gauge, "open_fds", "Open file descriptors.", usage.openDescriptors.map(Double.init)),
            one(.gauge, "max_fds", "How many file descriptors may be open.", usage.maxDescriptors.map(Double.init)),
            one(.gauge, "threads", "Threads.", Double(usage.threads)),
            one(.gauge, "start_time_seconds", "When the process began, in seconds since 1970.", started),
        ]
    }
}
