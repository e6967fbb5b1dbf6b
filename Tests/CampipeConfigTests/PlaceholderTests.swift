import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("What is to be put in, and is not")
struct PlaceholderTests {
    private func file(_ camera: String, sink: String = "path: /a") -> PipelineFile {
        read("version: 1\nsources:\n  a: {type: camera, \(camera)}\nsinks: {w: {type: http, input: a, \(sink)}}\n")
    }

    /// The place, the sentence and the fix of each diagnostic.
    private func found(_ file: PipelineFile) -> [String] {
        zip(file.summary, file.report.diagnostics).map { "\($0); \($1.sentence); \($1.fix)" }
    }

    private static let elsewhere =
        "write the value itself, or ${IP} for a variable of the environment; "
        + "or put the node under \"templates\" with params: [ip]"

    @Test("A name in braces outside a template is an error in the host of a URL, and elsewhere a warning")
    func braces() {
        let sentence = "nothing is put in for {ip}, which stands in no template"
        #expect(
            found(file("url: \"rtsp://{ip}/stream\""))
                == ["CAM0047 3:34 error; \(sentence); \(Self.elsewhere)"])
        #expect(
            found(file("url: \"rtsp://h/{ip}\"")) == ["CAM0047 3:36 warning; \(sentence); \(Self.elsewhere)"])
        #expect(file("url: \"rtsp://h/{ip}\"").description != nil)
        #expect(
            found(file("url: \"http://h/{camera}/\""))
                == [
                    "CAM0047 3:36 warning; nothing is put in for {camera}, which is known under \"templates\" only; "
                        + "write the name itself, or put the node under \"templates\""
                ])
    }

    @Test("So is a variable without braces, wherever it stands; a lower one only in a host")
    func variables() {
        func said(_ text: String, _ name: String) -> String {
            "nothing is put in for \(text): the name of a variable stands in braces; write ${\(name)}"
        }
        #expect(found(file("url: http://$HOST/x")) == ["CAM0047 3:33 error; " + said("$HOST", "HOST")])
        #expect(found(file("url: http://$(HOST)/x")) == ["CAM0047 3:33 error; " + said("$(HOST)", "HOST")])
        #expect(found(file("url: http://cam-$n.home/x")) == ["CAM0047 3:37 error; " + said("$n", "n")])
        #expect(
            found(file("url: x", sink: "path: /$NAME")) == ["CAM0047 4:42 warning; " + said("$NAME", "NAME")])
        for url in ["http://h/x?a=$b", "http://h/$$HOST", "http://h/100$", "http://h/$1"] {
            #expect(found(file("url: \(url)")).isEmpty, "\(url)")
        }
    }

    @Test("A part of a password is told of nowhere; a password that is a name in braces is told by that name")
    func passwords() {
        for camera in [
            "url: \"rtsp://me:pa{ss}x@h/\"", "url: \"rtsp://me:pa$WORD@h/\"", "url: x, password: \"a{b}c\"",
            "url: x, password: \"a$BCD\"", "url: x, password: \"{Ab3x}\"", "url: \"rtsp://me:{Ab3x}@h/\"",
            "url: x, password: $ecret", "url: \"http://h/?pwd=a{b}c\"",
        ] {
            #expect(found(file(camera)).isEmpty, "\(camera)")
        }
        let text = file("url: \"rtsp://{user}:{password}@10.0.0.1/\"").report.text()
        #expect(text.contains("nothing is put in for {user}, which"), "\(text)")
        #expect(text.contains("nothing is put in for {password}, which"))
        #expect(text.contains("rtsp://{user}:{password}@10.0.0.1/"))
        let pasword = file("url: x, password: \"{pasword}\"").report.text()
        #expect(pasword.contains("nothing is put in for {pasword}, which"), "\(pasword)")
        #expect(!file("url: \"rtsp://{user}:geheim77@{ip}/\"").report.text().contains("geheim77"))
    }

    @Test("So is what instructions have for an address, and double braces wherever they stand in a URL")
    func samples() {
        for text in ["<ip>", "[ip]", "%IP%"] {
            #expect(
                found(file("url: \"rtsp://\(text)/x\"")) == [
                    "CAM0047 3:34 error; nothing is put in for \(text); "
                        + "write the value itself, or ${IP} for a variable of the environment"
                ])
        }
        let user = found(file("url: \"rtsp://me:<password>@h/\"")).first
        #expect(user?.hasPrefix("CAM0047 3:37 warning; nothing is put in for <password>; ") == true, "\(user ?? "")")
        for url in [
            "rtsp://[fe80::1]/x", "http://h/a%20b%20c", "http://me:a%40b%40c@h/", "http://h/<x>", "http://h/[x]",
        ] {
            #expect(found(file("url: \"\(url)\"")).isEmpty, "\(url)")
        }
        let jinja = file("url: \"rtsp://{{ secrets.user }}:{{ secrets.word }}@10.0.0.5/\"").report.diagnostics
        #expect(jinja.map(\.severity) == [.error, .error])
        #expect(jinja.last?.sentence.hasPrefix("nothing is put in for {{ secrets.word }}, which") == true)
    }

    @Test("What is in braces and no name stays as it is")
    func others() {
        for url in [
            "http://h/{3f2504e0-4f89-11d3-9a0c-0305e82c3301}", "http://h/{}", "http://h/{1}", "http://h/{a b}",
        ] {
            #expect(found(file("url: \"\(url)\"")).isEmpty, "\(url)")
        }
    }

    private func template(_ cam: String, _ camera: String) -> PipelineFile {
        read(
            """
            version: 1
            templates:
              t:
                params: [url]
                sources:
                  cam: {type: camera, \(cam)}
                sinks: {web: {type: http, input: cam, path: "/{camera}"}}
            cameras:
              yard: {use: t, \(camera)}
              gate: {use: t, url: x}
            """)
    }

    @Test("What a camera gives is looked at where the template uses it, and told at the camera")
    func given() {
        let file = template("url: \"http://{url}/x\"", "url: \"{ip}:80\"")
        #expect(
            found(file) == [
                "CAM0047 9:24 error; nothing is put in for {ip}: what a camera gives is taken as it stands; "
                    + "write the value itself, or ${IP} for a variable of the environment"
            ])
        #expect(file.report.diagnostics.first?.related.map(\.note) == ["the template uses it here"])
        #expect(
            found(template("url: \"http://{url}/x\"", "url: h/$PATH")) == [
                "CAM0047 9:25 warning; nothing is put in for $PATH: the name of a variable stands in braces; "
                    + "write ${PATH}"
            ])
    }

    @Test("In a template two pairs of braces are told, and a variable without braces")
    func doubled() {
        #expect(
            found(template("url: \"{{ url }}\"", "url: x")) == [
                "CAM0047 6:33 error; {{ url }} is not filled in: a parameter stands in one pair of braces; write {url}"
            ])
        #expect(
            found(template("url: \"{{url}}\"", "url: x")).map { $0.suffix(11) } == ["write {url}"])
        #expect(
            found(template("url: \"http://$HOST/{url}\"", "url: x")).map { $0.prefix(18) } == ["CAM0047 6:40 error"])
    }
}
