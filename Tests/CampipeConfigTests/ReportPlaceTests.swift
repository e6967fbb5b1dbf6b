import CampipeKit
import Foundation
import Testing

@testable import CampipeConfig

@Suite("Where a fault stands")
struct ReportPlaceTests {
    @Test(
        "A fault of the whole file stands at its first character",
        arguments: ["version: 1\n", "sources: {}\nsinks: {}\n", "", "# nothing\n"])
    func wholeFile(text: String) throws {
        let report = read(text).report
        #expect(report.hasErrors)
        for line in report.text().split(separator: "\n") where line.contains("[CAM") {
            #expect(line.hasPrefix("home.yaml:1:1: error: "), "\(line)")
        }
        let json = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
        let first = (json?["diagnostics"] as? [[String: Any]])?.first
        #expect(first?["line"] as? Int == 1 && first?["column"] as? Int == 1)
    }

    @Test("A file that cannot be read is a fault at 1:1 too")
    func unreadable() {
        let file = PipelineFile.load("/nowhere/none.yaml", registry: testRegistry)
        #expect(file.report.text().hasPrefix("/nowhere/none.yaml:1:1: error: cannot read the file"))
    }

    @Test(
        "All faults of one text are told, each at its own column",
        arguments: [
            // Plain, behind an escape, behind a variable, and twice the same.
            ("\"{sorce} {fsp}\"", ["3:49", "3:57"]), ("\"\\u00e4 {sorce}{fsp}\"", ["3:56", "3:63"]),
            ("\"${A} {sorce} {fsp}\"", ["3:54", "3:62"]), ("'{sorce} {sorce}'", ["3:49", "3:57"]),
        ])
    func insideText(value: String, places: [String]) {
        let file = read(
            """
            version: 1
            sources: {a: {type: camera, url: x}}
            transforms: {o: {type: fields, input: a, text: \(value)}}
            sinks: {t: {type: terminal, input: o}}
            """, environment: ["A": "much longer than it was"])
        #expect(file.summary == places.map { "CAM0047 \($0) error" }, "\(file.report.text())")
    }

    @Test("In a template the place is the template's, whatever was put in before it")
    func insideTemplate() {
        let file = read(
            """
            version: 1
            templates:
              t:
                params: [url]
                sources: {cam: {type: camera, url: "{url}"}}
                transforms: {o: {type: fields, input: cam, text: "{camera}: {sorce}"}}
                sinks: {t: {type: terminal, input: o}}
            cameras: {yard: {use: t, url: x}}
            """)
        #expect(file.summary == ["CAM0047 6:65 error"], "\(file.report.text())")
    }
}
