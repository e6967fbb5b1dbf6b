import CampipeKit
import Testing

@testable import CampipeRuntime

/// Who begins to look at a stream whose keyframes are far apart.
@Suite struct BeginningTests {
    private static let registry = Registry([
        Registration(transform: TestDecoder.self), Registration(transform: TestConverter.self),
        Registration(transform: ShapeEncoder.self),
    ])

    @Test(
        "A viewer who comes between two keyframes sees the stream at once, from the keyframe before", arguments: 1...10)
    func viewer(seed: Int) {
        let viewers = Viewers()
        let test = TestPipeline(
            [.source("a", GroupSource.self), .sink("web", VideoViewerSink.self, from: "a")], registry: Self.registry,
            seed: UInt64(seed), services: { $0.add(viewers) })
        test.start()
        // Pictures 0 to 14 were sent; the next keyframe is number 20.
        test.run(for: .milliseconds(1450))
        viewers.demand("web")?.set(7, Want(.packets(.jpeg)))
        test.run(for: .milliseconds(60))
        let early = viewers.numbers("web", 7)
        #expect(early.last == 15 || early.last == 14)
        #expect(early == early.sorted() && (early.first ?? 99) <= 14)
        test.run(for: .milliseconds(300))
        #expect(viewers.numbers("web", 7).suffix(3).allSatisfy { (15...18).contains($0) })
        #expect(test.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced })
    }

    @Test("After the camera was lost nothing of before is shown")
    func lost() {
        let viewers = Viewers()
        let test = TestPipeline(
            [.source("a", GroupSource.self, ["fails_at": "15"]), .sink("web", VideoViewerSink.self, from: "a")],
            registry: Self.registry, services: { $0.add(viewers) })
        test.start()
        test.run(for: .milliseconds(1550))
        viewers.demand("web")?.set(7, Want(.packets(.jpeg)))
        test.run(for: .milliseconds(200))
        #expect(viewers.numbers("web", 7).isEmpty)
    }
}

/// Takes H.264 as it comes, and JPEGs for who asks for them, as a server does: at rest no decoder stands in front of it.
struct VideoViewerSink: Sink {
    typealias Input = Packet
    static let name = "video_viewer"
    static let summary = "Shows video and pictures to viewers."
    static let inputs: [any AnyPort] = [In<Packet>("input", accepts: [.packets(.jpeg), .packets(.h264)])]
    private var viewers: Viewers?
    var want: Want? { nil }
    mutating func open(_ context: borrowing Context) throws {
        viewers = try context.service(Viewers.self)
        viewers?.open(context.id, context.demand)
    }
    mutating func consume(_ item: consuming Packet) throws -> Next {
        viewers?.show(Viewers.Picture(number: item.number, width: 0, subscription: item.subscription))
        return .more
    }
}

/// A camera of ten packets of H.264 a second, each twentieth a keyframe.
struct GroupSource: Source {
    static let name = "group_source"
    static let summary = "Sends groups of pictures."
    static let outputs: [any AnyPort] = [Out<Packet>("out")]
    @Option("At which it fails; 0 never.") var failsAt = 0
    private var made = 0
    private var clock: (any PipelineClock)?
    private var start = Instant.zero

    var format: Format? { .packets(.h264) }

    mutating func open(_ context: borrowing Context) throws {
        clock = context.clock
        start = context.clock.now
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let clock else { return .ended }
        let due = start + .milliseconds(100 * made)
        guard clock.now >= due else { return .waitUntil(due) }
        if failsAt > 0, made >= failsAt { throw CampipeError(.unavailable, "gone") }
        output.emit(
            Packet(
                .empty, format: .h264, captured: clock.now,
                pts: MediaTime(ticks: Int64(made), timebase: Timebase(1, 1000)),
                isKeyframe: made % 20 == 0))
        made += 1
        return .more
    }
}
