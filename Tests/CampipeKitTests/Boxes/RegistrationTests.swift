import Testing

@testable import CampipeKit

@Suite("Registrations")
struct RegistrationTests {
    @Test("a descriptor says what the type says")
    func descriptors() {
        let source = Registration(source: Counter.self).descriptor
        #expect(source.contract == .source && source.contract.section == "sources" && source.mainInput == nil)
        #expect(source.outputs.map(\.name) == ["out", "events"] && source.outputs[0].formats == [.frames(.gray8)])
        // What befalls a node is told beside what it gives, to who asks for it by name.
        #expect(source.supervision == 1 && source.impliedOutputs.map(\.name) == ["out"])

        let transform = Registration(transform: Delay.self).descriptor
        #expect(transform.inputs.map(\.name) == ["input"] && transform.outputs.map(\.name) == ["out", "events"])
        #expect(transform.supervision == 1)
        #expect(transform.inputs[0].formats == [.frames(.any)] && transform.execution == .pool && transform.role == nil)

        let join = Registration(join: Stamp.self).descriptor
        #expect(join.contract.section == "transforms" && join.inputs.map(\.name) == ["input", "events", "logo"])
        #expect(join.inputs[1].isOptional && join.inputs[1].takesMany && join.inputs[1].kind == .event)

        let sink = Registration(sink: Notebook.self).descriptor
        #expect(sink.outputs.map(\.name) == ["events"] && sink.supervision == 0 && sink.impliedOutputs.isEmpty)
        #expect(sink.lateAfter == .seconds(1) && sink.keepsHistory)
        #expect(sink.inputs.map(\.taste) == [.complete, .fresh] && sink.mainInput?.name == "input")
    }

    @Test("inspecting tells what follows from the options, or their faults")
    func inspection() {
        let registration = Registration(source: Counter.self)
        #expect(!registration.inspect([:]).isLive && registration.inspect([:]).format == .frames(.gray8))
        #expect(registration.inspect(["fast": "false"]).isLive)
        let faulty = registration.inspect(["fast": "no"], at: ["sources", "front"])
        #expect(faulty.faults.map(\.path.description) == ["sources.front.fast"] && !faulty.isLive)
        #expect(Registration(sink: Notebook.self).inspect([:]).want == Want(maxWidth: 320))
    }

    @Test("what single options cannot say is checked too, and resources are told")
    func checks() {
        struct Page: Sink {
            static let name = "page"
            static let summary = "Has a path."
            @Option("Path.") var path = "/"
            var resources: [NodeResource] { [NodeResource(.httpPath, path, option: "path")] }
            func check(at path: FaultPath, into faults: inout [Fault]) {
                if !self.path.hasPrefix("/") {
                    faults.append(Fault(.invalidValue, at: path.key("path"), "no slash", fix: "begin with /"))
                }
            }
            mutating func consume(_ item: consuming Packet) throws -> Next { .more }
        }
        let registration = Registration(sink: Page.self)
        #expect(registration.inspect(["path": "/a"]).resources == [NodeResource(.httpPath, "/a", option: "path")])
        #expect(registration.inspect(["path": "a"], at: ["x"]).faults.map(\.path.description) == ["x.path"])
    }

    @Test("each node made is its own")
    func independence() throws {
        let registration = Registration(source: Counter.self)
        let first = try #require(registration.make(["count": "1"]) as? SourceBox<Counter>)
        let second = try #require(registration.make() as? SourceBox<Counter>)
        #expect(first.node.count == 1 && second.node.count == 3)
    }

    @Test("one name may stand for several kinds, and for a source and a sink")
    func registry() {
        struct Pass<Input: Item>: Transform {
            static var name: String { "pass" }
            static var summary: String { "Hands on." }
            mutating func process(_ item: consuming Input, to output: inout Output) throws { output.emit(item) }
        }
        struct CounterSink: Sink {
            static let name = "counter"
            static let summary = "Counts."
            mutating func consume(_ item: consuming Frame) throws -> Next { .more }
        }
        struct Decoder: Transform {
            static let name = "decoder"
            static let summary = "Decodes."
            static let role: ConverterRole? = .decode
            static let outputs: [any AnyPort] = [Out<Frame>("out")]
            mutating func process(_ item: consuming Packet, to output: inout Output) throws {}
        }
        let registry = Registry([
            Registration(transform: Pass<Frame>.self), Registration(transform: Pass<Packet>.self),
            Registration(transform: Pass<Event>.self), Registration(source: Counter.self),
            Registration(sink: CounterSink.self), Registration(transform: Decoder.self),
        ])
        #expect(registry.named("pass").map { $0.descriptor.mainInput?.kind } == [.frame, .packet, .event])
        #expect(registry.named("counter").count == 2 && registry.named("counter", in: "sinks").count == 1)
        #expect(registry.names(in: "transforms") == ["pass", "decoder"] && registry.named("none").isEmpty)
        #expect(registry.converter(.decode)?.descriptor.name == "decoder" && registry.converter(.encode) == nil)
    }

    @Test("packets and events go through their boxes as frames do")
    func kinds() throws {
        struct Echo<Input: Item>: Transform {
            static var name: String { "echo" }
            static var summary: String { "Hands on." }
            mutating func process(_ item: consuming Input, to output: inout Output) throws { output.emit(item) }
        }
        let packets = try NodeHarness(Echo<Packet>.self)
        try packets.push(Pictures.packet(1))
        #expect(packets.packets.map(\.data.array) == [[1]])
        let events = try NodeHarness(Echo<Event>.self)
        try events.push(Pictures.event(1))
        #expect(events.events.map(\.kind) == [.motionStarted])
    }
}
