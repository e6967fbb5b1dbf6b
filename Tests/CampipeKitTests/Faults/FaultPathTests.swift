import CampipeKit
import Testing

@Suite("Faults and errors")
struct FaultTests {
    @Test(
        "a path is written as in the file",
        arguments: [
            (FaultPath.root, ""), (["sinks", "web", "input"], "sinks.web.input"),
            (FaultPath(["sources", "front"].map(FaultPath.Step.key)).key("zones").index(2), "sources.front.zones[2]"),
            (FaultPath.root.index(0).key("a"), "[0].a"), (["sources", "yard/rec"], "sources.yard/rec"),
        ] as [(FaultPath, String)])
    func path(path: FaultPath, text: String) { #expect(path.description == text) }

    @Test("codes have four digits and are never shared")
    func codes() {
        #expect(FaultCode.unknownInput.text == "CAM0061")
        #expect(FaultCode.syntax.text == "CAM0001")
        #expect(Set(FaultCode.allCases.map(\.text)).count == FaultCode.allCases.count)
    }

    @Test("an error says what was attempted, what was found and what would help")
    func errors() {
        let inner = CampipeError(.unavailable, "no answer in 5 s")
        let error = CampipeError(
            .unavailable, "cannot open http://cam-3/stream", fix: "check the address", cause: inner)
        #expect(error.description == "cannot open http://cam-3/stream: no answer in 5 s; check the address")
        let system = CampipeError.system("cannot open /x", errno: 2)
        #expect(system.description == "cannot open /x: No such file or directory")
        #expect(system.context.first?.value == "2")
    }
}
