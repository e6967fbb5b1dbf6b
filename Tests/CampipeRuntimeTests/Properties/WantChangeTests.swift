import CampipeKit
import Testing

@testable import CampipeRuntime

/// What is not live loses nothing when wants change and the converters behind it are replaced (design 4.1, 4.4).
@Suite struct WantChangeTests {
    @Test(
        "A viewer of a file who wants more gets each picture once and in order, first as small as before",
        arguments: 1...8)
    func grows(seed: Int) throws {
        let viewers = Viewers()
        viewers.initial = Want(maxWidth: 160)
        let test = TestPipeline(
            [.source("a", ShapeSource.self, ["stretches": "jpeg 1280 200"]), .sink("web", ViewerSink.self, from: "a")],
            registry: ShapeConverters.registry, seed: UInt64(seed), services: { $0.add(viewers) })
        test.start()
        while viewers.numbers("web", 1).count < 20, test.executor.step() {}
        let first = try #require(viewers.numbers("web", 1).first)
        viewers.demand("web")?.set(1, Want(maxWidth: 640))
        test.run()
        #expect(test.outcome?.isClean == true)
        #expect(viewers.numbers("web", 1) == Array(first..<200))
        let widths = viewers.pictures.filter { $0.subscription == 1 }.map(\.width)
        #expect(widths == widths.sorted() && Set(widths) == [160, 640])
        // He who wants all from the start is not disturbed.
        #expect(viewers.numbers("web", 0) == Array(0..<200))
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced && $0.ledger.dropped == 0 })
    }

    /// A file with one viewer of narrow pictures, some of which he has seen.
    private static func narrow(seed: Int) -> (test: TestPipeline, viewers: Viewers) {
        let viewers = Viewers()
        viewers.initial = Want(maxWidth: 160)
        let test = TestPipeline(
            [.source("a", ShapeSource.self, ["stretches": "jpeg 1280 400"]), .sink("web", ViewerSink.self, from: "a")],
            registry: ShapeConverters.registry, seed: UInt64(seed), services: { $0.add(viewers) })
        test.start()
        while viewers.numbers("web", 1).count < 20, test.executor.step() {}
        return (test, viewers)
    }

    @Test(
        "A viewer who takes back what he asked for, while the old way runs dry, gets what he asked for last",
        arguments: 1...8)
    func takesBack(seed: Int) {
        let (test, viewers) = Self.narrow(seed: seed)
        viewers.demand("web")?.set(1, Want(maxWidth: 640))
        func isWaiting() -> Bool {
            test.pipeline.runners.contains { $0.outlets.flatMap(\.links).contains(where: \.isReplaced) }
        }
        while !isWaiting(), test.executor.step() {}
        #expect(isWaiting())
        viewers.demand("web")?.set(1, Want(maxWidth: 160))
        test.run()
        #expect(test.outcome?.isClean == true)
        let pictures = viewers.pictures.filter { $0.subscription == 1 }
        #expect(pictures.map(\.number) == Array((pictures.first?.number ?? 0)..<400))
        #expect(pictures.last?.width == 160)
    }

    @Test(
        "A viewer who changes his mind at once gets what he asked for last, whatever others ask for", arguments: 1...8)
    func changesHisMind(seed: Int) {
        let (test, viewers) = Self.narrow(seed: seed)
        viewers.demand("web")?.set(2, Want(maxWidth: 160))
        while viewers.numbers("web", 2).count < 5, test.executor.step() {}
        viewers.demand("web")?.set(1, Want(maxWidth: 640))
        viewers.demand("web")?.set(1, Want(maxWidth: 160))
        viewers.demand("web")?.set(2, Want(maxWidth: 960))
        test.run()
        #expect(test.outcome?.isClean == true)
        #expect(viewers.pictures.last { $0.subscription == 1 }?.width == 160)
        #expect(viewers.pictures.last { $0.subscription == 2 }?.width == 960)
    }

    @Test(
        "A viewer who comes to a chain that just ran dry does not hold up the change that waited for that",
        arguments: 1...8)
    func comesToTheEnd(seed: Int) {
        let (test, viewers) = Self.narrow(seed: seed)
        viewers.demand("web")?.set(1, Want(maxWidth: 640))
        func isDry() -> Bool {
            test.runner { if case .implicit(.encode, _, _, _) = $0 { true } else { false } }?.state.state == .stopped
        }
        while !isDry(), test.executor.step() {}
        #expect(isDry())
        // He wants what that chain made, and so is linked to its end.
        viewers.demand("web")?.set(2, Want(maxWidth: 160))
        test.run()
        #expect(test.outcome?.isClean == true)
        #expect(viewers.numbers("web", 1).last == 399 && viewers.numbers("web", 2).last == 399)
    }

    @Test(
        "Who has had all is not linked to what others still wait for, whatever is asked for him then", arguments: 1...8)
    func asksTooLate(seed: Int) {
        let viewers = Viewers()
        let test = TestPipeline(
            [
                .source("a", ShapeSource.self, ["stretches": "jpeg 1280 400"]),
                .sink("w", ViewerSink.self, from: "a"), .sink("v", ViewerSink.self, from: "a"),
            ], registry: ShapeConverters.registry, seed: UInt64(seed), services: { $0.add(viewers) })
        test.start()
        while viewers.demand("v") == nil, test.executor.step() {}
        viewers.demand("v")?.set(0, Want(maxWidth: 160))
        func hasEnded() -> Bool { test.runner { $0 == .explicit("w") }?.state.state == .stopped }
        while !hasEnded(), test.executor.step() {}
        #expect(hasEnded())
        viewers.demand("w")?.set(0, Want(maxWidth: 160))
        test.run()
        #expect(test.outcome?.isClean == true)
        #expect(viewers.numbers("v", 0) == Array(0..<400) && viewers.numbers("w", 0) == Array(0..<400))
        let snapshot = test.pipeline.snapshot
        #expect(snapshot.links.allSatisfy { $0.ledger.dropped == 0 })
        #expect(snapshot.retired.ledgers.values.allSatisfy { $0.dropped == 0 && $0.offered == $0.taken })
    }

    @Test("Whoever comes, goes or wants something else, nothing that is not live is dropped", arguments: 0..<8)
    func losesNothing(part: Int) {
        for seed in part * 5..<(part + 1) * 5 {
            let wrongs = Self.wrongs(seed: UInt64(seed))
            guard wrongs.isEmpty else {
                Issue.record("\(wrongs.joined(separator: "\n"))")
                return
            }
        }
    }

    /// Runs a graph drawn by a seed to its end, whose viewers change their minds and whose formats change too.
    ///
    /// - Returns: What was wrong.
    private static func wrongs(seed: UInt64) -> [String] {
        var random = SplitMix(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func link() -> LinkOptions { number(0...2) == 0 ? LinkOptions(maxItems: number(1...6)) : LinkOptions() }
        func want() -> Want { Want(maxWidth: [160, 320, 640, 960, nil][number(0...4)]) }
        var total = 0
        let stretches = (0..<number(1...4)).map { _ -> String in
            let count = number(20...120)
            total += count
            return "\(number(0...4) == 0 ? "h264" : "jpeg") \([100, 320, 640, 1280][number(0...3)]) \(count)"
        }
        var nodes: [NodeDescription] = [
            .source("a", ShapeSource.self, ["stretches": stretches.joined(separator: ",")])
        ]
        var webs: [String] = []
        var sinks: [String] = []
        for index in 0..<number(1...4) {
            switch number(0...4) {
            case 0:
                // What is wanted of it, it wants itself, so that the chain in front of it changes with its viewers.
                nodes.append(.transform("t\(index)", AskingTransform.self, from: "a", link: link()))
                nodes.append(.sink("w\(index)", ViewerSink.self, from: "t\(index)", link: link()))
                nodes.append(.sink("v\(index)", ViewerSink.self, from: "t\(index)"))
                webs += ["w\(index)", "v\(index)"]
            case 1:
                nodes.append(.sink("k\(index)", FrameSink.self, from: "a", ["width": "320"], link: link()))
                sinks.append("k\(index)")
            default:
                nodes.append(.sink("w\(index)", ViewerSink.self, from: "a", link: link()))
                webs.append("w\(index)")
            }
        }
        let viewers = Viewers()
        let test = TestPipeline(
            nodes, registry: ShapeConverters.registry, seed: seed, services: { $0.add(viewers) })
        test.start()
        var turns = 0
        var links: [ObjectIdentifier: Link] = [:]
        // Who comes back begins anew, maybe with what was on its way before.
        var left: Set<String> = []
        while test.outcome == nil, turns < 100_000 {
            if turns % 8 == 0 {
                for link in test.pipeline.runners.flatMap({ $0.outlets.flatMap(\.links) }) {
                    links[ObjectIdentifier(link)] = link
                }
            }
            guard test.executor.step() else {
                guard let next = test.clock.nextTimer else { break }
                test.clock.advance(to: max(next, test.clock.now))
                continue
            }
            turns += 1
            if number(0...19) == 0, !webs.isEmpty {
                let (id, subscription) = (webs[number(0...webs.count - 1)], number(0...3))
                let isOver = number(0...5) == 0
                if isOver { left.insert("\(id) \(subscription)") }
                viewers.demand(id)?.set(Demand.ID(subscription), isOver ? nil : want())
            }
            // Those who left are gone for good now and then.
            if number(0...99) == 0 { test.clock.advance(by: .seconds(2)) }
        }
        var wrongs: [String] = []
        if test.outcome?.isClean != true { wrongs.append("it ended with \(String(describing: test.outcome))") }
        for id in sinks where test.collector.numbers(id) != Array(0..<total) {
            wrongs.append("\(id) got \(test.collector.numbers(id)) of \(total)")
        }
        for id in webs {
            for subscription in 0...3 where !left.contains("\(id) \(subscription)") {
                let came = viewers.numbers(id, Demand.ID(subscription))
                if came != Array(Set(came)).sorted() { wrongs.append("\(id) \(subscription) got \(came)") }
            }
            // The first subscription of what is not live stays whoever comes and goes.
            let came = viewers.numbers(id, 0)
            if came != Array(0..<total) { wrongs.append("\(id) got \(came) of \(total)") }
        }
        for link in links.values {
            let ledger = link.ledger
            // A chain that served somebody who left goes with what is in it.
            var mayGo = link.key.subscription != 0
            if case .implicit = link.key.to { mayGo = true }
            let mayDrop = mayGo ? ledger.dropped(.noDemand) : 0
            if !ledger.isBalanced || ledger.dropped > mayDrop { wrongs.append("\(link.key): \(ledger)") }
        }
        return wrongs.isEmpty
            ? []
            : ["seed \(seed)"] + stretches + nodes.map { "\($0.id) \($0.descriptor.name) \($0.inputs.map(\.link))" }
                + wrongs
    }
}

/// Hands frames on, a few late, and asks for as many columns as it is asked for.
struct AskingTransform: Transform {
    static let name = "asking"
    static let summary = "Asks for what it is asked for."
    private var held: [Frame] = []
    var holds: Int { 2 }
    func want(_ downstream: Want) -> Want { Want(maxWidth: downstream.maxWidth) }
    mutating func process(_ item: consuming Frame, to output: inout Output) throws {
        held.append(item)
        if held.count > 2 { output.emit(held.removeFirst()) }
    }
    mutating func drain(to output: inout Output) throws { while !held.isEmpty { output.emit(held.removeFirst()) } }
}
