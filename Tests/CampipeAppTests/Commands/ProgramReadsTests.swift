import Foundation
import Testing

@testable import CampipeApp

@Suite("What programs read")
struct ProgramReadsTests {
    private static let text = """
        version: 1
        sources: {a: {type: camera, url: "demo://porch"}}
        sinks: {w: {type: http, input: a, path: /w}}
        """

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("The report on one file names it; that on several is one document with one for each")
    func validate() throws {
        let folder = try TemporaryFolder()
        let good = try folder.file("good.yaml", Self.text)
        let bad = try folder.file("bad.yaml", Self.text.replacing("path: /w", with: "path: w"))
        let one = try object(Captured.run(["validate", "--json", good]).output)
        #expect(one["file"] as? String == good && one["ok"] as? Bool == true)
        let result = Captured.run(["validate", "--json", good, bad])
        let several = try object(result.output)
        let files = try #require(several["files"] as? [[String: Any]])
        #expect(result.code == 78 && several["ok"] as? Bool == false && several["errors"] as? Int == 1)
        #expect(files.map { $0["file"] as? String } == [good, bad])
        #expect(files.map { $0["ok"] as? Bool } == [true, false])
    }

    @Test("graph and inspect take --json for --format json, and not beside another format")
    func formats() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("good.yaml", Self.text)
        for command in [["graph", file], ["inspect", "motion"]] {
            let short = Captured.run(command + ["--json"])
            #expect(short.code == 0 && short.output == Captured.run(command + ["--format", "json"]).output)
            #expect(Captured.run(command + ["--json", "--format", "text"]).code == 2)
        }
    }

    @Test("A certificate that is not there is a warning to validate, and ends run with 78")
    func certificate() throws {
        let server = "server: {tls: {certificate: /nonexist.pem, key: /nonexist.pem}}"
        let folder = try TemporaryFolder()
        let file = try folder.file("tls.yaml", Self.text + "\n" + server)
        let checked = Captured.run(["validate", file])
        #expect(checked.code == 0 && checked.error.contains("warning: cannot read /nonexist.pem"))
        let run = Captured.run(["run", file, "--duration", "1s"])
        #expect(run.code == 78 && run.error.contains("error: cannot read /nonexist.pem"))
    }
}
