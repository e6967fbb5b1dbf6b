import CampipeConfig
import CampipeKit
import Testing

@Suite("Slips in files of campipe's own types")
struct SlipFileTests {
    private func check(_ text: String, _ sentences: [String], _ fixes: [String]) {
        let file = MendedFile("version: 1\n" + text)
        #expect(file.diagnostics.map(\.sentence) == sentences, "\(file.report)")
        #expect(file.diagnostics.map(\.fix) == fixes)
    }

    private func camera(_ url: String) -> String {
        "sources: {a: {type: camera, url: \"\(url)\"}}\nsinks: {w: {type: http, input: a, path: /a}}"
    }

    @Test("A name in braces that is no parameter is told in the URL of each kind of camera")
    func leftOver() {
        for (type, url) in [("mjpeg", "http://{hots}/x"), ("rtsp", "rtsp://{hots}/"), ("camera", "{hots}")] {
            check(
                """
                templates:
                  t:
                    params: [host]
                    sources: {cam: {type: \(type), url: "\(url)"}}
                    sinks:
                      web: {type: http, input: cam, path: "/{camera}"}
                      rec: {type: file, input: cam, path: "{camera}/{source}/{id}/%H%M%S.mp4"}
                cameras: {yard: {use: t, host: cam.home}}
                """, ["{hots} is no parameter of the template"], ["did you mean {host}?"])
        }
    }

    @Test("An element of a list that could not be read is none too few")
    func elements() {
        check(
            """
            sources: {a: {type: camera, url: "demo://porch"}, b: {type: camera, url: "demo://porch"}}
            transforms: {g: {type: grid, inputs: [a, *b]}}
            sinks: {w: {type: http, input: g, path: /a}}
            """, ["YAML reads *b as an alias, and there is no &b"], ["quote it if it is a pattern: \"*b\""])
    }

    @Test("Of two terminals one shows nothing, which is warned of")
    func terminals() throws {
        let text =
            "sources: {a: {type: camera, url: \"demo://porch\"}}\nsinks: {t: {type: terminal, input: a}, u: {type: terminal, input: a}}"
        check(
            text, ["t shows its pictures in the terminal already, and one node can"],
            ["write enabled: false on one of them"])
        #expect(MendedFile("version: 1\n" + text).file.description != nil)
        check(text.replacing("terminal, input: a}}", with: "terminal, input: a, enabled: false}}"), [], [])
    }

    @Test("A URL without its scheme, and an address whose bracket is open, are told")
    func urls() {
        let sentence = "no scheme stands before the // of the URL"
        check(camera("//192.168.1.20/video"), [sentence], ["write http://192.168.1.20/video"])
        check(
            camera("//192.168.1.20/video").replacing("type: camera", with: "type: rtsp"), [sentence],
            ["write rtsp://192.168.1.20/video"])
        check(camera("http://192.168.1.20/video"), [], [])
        check(camera("//me:geheim77@cam/video"), [sentence], ["write http: before it"])
        check(
            camera("http://[::1/"), ["the bracket of the URL's address is not closed"],
            ["write it as [::1], and a port behind it"])
    }

    @Test("Thousands are told in digits")
    func thousands() {
        for (written, meant) in [("1k", "1000"), ("2K", "2000"), ("12viewers", "12")] {
            check(
                camera("demo://porch").replacing("path: /a", with: "path: /a, max_viewers: \(written)"),
                ["\"\(written)\" is not a whole number"], ["write \(meant)"])
        }
    }
}
