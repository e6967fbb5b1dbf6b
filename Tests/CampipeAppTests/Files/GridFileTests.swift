import CampipeKit
import Testing

@Suite("Many inputs and overlays in a file")
struct GridFileTests {
    private func report(_ inputs: String, _ more: String = "") -> String {
        MendedFile(
            """
            version: 1
            sources: {east: {type: camera, url: "demo://porch"}, end: {type: camera, url: "demo://bars"}}
            transforms: {g: {type: grid, \(inputs)\(more)}}
            sinks: {w: {type: http, input: g, path: /g}, d: {type: discard, input: east}, e: {type: discard, input: end}}
            """
        ).report
    }

    @Test("two to thirty-six inputs are taken, by name and by pattern")
    func taken() {
        #expect(report("inputs: [east, end]") == "")
        #expect(report("inputs: e*") == "")
        #expect(report("inputs: [east, \"e*\"]") == "")
    }

    @Test(
        "fewer and more are a fault at the list, however they are named",
        arguments: [
            ("inputs: [east]", "1 input is named"), ("input: east", "1 input is named"),
            ("inputs: ea*", "1 input is named"),
            ("inputs: [\(Array(repeating: "\"e*\"", count: 19).joined(separator: ", "))]", "38 inputs are named"),
        ])
    func refused(_ inputs: String, _ sentence: String) {
        let report = report(inputs)
        #expect(report.contains("error: \(sentence)") && report.contains("fix: name 2 to 36"), "\(report)")
    }

    @Test("a reference that leads nowhere is told, and not that too few are there")
    func unknown() {
        let report = report("inputs: [east, ends]")
        #expect(report.contains("there is no node \"ends\"") && !report.contains("input is named"), "\(report)")
    }

    @Test("more labels than inputs, and a field whose events do not come, are faults at their places")
    func labels() {
        #expect(report("inputs: [east, end]", ", labels: [A, B, C]").contains("there are 3 labels for 2 inputs"))
        let file = MendedFile(
            """
            version: 1
            sources: {east: {type: camera, url: "demo://porch"}}
            transforms:
              watch: {type: motion, input: east}
              t: {type: overlay, input: east, text: "{wach.score}", events: [watch]}
            sinks: {w: {type: http, input: t, path: /t}}
            """)
        #expect(file.report.contains("home.yaml:5:42: error: no events of \"wach\" come here [CAM"), "\(file.report)")
        #expect(file.report.contains("did you mean \"watch\"?"))
    }
}
