import CampipeHTTP
import CampipeKit
import Testing

@testable import CampipeApp
@testable import CampipeRuntime

@Suite("Metrics")
struct MetricsTests {
    private func link(
        _ from: String, _ to: String, subscription: Int = 0, offered: Int, taken: Int, queued: Int = 0,
        dropped: [DropReason: Int] = [:]
    ) -> PipelineSnapshot.LinkState {
        var ledger = Ledger()
        ledger.offered = offered
        ledger.taken = taken
        ledger.queued = queued
        for (reason, count) in dropped { ledger.drop(reason, count) }
        let key = LinkKey(
            from: PlannedOutput(.explicit(from)), to: .explicit(to), subscription: Demand.ID(subscription))
        return PipelineSnapshot.LinkState(
            key: key, from: from, to: to, isOpen: true, ledger: ledger, queuedBytes: queued * 1000)
    }

    private func node(
        _ id: String, _ contract: NodeDescriptor.Contract, _ state: SourceStatus, ages: AgeHistogram? = nil,
        removed: [DropReason: Int] = [:], restarts: Int = 0
    ) -> PipelineSnapshot.Node {
        PipelineSnapshot.Node(
            key: .explicit(id), id: id, type: "x", contract: contract, isLive: true, state: state, ages: ages,
            removed: removed, restarts: restarts)
    }

    private func snapshot() -> PipelineSnapshot {
        var ages = AgeHistogram()
        for milliseconds in [1, 1, 3, 40, 2500] { ages.record(.milliseconds(milliseconds)) }
        return PipelineSnapshot(
            nodes: [
                node("front", .source, SourceStatus(.running), removed: [.notJPEG: 2, .overrun: 5]),
                node("yard", .source, SourceStatus(.waiting, reason: "no \"answer\"", retries: 3)),
                node("web", .sink, SourceStatus(.running), ages: ages),
                node("clips", .sink, SourceStatus(.failed)),
                node("nas", .sink, SourceStatus(.waiting, reason: "no room", retries: 2), restarts: 7),
            ],
            links: [
                link("front", "web", offered: 10, taken: 7, queued: 1, dropped: [.late: 2]),
                link("front", "web", subscription: 2, offered: 4, taken: 3, dropped: [.rate: 1]),
                link("yard", "clips", offered: 0, taken: 0),
            ], off: ["attic", "cellar"], formats: [:])
    }

    @Test("the text is as kept, and a strict reader of the format takes it")
    func text() throws {
        var snapshot = snapshot()
        // A decoder that is gone by now.
        let decoder = NodeKey.implicit(
            .decode, upstream: PlannedOutput(.explicit("front")), request: ConverterRequest(), owner: nil)
        snapshot.damaged = [.explicit("front"): 4, decoder: 6]
        var links = LinkTotals()
        links.update(snapshot)
        var counters = BroadcastFeed.Counters()
        (counters.viewers, counters.viewersTotal, counters.delivered) = (2, 9, 1234)
        (counters.deliveredBytes, counters.skipped, counters.stalled) = (98_765_432_100, 7, 1)
        var usage = ProcessUsage()
        usage.read(stat: "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 12 18 99 4096 5 0", pageSize: 4096)
        usage.cpuSeconds = 1.25
        (usage.openDescriptors, usage.maxDescriptors) = (31, 1024)
        var server = HTTPServer.Counters()
        (server.connections, server.accepted, server.refused) = (3, 40, 1)
        let metrics = PipelineMetrics(
            pipeline: "ho\"me\\\n", version: "0.1.0", started: 1_700_000_000.5, snapshot: snapshot, off: ["attic"],
            links: links, streams: [.init(node: "web", counters: counters)], server: server, usage: usage, copies: 3)
        #expect(try golden("Output/metrics.txt", metrics.text) == metrics.text)
        let read = try PrometheusText(metrics.text)
        let home = ["pipeline": "ho\"me\\\n"]
        #expect(read["campipe_link_offered_items_total", home.merging(["link": "front -> web"]) { $1 }] == 14)
        #expect(read.sum("campipe_source_state", ["node": "front"]) == 1)
        #expect(read.sum("campipe_source_state", ["node": "attic", "state": "off"]) == 1)
        #expect(read.sum("campipe_node_state", ["node": "nas", "state": "waiting"]) == 1)
        #expect(read.sum("campipe_node_state", ["node": "nas"]) == 1)
        #expect(read.sum("campipe_node_state", ["node": "cellar", "state": "off"]) == 1)
        #expect(read.sum("campipe_node_state", ["node": "attic"]) == 0)
        #expect(read.sum("campipe_node_restarts_total", ["node": "nas"]) == 7)
        #expect(read.sum("campipe_process_resident_memory_bytes") == 5 * 4096)
        #expect(read.sum("campipe_process_threads") == 12)
    }

    @Test("a sum over links never falls: not when one goes, nor when it counted on while it was put away")
    func monotonic() {
        var links = LinkTotals()
        var snapshot = snapshot()
        links.update(snapshot)
        let before = links.totals["front -> web"]
        #expect(before?.offered == 14 && before?.queuedBytes == 1000)
        // The second viewer goes; what was read of its link last was a little more than what is kept.
        let gone = snapshot.links.remove(at: 1)
        var ledger = gone.ledger
        ledger.offered -= 1
        ledger.taken -= 1
        snapshot.retired.add(gone.key, ledger)
        links.update(snapshot)
        #expect(links.totals["front -> web"]?.offered == 14)
        #expect(links.totals["front -> web"]?.dropped == [.late: 2, .rate: 1])
        // Another comes.
        snapshot.links.append(link("front", "web", subscription: 3, offered: 5, taken: 5))
        links.update(snapshot)
        #expect(links.totals["front -> web"]?.offered == 18)
        // The last one goes: what waits there waits until it is taken or dropped.
        let last = snapshot.links.remove(at: 0)
        let retired = snapshot.retired
        snapshot.retired.add(last.key, last.ledger)
        links.update(snapshot)
        #expect(links.totals["front -> web"]?.dropped == [.late: 2, .rate: 1])
        #expect(links.totals["front -> web"]?.queued == 1)
        var settled = last.ledger
        settled.queued -= 1
        settled.drop(.noDemand)
        snapshot.retired = retired
        snapshot.retired.add(last.key, settled)
        links.update(snapshot)
        #expect(links.totals["front -> web"]?.dropped == [.late: 2, .rate: 1, .noDemand: 1])
        #expect(links.totals["front -> web"]?.queued == 0)
    }

    @Test(
        "numbers are written so that every reader takes them",
        arguments: [
            (0, "0"), (-3, "-3"), (1.5, "1.5"), (98_765_432_100, "98765432100"), (1e21, "1e+21"),
            (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (0.001048575, "0.001048575"),
        ])
    func numbers(value: Double, text: String) { #expect(MetricsText.number(value) == text) }

    @Test("the process is told about from its own files")
    func process() throws {
        let usage = ProcessUsage.current
        #expect(usage.residentBytes > 1 << 20 && usage.virtualBytes > usage.residentBytes)
        #expect(usage.threads >= 1 && usage.cpuSeconds > 0)
        #expect(try #require(usage.openDescriptors) > 2)
        #expect(try #require(usage.maxDescriptors) >= 256)
    }
}
