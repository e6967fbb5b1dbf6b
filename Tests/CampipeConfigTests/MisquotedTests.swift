import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("What YAML misreads for want of quotes")
struct MisquotedTests {
    @Test("One misread value hides no other fault, and each has its own line and column")
    func goesOn() {
        let file = read(
            """
            version: 1
            sources:
              cam: {type: camera, url: http://${HOST}/a, fps: 5, uri: x}
              old: {type: camra, url: ${URL}}
            transforms:
              stamp:
                type: overlay
                input: cam
                text: %H:%M "now"
              both: {type: grid, inputs: [*, old], text: x}
              mark: {type: overlay, input: cam, text: {source} %H, drow: 1}
            sinks:
              web: {type: http, input: stamp, path: /w, quality: 101}
              log: {type: log, input: [*]}
            """, environment: ["HOST": "h", "URL": "http://x/"])
        let found = [
            "CAM0044 3:35 error", "CAM0020 3:54 error", "CAM0060 4:15 error", "CAM0044 4:27 error",
            "CAM0044 9:11 error", "CAM0044 10:31 error", "CAM0020 10:40 error", "CAM0044 11:43 error",
            "CAM0020 11:56 error", "CAM0042 13:54 error", "CAM0044 14:28 error",
        ]
        #expect(file.summary == found, "\(file.report.text())")
        #expect(file.description == nil)
    }

    @Test(
        "The fix holds the whole value, and the file is fine with it",
        arguments: [
            ("url: http://${HOST}/a b", "quote it: \"http://${HOST}/a b\""),
            ("url: ${HOST}", "quote it: \"${HOST}\""), ("url: @cam", "quote it: \"@cam\""),
            ("url: %H:%M", "quote it: \"%H:%M\""), ("url: {a} b", "quote the whole value: \"{a} b\""),
            ("url: [a] b", "quote the whole value: \"[a] b\""), ("url: `x`", "quote it: \"`x`\""),
            ("url: x {a} b", "quote the whole value: \"x {a} b\""),
            ("url: x [a]", "quote the whole value: \"x [a]\""),
        ])
    func fixes(value: String, fix: String) {
        let text =
            "version: 1\nsources: {cam: {type: camera, \(value)}}\nsinks: {w: {type: http, input: cam, path: /w}}"
        let file = read(text, environment: ["HOST": "h"])
        let errors = file.report.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.fix) == [fix], "\(file.report.text())")
        let bare = String(value.dropFirst("url: ".count))
        let mended = text.replacing(value, with: "url: \"\(bare)\"")
        #expect(read(mended, environment: ["HOST": "h"]).report.errorCount == 0)
    }

    @Test("A hash inside braces is told by its own name, quoted, and hides no other fault")
    func hashes() {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: "http://h/a #b"}}
            transforms:
              o: {type: overlay, input: cam, background: #fff, text: "x # y", drow: 1}
              p: {type: overlay, input: cam, # the colour
                color: "#fff", text: #1}
            sinks: {web: {type: http, inputs: [o, p], path: /w, quality: 101}}
            """)
        let hashes = file.report.diagnostics.filter { $0.code == .quoteIt }
        #expect(hashes.map(\.fix) == ["quote it: \"#fff\"", "quote it: \"#1\""], "\(file.report.text())")
        #expect(file.report.text().contains("unknown key \"drow\""))
        #expect(file.report.text().contains("101"))
        #expect(!file.report.text().contains("is not closed"))
    }

    @Test(
        "A second colon in a value is told once, and hides no other fault",
        arguments: [
            "o: {type: overlay, input: cam, text: Gate: open, drow: 1}",
            "o:\n    type: overlay\n    input: cam\n    text: Gate: open\n    drow: 1",
            "o: {type: overlay text: Gate, input: cam, drow: 1}", "o:\n    type: overlay input: cam\n    drow: 1",
        ])
    func colons(node: String) {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: "http://h/"}}
            transforms:
              \(node)
            sinks: {web: {type: http, input: cam, path: /w, quality: 101}}
            """)
        let sentences = file.report.diagnostics.filter { $0.severity == .error }.map(\.sentence)
        #expect(sentences.count { $0 == "a second \": \" stands where one value is expected" } == 1)
        #expect(file.report.text().contains("101"), "\(file.report.text())")
        // Of a node whose type cannot be told nothing more is said.
        #expect(sentences.count == (node.contains("text: Gate: open") ? 3 : 2), "\(file.report.text())")
    }

    @Test(
        "Where a map was most likely meant nothing is quoted",
        arguments: [
            "sources: cam: {type: camera, url: x}", "sources:\n  cam: type: camera\n    url: x",
            "sources:\n  cam: {type: camera, url: a: {b: c}}",
        ])
    func maps(text: String) {
        let report = read("version: 1\n\(text)\n").report
        #expect(report.hasErrors && report.diagnostics.count == 1, "\(report.text())")
    }

    @Test("A secret in what is misread is not shown")
    func secret() {
        let text = read(
            """
            version: 1
            sources: {cam: {type: camera, url: "x", password: @geheim9, username: %op${X:-hunter22}}}
            """
        ).report.text()
        #expect(!text.contains("geheim9") && !text.contains("hunter22"))
        #expect(text.contains("quote the whole value"))
    }

    @Test("What is misread in more places than are quoted ends the report, and soon")
    func many() {
        let lines = (0..<1000).map { "  n\($0): {type: x, text: %H}" }.joined(separator: "\n")
        let file = read("version: 1\nsources:\n\(lines)\n")
        #expect(file.report.diagnostics.count { $0.code == .quoteIt } == QuotedText.mostQuotes + 1)
    }

    @Test("Places of the text with quotes are those of the text without")
    func places() {
        var text = QuotedText(SourceText(name: "x", bytes: Array("a: ü@b, c: %d".utf8)))
        let quoted = [4..<6, 11..<13, 5..<7].map { text.quote($0) }
        #expect(quoted == [true, true, false])
        #expect(String(decoding: text.bytes, as: UTF8.self) == "a: ü\"@b\", c: \"%d\"")
        #expect([0, 4, 5, 6, 7, 8, 13, 14, 15, 16, 17].map(text.written) == [0, 4, 4, 5, 6, 6, 11, 11, 12, 13, 13])
    }

    @Test("Whatever is written wrong, reading ends, and each place lies in the text", arguments: 0..<40)
    func damage(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let pieces = [
            "${", "}", "{", "[", "]", "*", "%H", "@", "`", "\"", "'", ": ", ", ", "- ", "\n", "  ", "#", "&a", "*a",
            "<<: ", "ü",
            "!secret ", "\t", "|", "\\",
        ]
        let good = Array(
            """
            version: 1
            sources: {a: &a {type: camera, url: "x"}}
            transforms:
              o: {type: overlay, input: a, text: "{source} %H"}
            sinks:
              w: {type: http, input: o, path: /w}
            """)
        for _ in 0..<25 {
            var text = good
            for _ in 0..<(1 + random(6)) {
                text.insert(contentsOf: pieces[random(pieces.count)], at: random(text.count))
            }
            let file = read(String(text))
            let end = String(text).unicodeScalars.count
            for diagnostic in file.report.diagnostics {
                for mark in [diagnostic.mark].compactMap(\.self) + diagnostic.related.map(\.mark) {
                    #expect(Int(mark.start) <= end && Int(mark.end) <= end + 2, "\(String(text))")
                }
            }
            _ = file.report.text() + file.report.json()
        }
    }
}
