import CampipeKit
import Testing

@testable import CampipeRuntime

/// What is not live loses nothing when its format changes and the converters behind it are replaced (design 4.1).
@Suite struct FormatChangeTests {
    /// Runs a graph drawn by a seed to its end.
    ///
    /// - Returns: What was wrong.
    private static func wrongs(seed: UInt64) -> [String] {
        var random = SplitMix(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        func link() -> LinkOptions {
            number(0...2) == 0 ? LinkOptions(maxItems: number(1...6)) : LinkOptions()
        }
        var total = 0
        let stretches = (0..<number(2...7)).map { _ -> String in
            let count = number(0...3) == 0 ? number(1...3) : number(4...60)
            total += count
            let width = [100, 160, 300, 320, 640, 700, 1280][number(0...6)]
            return "\(number(0...3) == 0 ? "h264" : "jpeg") \(width) \(count)"
        }
        var nodes: [NodeDescription] = [
            .source("a", ShapeSource.self, ["stretches": stretches.joined(separator: ",")])
        ]
        var sinks: [String] = []
        var joins: [String] = []
        for index in 0..<number(1...4) {
            let sink = "k\(index)"
            let width = ["width": "\([0, 160, 320, 640][number(0...3)])"]
            switch number(0...4) {
            case 0: nodes.append(.sink(sink, FrameSink.self, from: "a", width, link: link()))
            case 1: nodes.append(.sink(sink, GreySink.self, from: "a", link: link()))
            case 2: nodes.append(.sink(sink, JPEGCollectingSink.self, from: "a", width, link: link()))
            case 3:
                nodes.append(.transform("t\(index)", GreyTransform.self, from: "a", link: link()))
                nodes.append(.sink(sink, JPEGCollectingSink.self, from: "t\(index)", width, link: link()))
            default:
                joins.append("j\(index)")
                nodes.append(
                    NodeDescription(
                        id: "j\(index)", registration: Registration(join: ShapeJoin.self),
                        inputs: [
                            InputDescription(from: [PortReference("a")], link: link()),
                            InputDescription("side", from: [PortReference("a")], link: link()),
                        ]))
                nodes.append(.sink(sink, FrameSink.self, from: "j\(index)", width))
            }
            sinks.append(sink)
        }
        let test = TestPipeline(nodes, registry: ShapeConverters.registry, seed: seed)
        test.start()
        var turns = 0
        while test.outcome == nil, test.executor.step() { turns += 1 }
        var wrongs: [String] = []
        if test.outcome?.isClean != true { wrongs.append("it ended with \(String(describing: test.outcome))") }
        for id in sinks + joins.map({ $0 + ".side" }) where test.collector.numbers(id) != Array(0..<total) {
            wrongs.append("\(id) got \(test.collector.numbers(id)) of \(total)")
        }
        for sink in sinks where test.collector[sink].contains(where: { if case .gap = $0 { true } else { false } }) {
            wrongs.append("\(sink) was told of a gap")
        }
        for link in test.pipeline.snapshot.links where !link.ledger.isBalanced || link.ledger.dropped > 0 {
            wrongs.append("\(link.from)-\(link.to): \(link.ledger)")
        }
        return wrongs.isEmpty
            ? []
            : ["seed \(seed)"] + stretches + nodes.map { "\($0.id) \($0.descriptor.name) \($0.inputs.map(\.link))" }
                + wrongs
    }

    @Test("A stream that is not live loses nothing, and keeps its order, wherever its formats change", arguments: 0..<8)
    func losesNothing(part: Int) {
        for seed in part * 50..<(part + 1) * 50 {
            let wrongs = Self.wrongs(seed: UInt64(seed))
            guard wrongs.isEmpty else {
                Issue.record("\(wrongs.joined(separator: "\n"))")
                return
            }
        }
    }

    @Test("A consumer that cannot take the new format gets all of the old one before it fails", arguments: 1...20)
    func failsLate(seed: Int) {
        let test = TestPipeline(
            [
                .source("a", ShapeSource.self, ["stretches": "jpeg 640 50,h264 640 20"]),
                .sink("k", JPEGCollectingSink.self, from: "a", ["width": "320"]),
                .sink("raw", CollectingSink.self, from: "a"),
            ],
            registry: Registry(
                [Registration(transform: JPEGOnlyDecoder.self)] + [
                    Registration(transform: ShapeConverter.self), Registration(transform: ShapeEncoder.self),
                ]), seed: UInt64(seed))
        test.start()
        test.run()
        #expect(test.collector.numbers("k") == Array(0..<50))
        #expect(test.collector.numbers("raw") == Array(0..<70))
        #expect(test.outcome?.failures.map(\.node) == ["k"])
    }
}

/// Decodes JPEG and nothing else.
struct JPEGOnlyDecoder: Transform {
    typealias Input = Packet
    static let name = "jpeg_only_decoder"
    static let summary = "Decodes JPEG."
    static let accepts: [Format] = [.packets(.jpeg)]
    static let outputs: [any AnyPort] = [Out<Frame>("out")]
    static let role: ConverterRole? = .decode
    @Option("Pixels across.") var maxWidth: Int? = nil
    private var inner = ShapeDecoder()
    func output(for input: Format) throws -> Format { .frames(.any) }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        try inner.process(item, to: &output)
    }
    mutating func drain(to output: inout Output) throws { try inner.drain(to: &output) }
}
