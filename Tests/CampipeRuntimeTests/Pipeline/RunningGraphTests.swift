import CampipeKit
import Synchronization
import Testing

@testable import CampipeRuntime

/// What edits make of runners and links, without a turn of them.
@Suite struct RunningGraphTests {
    private let description = GraphDescription(
        name: "g",
        nodes: [
            .source("a", CountingSource.self), .transform("b", PassingTransform.self, from: "a"),
            .sink("c", CollectingSink.self, from: "b"), .sink("d", CollectingSink.self, from: "a"),
        ])

    private func running() -> (graph: RunningGraph, plan: Plan) {
        let environment = NodeEnvironment(pipeline: "g", clock: ManualClock(), log: .silent)
        let factory = RunnerFactory(
            graph: description, registry: Registry(), environment: environment, executor: SeededExecutor(seed: 1),
            threads: nil)
        var graph = RunningGraph(factory) { _, _ in }
        let plan = Planner(graph: description, registry: Registry()).plan(PlannerState(description))
        graph.perform(plan.edits(from: Plan()), replaced: [], failing: [], isClosing: false)
        return (graph, plan)
    }

    @Test("Who is nearer to a sink goes first; of several ways the longest counts")
    func ranks() {
        let (graph, plan) = running()
        graph.rank(by: plan)
        let ranks = graph.runners.mapValues { $0.rank.load(ordering: .relaxed) }
        #expect(ranks == [.explicit("a"): 2, .explicit("b"): 1, .explicit("c"): 0, .explicit("d"): 0])
    }

    @Test("Who has not ended is counted, whether he ends, goes or comes again")
    func counts() {
        let made = running()
        var graph = made.graph
        func counts() -> [Int] { [graph.running.nodes, graph.running.sources, graph.running.sinks] }
        #expect(counts() == [4, 1, 2])
        for key in [NodeKey.explicit("c"), .explicit("c"), .explicit("nobody")] { graph.hasEnded(key) }
        #expect(counts() == [3, 1, 1])
        for key in [NodeKey.explicit("c"), .explicit("d")] {
            graph.perform([.remove(key)], replaced: [], failing: [], isClosing: false)
        }
        #expect(counts() == [2, 1, 0])
        let again = made.plan.nodes.filter { $0.key == .explicit("c") }.map { Edit.add($0) }
        graph.perform(again, replaced: [], failing: [], isClosing: false)
        graph.hasEnded(.explicit("a"))
        #expect(counts() == [2, 0, 1])
    }

    @Test("What a runner reports that is gone is not taken for its successor's, but how it is")
    func reports() {
        let made = running()
        var graph = made.graph
        let key = NodeKey.explicit("b")
        let number = (1...4).first { graph.isCurrent(.ended(key, nil), $0) }
        graph.perform([.remove(key)], replaced: [], failing: [], isClosing: false)
        let again = made.plan.nodes.filter { $0.key == key }.map { Edit.add($0) }
        graph.perform(again, replaced: [], failing: [], isClosing: false)
        let error = CampipeError(.failed, "gone")
        let reports: [RunnerReport] = [
            .ended(key, nil), .demand(key), .gate(key, isOpen: true),
            .failed(key, error, stopsPipeline: false), .format(PlannedOutput(key), .packets(.jpeg)),
        ]
        for report in reports {
            #expect(number.map { graph.isCurrent(report, $0) } == false)
            #expect(graph.isCurrent(report, 5))
        }
        #expect(number.map { graph.isCurrent(.state(key, SourceStatus(.stopped)), $0) } == true)

    }
}
