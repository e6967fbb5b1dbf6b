import CampipeConfig
import CampipeKit
import CampipeNodes
import CampipeRuntime
import Testing

@testable import CampipeApp

@Suite("Masks that stand for privacy")
struct PrivacyMasksTests {
    /// Two streams of pictures, sound and events.
    private struct Doorbell: Source {
        static let name = "doorbell"
        static let summary = "A camera with all that one can have."
        static let outputs: [any AnyPort] = [
            Out<Packet>("out", format: .packets(.h264)), Out<Frame>("sub"),
            Out<Packet>("audio", format: .packets(PacketFormat(.aac))), Out<Event>("rings"),
        ]
        var isLive: Bool { true }
        mutating func next(to output: inout Output) throws -> Next { .ended }
    }

    private struct Sound: Sink {
        typealias Input = Packet
        static let name = "sound"
        static let summary = "Takes sound."
        static let inputs: [any AnyPort] = [In<Packet>("input", accepts: [.packets(PacketFormat(.aac))])]
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    private func graph(_ privacy: String) throws -> (graph: GraphDescription, plan: Plan) {
        var registry = BuiltInNodes.registry
        registry.add(Registration(source: Doorbell.self))
        registry.add(Registration(sink: Sound.self))
        let text = """
            version: 1
            sources: {bell: {type: doorbell\(privacy)}}
            sinks:
              main: {type: file, input: bell.out, path: main.mp4, when: bell.rings}
              sub: {type: discard, input: bell.sub}
              sound: {type: sound, input: bell.audio}
              rings: {type: log, input: bell.rings}
            """
        let file = PipelineFile(
            Array(text.utf8), name: "a.yaml", registry: registry, surroundings: .process(folder: "."))
        let description = try #require(file.description, "\(file.report.text())")
        let graph = GraphDescription(description)
        return (graph, GraphPicture(graph, registry: registry).plan)
    }

    @Test("each output that carries pictures has one; sound and events pass by")
    func ports() throws {
        let (graph, plan) = try graph(", privacy: [[0, 0], [1, 0], [1, 1]]")
        #expect(graph.nodes.map(\.id) == ["bell", "mask(bell)", "mask(bell.sub)", "main", "sub", "sound", "rings"])
        func feeder(_ id: String) -> String? { graph[id]?.inputs.first?.from.first.map { "\($0)" } }
        #expect(feeder("mask(bell)") == "bell.out" && feeder("mask(bell.sub)") == "bell.sub")
        #expect(feeder("main") == "mask(bell).out" && feeder("sub") == "mask(bell.sub).out")
        #expect(feeder("sound") == "bell.audio" && feeder("rings") == "bell.rings")
        #expect(graph["main"]?.when.first?.event == PortReference("bell", "rings"))
        #expect(plan.failures.isEmpty)
        // Nothing but the masks, and what decodes for them, takes pictures of the source.
        let takers = plan.links.filter { $0.key.from.node == .explicit("bell") && $0.key.from.port < 2 }
        #expect(Set(takers.map { "\($0.key.to)" }) == ["decode(bell)", "mask(bell.sub)"])
        #expect(plan.consumers(of: .explicit("mask(bell)")) == ["main"])
        let decoder = takers.first { "\($0.key.to)" == "decode(bell)" }?.key.to
        #expect(plan.links.filter { $0.key.from.node == decoder }.map { "\($0.key.to)" } == ["mask(bell)"])
    }

    @Test("the mask has the polygons, belongs to nobody's file, and never takes the stream away")
    func mask() throws {
        let mask = try #require(try graph(", privacy: [[0, 0.25], [1, 0], [1, 1e-5]]").graph["mask(bell)"])
        #expect(mask.isImplicit && mask.onError == .skip)
        #expect(mask.inspection.faults.isEmpty && mask.inspection.masksPictures)
        #expect(mask.options["zones"] == [[["0.0", "0.25"], ["1.0", "0.0"], ["1.0", "1e-05"]]])
    }

    @Test("without privacy nothing is put in")
    func without() throws {
        #expect(try graph("").graph.nodes.map(\.id) == ["bell", "main", "sub", "sound", "rings"])
    }
}
