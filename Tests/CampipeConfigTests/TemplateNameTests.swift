import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Names in braces of a template")
struct TemplateNameTests {
    private func template(
        params: String = "url", cam: String = "url: \"{url}\"", web: String = "path: \"/{camera}\"", more: String = "",
        camera: String = "url: x"
    ) -> String {
        """
        version: 1
        templates:
          t:
            params: [\(params)]
            sources: {cam: {type: camera, \(cam)}}
            transforms: {s: {type: scale, input: cam, width: 320}\(more)}
            sinks: {web: {type: http, input: s, \(web)}}
        cameras:
          yard: {use: t, \(camera)}
          gate: {use: t, \(camera)}
        """
    }

    private func check(_ text: String, _ sentence: String, _ fix: String) {
        let found = read(text).report.diagnostics
        #expect(found.map(\.sentence) == [sentence], "\(read(text).report.text())")
        #expect(found.map(\.fix) == [fix])
        #expect(found.first?.code == .unknownField)
        #expect(found.first?.related.map(\.note) == ["for the camera \"yard\" and 1 more"])
    }

    @Test("One that is no parameter is told in whatever option it stands, with the one that was meant")
    func kinds() {
        check(
            template(cam: "url: \"{ulr}\""), "{ulr} is no parameter of the template", "did you mean {url}?")
        check(
            template(cam: "url: \"rtsp://{url}:554/{chanel}\""), "{chanel} is no parameter of the template",
            "known: {camera}, {url}")
        check(
            template(params: "url, qlty", web: "path: \"/{camera}\", quality: \"{qulty}\"", camera: "url: x, qlty: 3"),
            "{qulty} is no parameter of the template", "did you mean {qlty}?")
        check(
            template(web: "path: \"/{camra}\""), "{camra} is no parameter of the template", "did you mean {camera}?")
        check(
            template(cam: "url: \"{url}\", password: \"{pasword}\"").replacing(
                "params: [url]", with: "params: [url, password]"
            )
            .replacing("url: x", with: "url: x, password: geheim77"),
            "{pasword} is no parameter of the template", "did you mean {password}?")
    }

    @Test("So is one in a reference, under when, and in a key of every node")
    func references() {
        check(
            template(params: "url, src", camera: "url: x, src: cam").replacing("input: cam", with: "input: \"{scr}\""),
            "{scr} is no parameter of the template", "did you mean {src}?")
        check(
            template(web: "path: \"/{camera}\", when: \"{wath}\""), "{wath} is no parameter of the template",
            "known: {camera}, {url}")
        check(
            template(cam: "url: \"{url}\", stall_after: \"{urll}\""), "{urll} is no parameter of the template",
            "did you mean {url}?")
        check(
            template(cam: "url: \"{ url }\""), "{ url } is no parameter of the template", "did you mean {url}?")
    }

    @Test("In a template that no camera uses too")
    func sample() {
        let text = template(cam: "url: \"{ulr}\"").prefix { _ in true }.split(separator: "cameras:")[0]
        let file = read(text + "sources: {a: {type: camera, url: x}}\nsinks: {w: {type: http, input: a, path: /w}}")
        #expect(file.report.diagnostics.filter { $0.severity == .error }.map(\.fix) == ["did you mean {url}?"])
    }

    @Test("What a node reads itself, passwords and what is no name are left alone")
    func fields() {
        let fine = [
            template(more: ", o: {type: overlay, input: s, text: \"{source}\"}").replacing(
                "input: s, path", with: "input: o, path"),
            template(cam: "url: \"{url}\", password: \"a{b}c\""),
            template(cam: "url: \"{url}{}{1}{a b}{a,b}$${x}\""),
        ]
        for text in fine { #expect(read(text).report.diagnostics.isEmpty, "\(read(text).report.text())") }
    }

    @Test("A parameter that nothing uses is warned of, unless it is most likely misspelt where it is used")
    func unused() {
        let file = read(template(params: "url, title", camera: "url: x, title: y"))
        #expect(file.summary == ["CAM0064 4:19 warning"])
        #expect(
            file.report.diagnostics.first?.sentence == "nothing in the template \"t\" uses the parameter \"title\"")
        #expect(
            file.report.diagnostics.first?.fix
                == "write {title} where it is due, or delete it here and from the cameras")
        #expect(file.description != nil)
    }
}
