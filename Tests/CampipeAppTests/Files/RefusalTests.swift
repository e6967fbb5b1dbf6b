import CampipeConfig
import CampipeKit
import CampipeNodes
import Testing

@Suite("What campipe does not take, with its own types")
struct RefusalTests {
    @Test(
        "a type that is yet to come is said to be so, and no other fault follows",
        arguments: [
            ("sinks", "mqtt")
        ])
    func planned(section: String, type: String) throws {
        var nodes = [
            "sources": ["cam: {type: camera, url: \"demo://porch\"}"], "transforms": [],
            "sinks": ["v: {type: http, input: cam, path: /v}"],
        ]
        nodes[section]?.append("new: {type: \(type), \(section == "sources" ? "device" : "input"): cam, thing: x}")
        if section != "sinks" { nodes["sinks"]?.append("w: {type: http, input: new, path: /w}") }
        let sections = nodes.map { "\($0):\n" + $1.map { "  \($0)\n" }.joined() }
        let file = MendedFile("version: 1\n" + sections.joined())
        #expect(file.diagnostics.map(\.code) == [.notSupportedYet], "\(file.text)\n\(file.report)")
        #expect(file.diagnostics[0].sentence.hasPrefix("the type \(type) is not in this version: it will "))
        #expect(!file.diagnostics[0].fix.isEmpty)
    }

    @Test("a type that is there is none to come")
    func present() {
        let names = BuiltInNodes.registry.registrations.map(\.descriptor.name)
        #expect(!names.contains("mqtt"))
        #expect(
            MendedFile("version: 1\nsources: {a: {type: rstp}}\nsinks: {w: {type: log, input: a}}").report
                .contains("there is no source type \"rstp\""))
    }

    @Test("a link on a source is refused, and said to belong to who takes from it")
    func linkOfSource() {
        let file = MendedFile(
            """
            version: 1
            sources: {cam: {type: camera, url: "demo://porch", link: {max_items: 2}, links: {}, max_age: 5s}}
            sinks: {w: {type: http, input: cam, path: /w}}
            """)
        #expect(file.diagnostics.map(\.code) == [.misplacedKey, .misplacedKey, .misplacedKey], "\(file.report)")
        #expect(
            file.diagnostics.map(\.fix)
                == ["link", "links", "link: {max_age: ...}"].map {
                    "a source has no input: write \($0) in the nodes that take from cam"
                })
    }

    @Test(
        "two spellings of one file or one path are one",
        arguments: ["a/../b/%H.mp4", "./b//%H.mp4", "x/y/../../b/%H.mp4"])
    func folded(path: String) {
        let file = MendedFile(
            """
            version: 1
            sources: {cam: {type: camera, url: "demo://porch"}}
            sinks:
              one: {type: file, input: cam, path: "b/%H.mp4"}
              two: {type: file, input: cam, path: "\(path)"}
              out: {type: file, input: cam, path: "../b/%H.mp4"}
            """)
        #expect(file.diagnostics.map(\.code) == [.pathInUse], "\(file.report)")
    }

    @Test("a path that browsers would fold is told as they fold it, unless that is taken")
    func served() {
        func fixes(_ path: String) -> [String?] {
            MendedFile(
                """
                version: 1
                sources: {cam: {type: camera, url: "demo://porch"}}
                sinks:
                  one: {type: http, input: cam, path: /a}
                  two: {type: http, input: cam, path: \(path)}
                """
            ).diagnostics.map(\.fix)
        }
        #expect(fixes("/x/../b") == ["write /b"])
        #expect(fixes("/x/../a") == ["write it without them"])
        #expect(fixes("/x/../api") == ["write it without them"])
        #expect(fixes("/..") == ["write it without them"])
    }

    @Test("two fields of one text that are not known are two faults, each at its column")
    func fields() {
        let text = MendedFile(
            """
            version: 1
            sources: {cam: {type: camera, url: "demo://porch"}}
            transforms: {o: {type: overlay, input: cam, text: "{sorce} %H {watch.scor} %Q }"}}
            sinks:
              w: {type: http, input: o, path: /w}
              f: {type: file, input: cam, path: "{sorce}/%Q{cam}.mp4"}
            """
        ).report
        let places = text.matches(of: /home\.yaml:(\d+:\d+): error/).map { String($0.1) }
        #expect(places == ["3:52", "3:63", "3:76", "3:79", "6:38", "6:46", "6:48"], "\(text)")
    }
}
