import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("The YAML layer")
struct YAMLReaderTests {
    private func tree(_ text: String) -> YAMLReading { YAMLReader.read(Array(text.utf8), name: "test.yaml") }

    private func places(_ reading: YAMLReading) -> [String] {
        reading.diagnostics.map { diagnostic in
            guard let mark = diagnostic.mark else { return "\(diagnostic.code.text) -" }
            let position = reading.text.position(of: Int(mark.start))
            return "\(diagnostic.code.text) \(position.line):\(position.column)"
        }
    }

    @Test(
        "Each real-world document is read, or refused at its place",
        arguments: [
            ("bool-words", []), ("tabs", ["CAM0008 2:1"]), ("tab-after-value", []),
            ("anchors-merge", ["CAM0012 3:6", "CAM0012 4:6"]), ("self-alias", ["CAM0010 1:11"]),
            ("deep-nesting", ["CAM0004 1:35"]), ("sexagesimal", []), ("big-number", []), ("hash-in-value", []),
            ("at-percent-start", ["CAM0044 2:13"]), ("brace-env-unquoted", []), ("bom-crlf", []),
            ("utf16", ["CAM0002 1:1"]),
            ("two-documents", ["CAM0006 3:1"]), ("empty", ["CAM0005 -"]), ("unknown-key", []), ("list-for-map", []),
        ])
    func realWorldDocument(name: String, expected: [String]) throws {
        let reading = YAMLReader.read(try fixture("yaml/\(name).yaml"), name: name)
        #expect(places(reading) == expected)
        if expected.isEmpty { #expect(reading.root != nil) }
    }

    @Test("Texts are taken as written: hashes, times, ports, words")
    func textsAsWritten() throws {
        let hash = YAMLReader.read(try fixture("yaml/hash-in-value.yaml"), name: "hash").root?["source"]
        #expect(hash?["url"]?.text == "rtsp://admin:pass123##X@127.0.0.1/1")
        #expect(hash?["password"]?.text == "abc#def")
        #expect(hash?["note"]?.text == "a")
        #expect(hash?["other"]?.isNull == true)
        let times = YAMLReader.read(try fixture("yaml/sexagesimal.yaml"), name: "times").root
        #expect(times?["record"]?["segment"]?.text == "22:22")
        #expect(times?["server"]?["ports"]?.value == .list([.plain("8080:80")]))
        let words = tree("a: no\nb: 02142\nc: 'null'\nd: null\ne: ~").root
        #expect(words?["a"]?.text == "no")
        #expect(words?["b"]?.text == "02142")
        #expect(words?["c"]?.text == "null")
        #expect(words?["d"]?.isNull == true && words?["e"]?.isNull == true)
        let bom = YAMLReader.read(try fixture("yaml/bom-crlf.yaml"), name: "bom")
        #expect(bom.root?["source"]?["url"]?.text == "http://127.0.0.1:8080/")
        let mark = try #require(bom.root?["source"]?["url"]?.mark)
        #expect(bom.text.position(of: Int(mark.start)) == (2, 8))
    }

    @Test("An alias means what its anchor means")
    func alias() {
        let reading = tree("a: &x {fps: 5}\nb: *x\nc: [*x, 1]")
        #expect(reading.diagnostics == [])
        #expect(reading.root?["b"]?["fps"]?.text == "5")
    }

    @Test(
        "Mistakes are named in the words of the person who made them",
        arguments: [
            ("a:\n\tb: 1", "CAM0008 2:1", "a tab is used for indentation"),
            ("a: {x: 1,\n\ty: 2}", "CAM0008 2:1", "a tab is used for indentation"),
            ("a: 1\n  \tb: 2", "CAM0008 2:3", "a tab is used for indentation"),
            ("t: %H:%M", "CAM0044 1:4", "text may not begin with % in YAML"),
            ("t: `x`", "CAM0044 1:4", "text may not begin with ` in YAML"),
            ("t: {source} %Y", "CAM0044 1:4", "a value that begins with { is a map to YAML, and more text follows it"),
            (
                "t: {source} front", "CAM0044 1:4",
                "a value that begins with { is a map to YAML, and more text follows it"
            ),
            ("t: [a] b", "CAM0044 1:4", "a value that begins with [ is a list to YAML, and more text follows it"),
            ("f: {url: ${URL}}", "CAM0044 1:10", "${...} inside { } or [ ] is a map to YAML"),
            ("f: [${URL}]", "CAM0044 1:5", "${...} inside { } or [ ] is a map to YAML"),
            ("inputs: [*, b]", "CAM0044 1:10", "a word that begins with * is an alias to YAML"),
            ("inputs: [*_rec]", "CAM0013 1:10", "YAML reads *_rec as an alias, and there is no &_rec"),
            ("a: \"x\nb: 1", "CAM0001 1:4", "the quote that begins here is not closed before line 2, column 5"),
            ("a: [1, 2\nb: 3", "CAM0001 1:4", "the [ that begins here is not closed before line 2, column 2"),
            ("a: {b: 1\nc: 3", "CAM0001 1:4", "the { that begins here is not closed before line 2, column 2"),
            ("a: b: c", "CAM0001 1:5", "a second \": \" stands where one value is expected"),
            ("a: 1\nb:2\nc: 3", "CAM0001 2:1", "a blank is missing behind the colon"),
            ("a: \"C:\\cams\"", "CAM0001 1:7", "YAML does not know this \\ sequence"),
            ("a:\n    b: 1\n  c: 2", "CAM0001 3:3", "this does not line up with what stands above it"),
            ("a: 1\na: 2", "CAM0007 2:1", "the key \"a\" stands twice in one map"),
            ("a: !!str 5", "CAM0009 1:4", "the tag tag:yaml.org,2002:str may not stand in a pipeline file"),
            ("a: !secret pw", "CAM0009 1:4", "!secret needs the file that holds it"),
            ("%TAG !x! tag:x\n---\na: 1", "CAM0009 1:1", "a line that begins with % is a directive in YAML"),
            ("? [a, b]\n: 1", "CAM0022 1:3", "a key must be a word"),
            ("\"\": 1", "CAM0022 1:1", "a key is missing before the colon"),
            (": 1", "CAM0022 1:1", "a key is missing before the colon"),
            ("a: b\u{1}c", "CAM0001 1:5", "the control character U+01 may not stand in YAML"),
            ("a: \"\\0\"", "CAM0040 1:4", "text may not hold a NUL character"),
            ("---\n~\n", "CAM0005 -", "the file is empty"),
            ("# nothing\n", "CAM0005 -", "the file is empty"),
        ])
    func mistake(text: String, place: String, sentence: String) {
        let reading = tree(text)
        #expect(places(reading) == [place])
        #expect(reading.diagnostics.first?.sentence == sentence)
    }

    @Test(
        "A file that is not UTF-8 is refused by name",
        arguments: [
            ([0xFF, 0xFE, 0x61, 0x00], "the text is UTF-16"), ([0x61, 0x00, 0x3A, 0x00], "the text is UTF-16"),
            ([0x00, 0x61, 0x00, 0x3A], "the text is UTF-16"),
            ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "the text is UTF-32"),
            ([0x61, 0x3A, 0x20, 0xC3, 0x28], "the byte 0xC3 is not UTF-8"),
            ([0x61, 0x3A, 0x20, 0xFC], "the byte 0xFC is not UTF-8"),
        ] as [([UInt8], String)])
    func notUTF8(bytes: [UInt8], sentence: String) {
        let reading = YAMLReader.read(bytes, name: "x")
        #expect(reading.diagnostics.map(\.code) == [.notUTF8])
        #expect(reading.diagnostics.first?.sentence == sentence)
    }

    @Test("Columns count characters, lines end as editors think")
    func columns() throws {
        let reading = tree("ä: \"ü\u{2028} x\"\r\nb: 1\rc: 日本 \n")
        let mark = try #require(reading.root?["c"]?.mark)
        #expect(reading.text.position(of: Int(mark.start)) == (3, 4))
        #expect(mark.end - mark.start == 2)
    }

    @Test("All duplicates and tags of one text are found at once")
    func collectsFaults() {
        #expect(
            tree("a: 1\na: 2\nb: !x y\nc: {d: 1, d: 2}").diagnostics.map(\.code) == [
                .duplicateKey, .tagNotAllowed, .duplicateKey,
            ])
    }
}
