import CampipeKit
import Testing

@testable import CampipeApp
@testable import CampipeRuntime

@Suite("The metrics")
struct MetricsTextTests {
    private func link(_ from: String, subscription: Demand.ID = 0, offered: Int = 0) -> PipelineSnapshot.LinkState {
        var ledger = Ledger()
        ledger.offered = offered
        ledger.taken = max(0, offered - 3)
        ledger.queued = min(offered, 1)
        if offered > 1 { ledger.drop(.noDemand, 2) }
        return PipelineSnapshot.LinkState(
            key: LinkKey(from: PlannedOutput(.explicit(from)), to: .explicit("web"), subscription: subscription),
            from: from, to: "web", isOpen: subscription == 0, ledger: ledger, queuedBytes: offered * 100)
    }

    @Test("each state and each ledger is a line, with its help and type once")
    func text() {
        let node = PipelineSnapshot.Node(
            key: .explicit("front"), id: "front", type: "test", contract: .source, isLive: true,
            state: SourceStatus(.running), ages: nil)
        let metrics = MetricsText(
            PipelineSnapshot(
                nodes: [node], links: [link("front", offered: 10), link("front", subscription: 2)], formats: [:]),
            pipeline: "home")
        #expect(
            metrics.text == """
                # HELP campipe_node_state 1 for the state that a node is in.
                # TYPE campipe_node_state gauge
                campipe_node_state{pipeline="home",node="front",state="running"} 1
                # HELP campipe_link_open Whether anybody wants what the link carries.
                # TYPE campipe_link_open gauge
                campipe_link_open{pipeline="home",link="front -> web"} 1
                campipe_link_open{pipeline="home",link="front -> web for 2"} 0
                # HELP campipe_link_offered_total Items offered to the link.
                # TYPE campipe_link_offered_total counter
                campipe_link_offered_total{pipeline="home",link="front -> web"} 10
                campipe_link_offered_total{pipeline="home",link="front -> web for 2"} 0
                # HELP campipe_link_taken_total Items taken by the consumer.
                # TYPE campipe_link_taken_total counter
                campipe_link_taken_total{pipeline="home",link="front -> web"} 7
                campipe_link_taken_total{pipeline="home",link="front -> web for 2"} 0
                # HELP campipe_link_queued Items that wait.
                # TYPE campipe_link_queued gauge
                campipe_link_queued{pipeline="home",link="front -> web"} 1
                campipe_link_queued{pipeline="home",link="front -> web for 2"} 0
                # HELP campipe_link_queued_bytes Bytes that wait.
                # TYPE campipe_link_queued_bytes gauge
                campipe_link_queued_bytes{pipeline="home",link="front -> web"} 1000
                campipe_link_queued_bytes{pipeline="home",link="front -> web for 2"} 0
                # HELP campipe_link_dropped_total Items dropped, by reason.
                # TYPE campipe_link_dropped_total counter
                campipe_link_dropped_total{pipeline="home",link="front -> web",reason="no_demand"} 2

                """)
    }

    @Test("what would end a label is escaped")
    func escaping() {
        let text = MetricsText(
            PipelineSnapshot(nodes: [], links: [link("a\"b\\c\nd")], formats: [:]), pipeline: "home"
        ).text
        #expect(text.contains(#"link="a\"b\\c\nd -> web""#))
    }
}
