import CampipeConfig
import CampipeKit
import Testing

@Suite("A fix does what it says")
struct FixTests {
    private func text(_ web: String = "", clips: String = "", overlay: String = "text: x", url: String = "demo://porch")
        -> String
    {
        """
        version: 1
        sources:
          front: {type: camera, url: "\(url)"}
        transforms:
          watch: {type: motion, input: front}
          stamp: {type: overlay, input: front, \(overlay)}
          label:
            type: overlay
            input: front
            text: "x"
        sinks:
          web: {type: http, input: stamp, path: /front\(web)}
          more: {type: http, input: label, path: /label}
          clips: {type: file, input: front, path: "a/%H%M%S.mp4", when: watch\(clips)}
        """
    }

    private func check(_ text: String, sentence: String, fix: String) throws {
        let faulty = MendedFile(text)
        #expect(faulty.diagnostics.map(\.sentence) == [sentence], "\(faulty.report)")
        let fault = try #require(faulty.diagnostics.first)
        #expect(fault.fix == fix)
        let mended = MendedFile(try #require(faulty.applying(fault)))
        #expect(mended.report == "", "\(mended.text)\n\(mended.report)")
    }

    private static let durations = "units: ms, s, m, h, d, w"
    private static let sizes = "units: B, KB, KiB, MB, MiB, GB, GiB, TB, TiB"

    @Test(
        "of a value with its unit",
        arguments: [
            ("retention: {max_age: 14days}", "\"14days\" has the unknown unit \"days\"", "write 14d; \(durations)"),
            ("retention: {max_age: 14 days}", "\"14 days\" is not a duration such as 5s or 200ms", "write 14d"),
            ("retention: {max_age: 14}", "14 has no unit", "write 14s, 14m, 14h or 14d, as is meant; \(durations)"),
            ("retention: {max_total: 5}", "5 has no unit", "write 5MiB or 5GiB, as is meant; \(sizes)"),
            ("retention: {max_total: 5 gb}", "\"5 gb\" is not a size such as 64MiB", "write 5GB"),
            (
                "retention: {min_free: 5}", "5 has no unit",
                "write 5% or 5GiB, as is meant; accepted: 0.1%…99%, or a size from 1KiB; for none leave the key out"
            ),
            ("pre_roll: 7", "7 has no unit", "write 7s; \(durations)"),
            ("link: {max_age: 2M}", "\"2M\" has the unknown unit \"M\"", "write 2m; \(durations)"),
            ("link: {max_items: 5items}", "\"5items\" is not a whole number", "write 5"),
        ])
    func units(line: String, sentence: String, fix: String) throws {
        try check(text(clips: ", \(line)"), sentence: sentence, fix: fix)
    }

    @Test(
        "of a deadline with its unit",
        arguments: [
            ("late_after: 5", "5 has no unit", "write 5s, 5m, 5h or 5d, as is meant; \(durations)"),
            ("late_after: 5sec", "\"5sec\" has the unknown unit \"sec\"", "write 5s; \(durations)"),
        ])
    func deadlines(line: String, sentence: String, fix: String) throws {
        try check(text(", \(line)"), sentence: sentence, fix: fix)
    }

    @Test("of a score in percent")
    func score() throws {
        for written in ["65", "65.0"] {
            try check(
                text().replacing("when: watch", with: "when: {event: watch, min_score: \(written)}"),
                sentence: "\"\(written)\" is out of range", fix: "write 0.65; accepted: 0…1")
        }
        try check(
            text().replacing("when: watch", with: "when: {event: watch, min_score: 65%}"),
            sentence: "\"65%\" is not a number", fix: "write 0.65")
    }

    @Test("of text that begins with a percent sign, in braces and on a line of its own")
    func percent() throws {
        try check(
            text(overlay: "text: %H:%M"), sentence: "text may not begin with % in YAML", fix: "quote it: \"%H:%M\"")
        try check(
            text().replacing("text: \"x\"", with: "text: %H:%M {source}"),
            sentence: "text may not begin with % in YAML", fix: "quote it: \"%H:%M {source}\"")
    }

    @Test("of an empty or a broken URL")
    func url() throws {
        try check(
            text(url: ""),
            sentence: "nothing is written here: where the camera is",
            fix: "write demo://porch, or your own")
        for (url, sentence) in [
            ("http://cam/a b", "a blank stands in the URL, where there are none"),
            ("http://cam/a%20b ", "a blank stands before or behind the URL"),
            (" http://cam/a%20b", "a blank stands before or behind the URL"),
        ] {
            try check(text(url: url), sentence: sentence, fix: "write http://cam/a%20b")
        }
        for (url, sentence) in [
            ("http//u:p@cam/a", "the colon is missing behind \"http\""),
            ("file:http://cam/a", "\"file:\" stands before a URL of http"),
        ] {
            #expect(MendedFile(text(url: url)).diagnostics.map(\.sentence) == [sentence])
        }
        let secret = MendedFile(text(url: "http://me:hunter 22@cam/a"))
        #expect(secret.diagnostics.map(\.code) == [.invalidValue])
        #expect(secret.diagnostics.first?.fix == "delete it, or write %20 where it belongs to a name or a password")
    }

    @Test("of a secret in quotes")
    func secret() throws {
        let line = "url: \"http://cam/\", password: \"!secret file:x\""
        try check(
            text().replacing("url: \"demo://porch\"", with: line),
            sentence: "inside quotes this is plain text, and no secret is read",
            fix: "take the quotes away: !secret file:x")
    }

    @Test("of quotes, dashes, commas and colons that YAML reads in its own way")
    func layout() throws {
        let quote = "the quote that begins here is closed before the value ends"
        for (written, sentence, fix) in [
            ("'it's me'", quote, "write \"it's me\""),
            ("\"REC\" now", quote, "quote the whole value: '\"REC\" now'"),
            (
                "- REC -", "text may not begin with - and a blank in YAML, where a list begins so",
                "quote it: \"- REC -\""
            ),
            (", x", "text may not begin with , in YAML", "quote it: \", x\""),
        ] {
            try check(text().replacing("text: \"x\"", with: "text: \(written)"), sentence: sentence, fix: fix)
        }
        for (written, fix) in [("type = overlay", "write type: overlay"), ("type:overlay", "write type: overlay")] {
            try check(
                text().replacing("    type: overlay\n", with: "    \(written)\n"),
                sentence: written.contains("=")
                    ? "a colon is missing behind \"type\"" : "a blank is missing behind the colon", fix: fix)
        }
        try check(
            text().replacing("  label:\n", with: "  label\n"), sentence: "a colon is missing behind \"label\"",
            fix: "write label:")
    }

    @Test("of what a comma cuts inside braces")
    func cut() throws {
        func sentence(_ key: String) -> String { "inside { } a comma ends the value of \"\(key)\" in YAML" }
        try check(text(", fps: 12,5"), sentence: sentence("fps"), fix: "write 12.5")
        try check(text(", width: 1,280"), sentence: sentence("width"), fix: "write 1280")
        try check(
            text(overlay: "text: a, b, c"), sentence: sentence("text"), fix: "quote the whole value: \"a, b, c\"")
    }

    @Test("of ids, URLs and numbers in other words")
    func words() throws {
        try check(
            text().replacing("type: http, input: stamp", with: "type: http, input: {stamp: out}"),
            sentence: "found a map, expected an id", fix: "write stamp.out")
        try check(
            text().replacing("path: /front", with: "path:/front"), sentence: "a blank is missing behind the colon",
            fix: "write path: /front")
        try check(
            text(url: "//192.168.1.20/video"), sentence: "no scheme stands before the // of the URL",
            fix: "write http://192.168.1.20/video")
        try check(text(", max_viewers: 1k"), sentence: "\"1k\" is not a whole number", fix: "write 1000")
    }
}
