import Foundation
import Testing

@testable import CampipeApp

/// What somebody may have written in the wrong place of a command line is not said back.
@Suite("Secrets on the command line")
struct PlantedSecretTests {
    private static let secret = "Zq9hunter2Zq"

    @Test(
        "no command says one back",
        arguments: [
            "run http://u:SECRET@cam/", "validate http://u:SECRET@cam/", "validate http://u:SECRET@cam/ --json",
            "graph rtsp://u:SECRET@cam/v --json", "validate http://cam/?password=SECRET",
            "run x --set sources.front.password:SECRET", "run x --set password:SECRET",
            "run x --set sources.front.password SECRET", "run x --set sources.front.password=",
            "run x --set \"sources.front.password SECRET=1\"", "hash-password SECRET",
            "hash-password --password=SECRET",
            "probe u:SECRET@cam", "view http://u:SECRET@cam:99999/", "list http://u:SECRET@cam/",
            "http://u:SECRET@cam/", "run x --listen u:SECRET@cam", "inspect http://u:SECRET@cam/",
        ])
    func line(words: String) {
        var arguments = words.replacing("SECRET", with: Self.secret).split(separator: " ").map(String.init)
        // One word to the shell.
        if let start = arguments.firstIndex(where: { $0.hasPrefix("\"") }), start + 1 < arguments.count {
            arguments[start] = (arguments[start] + " " + arguments.remove(at: start + 1)).replacing("\"", with: "")
        }
        let result = Captured.run(arguments)
        // Two words of a path and a value are a path without a value and a file.
        if words.hasSuffix("password SECRET") { return }
        #expect(result.code != 0 || words.hasSuffix("password="))
        #expect(!(result.output + result.error).contains(Self.secret), "\(result.output)\(result.error)")
    }

    @Test("graph --json says the faults of a file as JSON on standard output, as validate does")
    func graph() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "bad.yaml").path(percentEncoded: false)
        try Data("version: 1\nsinks: {s: {typ: log}}\n".utf8).write(to: URL(filePath: path))
        let result = Captured.run(["graph", path, "--json"])
        #expect(result.code == 78 && result.error == "")
        #expect(result.output == Captured.run(["validate", path, "--json"]).output)
        #expect(Captured.run(["graph", path]).error.contains("typ"))
    }

    @Test("an empty name of a file has a place of its own, and a camera that is none is told once")
    func names() {
        #expect(
            Captured.run(["validate", ""]).error.hasPrefix("\"\":1:1: error: cannot read the file: its name is empty"))
        let error = Captured.run(["probe", "nope-nope"]).error
        #expect(error.split(separator: "is read as the name").count == 2, "\(error)")
    }

    @Test(
        "an address without a host or with no port of TCP is refused before anything is read",
        arguments: [
            ("8080", "write 127.0.0.1:8080 for this machine"), (":0", "write 127.0.0.1:0 for this machine"),
            ("127.0.0.1:99999", "the port from 0 to 65535"),
        ])
    func listen(address: String, fix: String) {
        let result = Captured.run(["run", "nope.yaml", "--listen", address])
        #expect(result.code == 2 && result.error.contains(fix), "\(result.error)")
    }
}
