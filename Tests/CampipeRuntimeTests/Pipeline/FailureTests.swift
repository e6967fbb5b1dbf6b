import CampipeKit
import Testing

@testable import CampipeRuntime

/// What becomes of a node that fails, by its `on_error` (design 4.5).
@Suite struct FailureTests {
    private func pipeline(_ onError: OnError, live: Bool = false) -> TestPipeline {
        var failing = NodeDescription.transform("b", FailingTransform.self, from: "a", ["every": "10"])
        failing.onError = onError
        return TestPipeline([
            .source("a", CountingSource.self, ["count": "40", "live": "\(live)", "rate": live ? "10" : "0"]),
            failing, .sink("c", CollectingSink.self, from: "b"),
        ])
    }

    @Test("restart puts a new instance in its place, and loses the one item at which it failed")
    func restart() {
        let test = pipeline(.restart)
        test.start()
        test.run(for: .seconds(600))
        #expect(test.collector.numbers("c") == (0..<40).filter { $0 == 0 || $0 % 10 != 0 })
        #expect(
            test.collector["b"] == [.opened, .finished, .opened, .finished, .opened, .finished, .opened, .finished])
        let gaps = test.collector["c"].compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
        #expect(gaps.map(\.count) == [1, 1, 1])
        #expect(gaps.allSatisfy { $0.reasons.contains(.failed) })
        // Three were lost: the run did not keep what it was to keep.
        #expect(test.outcome?.isClean == false)
        #expect(test.outcome?.failures.map(\.node) == ["b"] && test.outcome?.failures.first?.count == 3)
        #expect(test.outcome?.failures.first?.error.description == "at 30")
        #expect(test.pipeline.snapshot.lostItems(of: "b") == 3)
        #expect(test.pipeline.snapshot.nodes.first { $0.id == "b" }?.restarts == 3)
    }

    @Test("A node that was started again is connecting, and tells the cause, until it has run well")
    func statesOfRestart() {
        let test = pipeline(.restart, live: true)
        test.start()
        test.run(for: .seconds(60))
        let states = test.states["b"] ?? []
        #expect(states.prefix(4).map(\.state) == [.running, .waiting, .connecting, .waiting])
        #expect(states.prefix(4).map(\.retries) == [0, 1, 1, 2])
        #expect(states[1...2].allSatisfy { $0.reason == "at 10" })
    }

    @Test("A node that waits for its restart is shown so, with the reason and the retries")
    func visible() {
        let test = pipeline(.restart)
        test.start()
        test.run(for: .milliseconds(1))
        #expect(test.states["b"]?.map(\.state) == [.running, .waiting])
        #expect(test.states["b"]?.last?.reason?.contains("at 10") == true)
        #expect(test.states["b"]?.last?.retries == 1)
        #expect(test.states["b"]?.last?.retryAt != nil)
    }

    @Test("skip drops the item with a gap and goes on with the same instance")
    func skip() {
        let test = pipeline(.skip)
        test.start()
        test.run()
        #expect(test.collector.numbers("c") == (0..<40).filter { $0 == 0 || $0 % 10 != 0 })
        #expect(test.collector["b"] == [.opened, .finished])
        #expect(test.outcome?.isClean == true)
    }

    @Test("Each skipped item is told of, the last ones at the end")
    func skippedAreTold() {
        var failing = NodeDescription.transform("b", FailingTransform.self, from: "a", ["every": "10"])
        failing.onError = .skip
        let entries = Lock<[Log.Entry]>([])
        let test = TestPipeline(
            [.source("a", CountingSource.self, ["count": "40"]), failing, .sink("c", CollectingSink.self, from: "b")],
            log: Log(level: .warning) { entry in entries.withLock { $0.append(entry) } })
        test.start()
        test.run()
        let told = entries.withLock { $0 }.filter { $0.message == "an item failed and was skipped" }
        let counts = told.compactMap { entry in entry.facts.first { $0.key == "count" }?.value }
        #expect(counts == ["1", "2"])
        #expect(told.allSatisfy { $0.facts.contains { $0.key == "cause" && $0.value.hasPrefix("at ") } })
    }

    @Test("stop stops the pipeline, and its outcome names the node and the cause")
    func stop() {
        let test = pipeline(.stop)
        test.start()
        test.run()
        #expect(test.collector.numbers("c") == Array(0..<10))
        #expect(test.outcome?.failures.map(\.node) == ["b"])
        #expect(test.outcome?.failures.first?.error.description.contains("at 10") == true)
        #expect(test.outcome?.stragglers == [])
        #expect(test.collector["c"].last == .finished)
    }

    @Test("A pipeline that stops does not wait for the restart of a node of a live stream")
    func stopWhileWaiting() {
        let test = pipeline(.restart, live: true)
        test.start()
        test.run(for: .milliseconds(1001))
        let before = test.clock.now
        test.pipeline.stop()
        test.executor.run()
        #expect(test.outcome?.failures.map(\.node) == ["b"] && test.outcome?.failures.first?.count == 1)
        #expect(test.outcome?.stragglers == [])
        #expect(test.clock.now == before)
        #expect(test.states["b"]?.last?.state == .failed)
    }

    @Test("A node of a live stream that fails while the pipeline stops is not started again: it ends at once")
    func failsWhileStopping() {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "40", "live": "true", "rate": "10"]),
            .sink("c", LastWordSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .milliseconds(350))
        let before = test.clock.now
        // It learns of the stop before its last item reaches it.
        test.runner { $0 == .explicit("c") }?.perform { $0.stop() }
        test.executor.run()
        test.run(for: .milliseconds(100))
        #expect(test.states["c"]?.last?.state == .failed)
        #expect(test.clock.now <= before + .milliseconds(100))
        #expect(test.states["c"]?.contains { $0.state == .waiting } == false)
        #expect(test.outcome?.failures.map(\.node) == ["c"])
    }

    @Test("What is not live and waits for its restart goes on at once when the pipeline stops, and loses nothing more")
    func stopWhileBatchWaits() {
        let test = pipeline(.restart)
        test.start()
        test.run(for: .milliseconds(1))
        #expect(test.states["b"]?.last?.state == .waiting)
        let before = test.clock.now
        test.pipeline.stop()
        test.executor.run()
        #expect(test.clock.now == before && test.outcome?.stragglers == [])
        let numbers = test.collector.numbers("c")
        #expect(numbers == (0..<40).filter { $0 == 0 || $0 % 10 != 0 }.prefix(numbers.count).map(\.self))
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.dropped == 0 && $0.ledger.queued == 0 })
    }

    @Test(
        "A batch whose node fails again and again ends, with the cause; a camera's goes on trying",
        arguments: [false, true])
    func bounded(live: Bool) {
        let test = TestPipeline([
            .source("a", CountingSource.self, ["count": "10000", "live": "\(live)", "rate": live ? "10" : "0"]),
            .sink("c", FailingSink.self, from: "a"),
        ])
        test.start()
        test.run(for: .seconds(300))
        if live {
            #expect(test.outcome == nil)
            #expect(test.pipeline.snapshot.nodes.first { $0.id == "c" }?.restarts ?? 0 > 8)
        } else {
            #expect(test.outcome?.failures.map(\.node) == ["c"])
            #expect(test.outcome?.failures.first?.error.description == "no room")
            #expect(test.outcome?.failures.first?.count == 4)
            #expect(test.clock.now < .zero + .seconds(8))
        }
    }

    @Test("What a sink could not write when it was finished is a failure of the run")
    func unfinished() {
        let test = TestPipeline([.source("a", CountingSource.self), .sink("c", UnfinishableSink.self, from: "a")])
        test.start()
        test.run()
        #expect(test.outcome?.failures.map(\.node) == ["c"])
        #expect(test.outcome?.failures.first?.error.description == "no room for the end")
        #expect(test.states["c"]?.last?.state == .failed)
    }

    @Test(
        "What a node took and lost with what it had begun counts as lost, at an item, at the end, and while it waited")
    func lostItems() {
        for live in [false, true] {
            for count in [13, 200] {
                let test = TestPipeline([
                    .source(
                        "a", CountingSource.self, ["count": "\(count)", "live": "\(live)", "rate": live ? "50" : "0"]),
                    .sink("c", LosingSink.self, from: "a"),
                ])
                test.start()
                test.run(for: .seconds(3000))
                let snapshot = test.pipeline.snapshot
                let offered = snapshot.links.reduce(0) { $0 + $1.ledger.offered }
                #expect(test.outcome?.isClean == false)
                #expect(snapshot.lostItems(of: "c") == offered)
                #expect(test.outcome?.unread == (!live && count == 200 ? ["a"] : []))
            }
        }
    }

    @Test("Who keeps all and is too slow for it says so, less and less often, to the last item, with count and reason")
    func tooSlow() {
        let entries = Lock<[Log.Entry]>([])
        let test = TestPipeline(
            [
                .source("a", CountingSource.self, ["count": "20000", "live": "true", "rate": "20"]),
                .sink("c", SlowKeepingSink.self, from: "a"),
            ], log: Log(level: .info) { entry in entries.withLock { $0.append(entry) } })
        test.start()
        test.run(for: .seconds(3000))
        #expect(test.outcome != nil)
        let said = entries.withLock { $0 }.filter { $0.message == "too slow for what comes, items were lost" }
        #expect((4...8).contains(said.count), "\(said.count)")
        let told = said.reduce(0) { sum, entry in
            sum + (entry.facts.first { $0.key == "count" }.flatMap { Int($0.value) } ?? 0)
        }
        #expect(told == test.pipeline.snapshot.links.reduce(0) { $0 + $1.ledger.dropped(.full) })
        for entry in said {
            #expect(entry.level == .error)
            let facts = Dictionary(entry.facts.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
            #expect(facts["node"] == "c" && facts["reasons"] == "full" && Int(facts["count"] ?? "") ?? 0 > 0)
        }
    }

    @Test("A new instance of an inter-coded stream begins at a keyframe, and what it passes over is counted")
    func restartAtKeyframe() {
        let journal = Journal()
        let test = TestPipeline(
            [
                .source("a", DrawnSource.self, ["count": "9", "coding": "h264", "group": "5"]),
                .transform("b", DrawnTransform.self, from: "a", ["fail_every": "3"]),
                .sink("c", DrawnSink.self, from: "b", ["keeps": "true"]),
            ], services: { $0.add(journal) })
        test.start()
        test.run(for: .seconds(600))
        let numbers = journal["c"].entries.compactMap { if case .item(let ticks, _) = $0 { ticks / 1000 } else { nil } }
        #expect(numbers == [1, 2, 6, 7])
        #expect(journal["c"].arrived == 9)
        let removed = test.pipeline.snapshot.nodes.first { $0.id == "b" }?.removed
        #expect(removed == [.failed: 2, .brokenReference: 3])
    }

    @Test("A skipped packet of an inter-coded stream takes those that need it with it")
    func skipToKeyframe() {
        var failing = NodeDescription.transform("b", DrawnTransform.self, from: "a", ["fail_every": "3"])
        failing.onError = .skip
        let journal = Journal()
        let test = TestPipeline(
            [
                .source("a", DrawnSource.self, ["count": "9", "coding": "h264", "group": "5"]), failing,
                .sink("c", DrawnSink.self, from: "b", ["keeps": "true"]),
            ], services: { $0.add(journal) })
        test.start()
        test.run()
        // The third fails, the two behind it need it; the next group begins with the third that it is given again.
        let numbers = journal["c"].entries.compactMap { if case .item(let ticks, _) = $0 { ticks / 1000 } else { nil } }
        #expect(numbers == [1, 2, 6, 7])
        #expect(journal["c"].arrived == 9)
    }

    @Test("A node of what is not live that cannot be opened fails at once: nothing can wait for it")
    func unopenable() {
        let test = TestPipeline([
            .source("a", CountingSource.self), .transform("b", UnopenableTransform.self, from: "a"),
            .sink("c", CollectingSink.self, from: "b"),
        ])
        test.start()
        test.run()
        #expect(test.outcome?.failures.map(\.node) == ["b"])
        #expect(test.outcome?.stragglers == [])
        #expect(test.clock.now == .zero)
    }

    // MARK: Further main inputs

    private static func links(to id: String, _ test: TestPipeline) -> [Link] {
        test.pipeline.runners.flatMap { $0.outlets.flatMap(\.links) }.filter { $0.key.to == .explicit(id) }
    }

    private static func gaps(_ id: String, _ test: TestPipeline) -> [Gap] {
        test.collector[id].compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
    }

    @Test("What waits on the other inputs of a node that fails is dropped as failed, and behind it a gap tells of it")
    func furtherInputs() {
        var waited = 0
        for seed in 1...20 {
            let journal = Journal()
            var failing = NodeDescription(
                id: "b", registration: DrawnNodes.transform, options: Value.ValueMap(["fail_every": "25"]),
                inputs: [InputDescription(from: [PortReference("a"), PortReference("a2"), PortReference("a3")])])
            failing.onError = .stop
            journal["b"].hasManyInputs = true
            let test = TestPipeline(
                [
                    .source("a", CountingSource.self, ["count": "60"]),
                    .source("a2", CountingSource.self, ["count": "60"]),
                    .source("a3", CountingSource.self, ["count": "60"]), failing,
                    .sink("c", CollectingSink.self, from: "b"),
                ], seed: UInt64(seed), services: { $0.add(journal) })
            test.start()
            var links: [Link] = []
            while links.count < 3, test.executor.step() { links = Self.links(to: "b", test) }
            test.run()
            #expect(test.outcome?.failures.map(\.node) == ["b"])
            #expect(links.allSatisfy { $0.ledger.isBalanced && $0.ledger.queued == 0 })
            #expect(links.reduce(0) { $0 + $1.ledger.taken } == journal["b"].received)
            let dropped = links.reduce(0) { $0 + $1.ledger.dropped(.failed) }
            let missed = Self.gaps("c", test)
            #expect(missed.reduce(0) { $0 + $1.count } == dropped + 1)
            #expect(missed.allSatisfy { $0.reasons == DropReasons(.failed) })
            #expect(test.collector.numbers("c").count + dropped + 1 == journal["b"].received + dropped)
            waited += dropped
        }
        #expect(waited > 0)
    }

    @Test("A restart, a skip: the other inputs lose nothing", arguments: [OnError.restart, .skip])
    func furtherInputsGoOn(onError: OnError) {
        for seed in 1...20 {
            let journal = Journal()
            var failing = NodeDescription(
                id: "b", registration: DrawnNodes.transform, options: Value.ValueMap(["fail_every": "35"]),
                inputs: [InputDescription(from: [PortReference("a"), PortReference("a2")])])
            failing.onError = onError
            journal["b"].hasManyInputs = true
            let test = TestPipeline(
                [
                    .source("a", CountingSource.self, ["count": "60"]),
                    .source("a2", CountingSource.self, ["count": "60"]), failing,
                    .sink("c", CollectingSink.self, from: "b"),
                ], seed: UInt64(seed), services: { $0.add(journal) })
            test.start()
            test.run(for: .seconds(600))
            #expect(test.outcome?.failures.map(\.count) == (onError == .restart ? [3] : []))
            #expect(journal["b"].received == 120)
            #expect(test.collector.numbers("c").count == 117)
            #expect(Self.gaps("c", test).reduce(0) { $0 + $1.count } == 3)
            #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced && $0.ledger.dropped == 0 })
        }
    }

    @Test("A node that one input feeds what it cannot take gets all that came before, on its other inputs too")
    func furtherInputsUnfit() {
        for seed in 1...20 {
            let test = TestPipeline(
                [
                    .source("a", ShapeSource.self, ["stretches": "jpeg 640 50,h264 640 20"]),
                    .source("b", ShapeSource.self, ["stretches": "jpeg 640 2000"]),
                    NodeDescription(
                        id: "k", registration: Registration(sink: JPEGCollectingSink.self),
                        inputs: [InputDescription(from: [PortReference("a"), PortReference("b")])]),
                    .sink("raw", CollectingSink.self, from: "b"),
                ], seed: UInt64(seed))
            test.start()
            var links: [Link] = []
            while links.count < 2, test.executor.step() { links = Self.links(to: "k", test) }
            test.run()
            #expect(test.outcome?.failures.map(\.node) == ["k"])
            #expect(links.allSatisfy { $0.ledger.isBalanced && $0.ledger.queued == 0 })
            let taken = links.reduce(0) { $0 + $1.ledger.taken }
            #expect(test.collector.numbers("k").count == taken)
            #expect(links.first { $0.key.from.node == .explicit("a") }?.ledger.taken == 50)
            #expect(links.allSatisfy { $0.ledger.dropped == 0 } && Self.gaps("k", test).isEmpty)
            #expect(test.collector["k"].last == .finished)
            #expect(test.collector.numbers("raw") == Array(0..<2000))
        }
    }

    @Test(
        "A skipped packet of one input takes those that need it with it, and none of another input", arguments: 1...10)
    func skipOfOneInput(seed: Int) {
        let journal = Journal()
        var failing = NodeDescription(
            id: "b", registration: DrawnNodes.transform, options: Value.ValueMap(["fail_every": "25"]),
            inputs: [
                // Short links, so that the inputs take turns.
                InputDescription(
                    from: [PortReference("a"), PortReference("a2")], link: LinkOptions(whenFull: .block, maxItems: 2))
            ])
        failing.onError = .skip
        journal["b"].hasManyInputs = true
        journal["c"].hasManyInputs = true
        let group = ["count": "20", "coding": "h264", "group": "20"]
        let test = TestPipeline(
            [
                .source("a", DrawnSource.self, group), .source("a2", DrawnSource.self, group), failing,
                .sink("c", DrawnSink.self, from: "b", ["keeps": "true"]),
            ], seed: UInt64(seed), services: { $0.add(journal) })
        test.start()
        test.run()
        let numbers = journal["c"].entries.compactMap { if case .item(let ticks, _) = $0 { ticks / 1000 } else { nil } }
        // All of the one, and of the other what came before.
        #expect(Set(numbers) == Set(1...20))
        #expect(numbers.count == journal["b"].received - 1)
        #expect(journal["b"].arrived == 40 && journal["c"].arrived == 40)
    }
}
