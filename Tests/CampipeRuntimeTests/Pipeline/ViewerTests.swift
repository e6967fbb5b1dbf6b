import CampipeKit
import Testing

@testable import CampipeRuntime

/// Viewers that come and go through `context.demand`, with the converters that they need (design 4.4).
@Suite struct ViewerTests {
    private static let registry = Registry([
        Registration(transform: TestDecoder.self), Registration(transform: TestConverter.self),
        Registration(transform: ShapeEncoder.self),
    ])

    private func pipeline(_ source: NodeDescription, seed: UInt64 = 1) -> (TestPipeline, Viewers) {
        let viewers = Viewers()
        let test = TestPipeline(
            [source, .sink("web", ViewerSink.self, from: "a")], registry: Self.registry, seed: seed,
            services: { $0.add(viewers) })
        return (test, viewers)
    }

    private static let camera = NodeDescription.source(
        "a", ResizingSource.self, ["count": "100000", "live": "true"])

    private func implicit(_ test: TestPipeline) -> [String] {
        test.pipeline.snapshot.nodes.compactMap { node in
            if case .implicit(let role, _, _, _) = node.key { role.rawValue } else { nil }
        }.sorted()
    }

    @Test("Nobody watching: nothing is decoded, and the sink is given nothing")
    func nobody() {
        let (test, viewers) = pipeline(Self.camera)
        test.start()
        test.run(for: .seconds(3))
        #expect(viewers.pictures.isEmpty)
        #expect(test.pipeline.snapshot.links.allSatisfy { !$0.isOpen && $0.ledger.taken == 0 })
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced && $0.ledger.dropped(.noDemand) > 0 })
    }

    @Test("A viewer gets the size he asked for, marked as his; when he is gone 2 s, so is his chain", arguments: 1...10)
    func comesAndGoes(seed: Int) throws {
        let (test, viewers) = pipeline(Self.camera, seed: UInt64(seed))
        test.start()
        test.run(for: .seconds(1))
        let atRest = test.pipeline.snapshot
        viewers.demand("web")?.set(7, Want(maxWidth: 320))
        test.run(for: .seconds(1))
        #expect(implicit(test) == ["decode", "encode"])
        let pictures = viewers.pictures
        #expect(pictures.count >= 8)
        #expect(pictures.allSatisfy { $0.width == 320 && $0.subscription == 7 })

        viewers.demand("web")?.set(7, nil)
        test.run(for: .seconds(1.9))
        #expect(implicit(test) == ["decode", "encode"])
        weak let decoder = test.runner(where: { if case .implicit = $0 { true } else { false } })
        #expect(decoder != nil)
        test.run(for: .seconds(0.2))
        #expect(implicit(test) == [])
        #expect(decoder == nil)
        #expect(test.collector["decoder"] == [.opened, .finished])
        let after = test.pipeline.snapshot
        #expect(Set(after.nodes.map(\.key)) == Set(atRest.nodes.map(\.key)))
        #expect(Set(after.links.map(\.key)) == Set(atRest.links.map(\.key)))
        #expect(Set(after.formats.keys) == Set(atRest.formats.keys))
        let before = viewers.pictures.count
        test.run(for: .seconds(1))
        #expect(viewers.pictures.count == before)
    }

    @Test(
        "A viewer is given at once what came last before he came, once, however long ago that was; a recording is not")
    func newest() {
        let viewers = Viewers()
        let test = TestPipeline(
            [
                .source("a", SlowCamera.self),
                .sink("web", ViewerSink.self, from: "a"),
            ], registry: Self.registry, services: { $0.add(viewers) })
        test.start()
        test.run(for: .seconds(25))
        #expect(viewers.pictures.isEmpty)
        viewers.demand("web")?.set(7, Want(maxWidth: 320))
        viewers.demand("web")?.set(8, Want())
        test.run(for: .milliseconds(10))
        #expect(viewers.numbers("web", 7) == [2])
        #expect(viewers.numbers("web", 8) == [2])
        // How old it was says nothing of the way that it came.
        #expect(test.pipeline.snapshot.nodes.compactMap(\.ages).allSatisfy { $0.count == 0 })
        test.run(for: .seconds(10))
        #expect(viewers.numbers("web", 7) == [2, 3])
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced })
        #expect(test.pipeline.news(of: "a")?.interval.map { $0 >= .seconds(9) } == true)
        #expect(test.pipeline.news(of: "web") == nil)
    }

    @Test("A viewer who comes back within 2 s finds his chain as it was, and keeps it")
    func comesBack() {
        let (test, viewers) = pipeline(Self.camera)
        test.start()
        viewers.set("web", 1, Want(maxWidth: 320), test)
        test.run(for: .seconds(1))
        for round in 0..<5 {
            viewers.demand("web")?.set(1, nil)
            // To the very instant at which the chain may go.
            test.run(for: round == 4 ? .seconds(2) : .milliseconds(1900))
            viewers.demand("web")?.set(1, Want(maxWidth: 320))
            test.run(for: .seconds(3))
            #expect(implicit(test) == ["decode", "encode"])
        }
        #expect(test.collector["decoder"].count { $0 == .opened } <= 2)
    }

    @Test("A hundred viewers who come and go leave nothing behind", arguments: 1...3)
    func hundred(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let (test, viewers) = pipeline(Self.camera, seed: UInt64(seed))
        test.start()
        test.run(for: .seconds(1))
        let atRest = Set(test.pipeline.snapshot.nodes.map(\.key))
        let links = Set(test.pipeline.snapshot.links.map(\.key))
        for id in 1...100 {
            let width = [160, 320, 640, 960, nil][Int(random.next() % 5)]
            viewers.demand("web")?.set(Demand.ID(id), Want(maxWidth: width))
            if id > 4 { viewers.demand("web")?.set(Demand.ID(id - 4), nil) }
            test.run(for: .milliseconds(Int(random.next() % 700)))
            #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced })
        }
        for id in 97...100 { viewers.demand("web")?.set(Demand.ID(id), nil) }
        test.run(for: .seconds(2.1))
        #expect(Set(test.pipeline.snapshot.nodes.map(\.key)) == atRest)
        #expect(Set(test.pipeline.snapshot.links.map(\.key)) == links)
        let opened = test.collector["decoder"].count { $0 == .opened }
        #expect(opened == test.collector["decoder"].count { $0 == .finished })
        test.pipeline.stop()
        test.run()
        #expect(test.outcome?.isClean == true)
    }

    @Test("Thousands of viewers who leave at once change the graph as often as it has turns, and it stays small")
    func burst() {
        let (test, viewers) = pipeline(Self.camera)
        test.start()
        test.run(for: .seconds(1))
        let atRest = test.pipeline.snapshot.links.count
        // All in one turn: by the same number, and each by its own.
        for id in 1...5000 {
            for one in [1, Demand.ID(id)] {
                viewers.demand("web")?.set(one, Want(maxWidth: 320))
                viewers.demand("web")?.set(one, nil)
            }
        }
        while test.executor.step() {}
        #expect(test.pipeline.snapshot.links.count == atRest)
        #expect(test.collector["decoder"].isEmpty)
        // Each in a turn of its own.
        var most = 0
        for id in 10_001...10_300 {
            viewers.demand("web")?.set(Demand.ID(id), Want(maxWidth: 320))
            while test.executor.step() {}
            viewers.demand("web")?.set(Demand.ID(id), nil)
            while test.executor.step() {}
            most = max(most, test.pipeline.snapshot.links.count)
        }
        #expect(most <= atRest + 2 + 17)
        viewers.demand("web")?.set(20_000, Want(maxWidth: 320))
        let before = viewers.pictures.count
        test.run(for: .seconds(3))
        #expect(viewers.numbers("web", 20_000).count >= 28)
        // A picture once for each of those that stay; they are gone after 2 s.
        #expect(viewers.pictures.count - before <= 30 + 21 * 16)
        #expect(test.collector["decoder"].count { $0 == .opened } == 1)
        test.pipeline.stop()
        test.run()
        #expect(test.outcome?.isClean == true)
    }

    @Test("A viewer who leaves and comes back, however often, is nothing that the controller hears of")
    func unheard() {
        let (test, viewers) = pipeline(Self.camera)
        test.start()
        viewers.set("web", 1, Want(maxWidth: 320), test)
        test.run(for: .seconds(1))
        while test.executor.step() {}
        for _ in 0..<1000 {
            viewers.demand("web")?.set(1, nil)
            viewers.demand("web")?.set(1, Want(maxWidth: 320))
        }
        // Nobody was woken.
        #expect(!test.executor.step())
    }

    @Test("A source on demand is opened when somebody comes, and closed 10 s after nobody wants it")
    func onDemand() {
        var camera = Self.camera
        camera.onDemand = true
        let (test, viewers) = pipeline(camera)
        test.start()
        test.run(for: .seconds(20))
        #expect(test.states["a"]?.map(\.state) == [.idle])
        viewers.set("web", 1, Want(maxWidth: 320), test)
        test.run(for: .seconds(2))
        #expect(test.states["a"]?.map(\.state) == [.idle, .connecting, .running])
        #expect(!viewers.pictures.isEmpty)
        viewers.demand("web")?.set(1, nil)
        test.run(for: .seconds(11.8))
        #expect(test.states["a"]?.last?.state == .running)
        test.run(for: .seconds(0.4))
        #expect(test.states["a"]?.last?.state == .idle)
        let before = viewers.pictures.count
        viewers.demand("web")?.set(2, Want(maxWidth: 320))
        test.run(for: .seconds(2))
        #expect(viewers.pictures.count > before + 10)
        test.pipeline.stop()
        test.run()
        #expect(test.outcome?.isClean == true)
    }

    @Test("A size that changes in mid-stream is planned for before its first picture flows", arguments: 1...20)
    func formatChange(seed: Int) {
        // 1280 wide it is made smaller for the viewer; at 320 it goes as it comes.
        let (test, viewers) = pipeline(
            .source("a", ResizingSource.self, ["count": "40", "live": "false", "change_at": "20"]), seed: UInt64(seed))
        viewers.initial = Want(maxWidth: 320)
        test.start()
        test.run()
        #expect(test.outcome?.isClean == true)
        let pictures = viewers.pictures.filter { $0.subscription == 1 }
        #expect(pictures.allSatisfy { $0.width == 320 })
        #expect(pictures.map(\.number).filter { $0 >= 20 } == Array(20..<40))
    }

    @Test("A format that no consumer can take fails him by name, and nobody else")
    func unfit() {
        let test = TestPipeline([
            .source("a", ResizingSource.self, ["count": "40", "live": "false", "change_at": "20", "to": "h264"]),
            .sink("c", CollectingSink.self, from: "a"), .sink("jpeg", JPEGSink.self, from: "a"),
        ])
        test.start()
        test.run()
        #expect(test.collector.numbers("c") == Array(0..<40))
        #expect(test.outcome?.failures.map(\.node) == ["jpeg"])
        #expect(test.outcome?.stragglers == [])
        #expect(test.states["jpeg"]?.last?.state == .failed)
    }
}
