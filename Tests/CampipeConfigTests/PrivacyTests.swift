import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("privacy of a source")
struct PrivacyTests {
    private func file(_ privacy: String, type: String = "camera, url: \"http://a/\"") -> PipelineFile {
        read(
            """
            version: 1
            sources:
              a: {type: \(type), privacy: \(privacy)}
            sinks:
              web: {type: http, input: a.out, path: /a}
            """)
    }

    private static let triangle = "[[0, 0], [1, 0], [1, 0.5]]"

    @Test("one polygon and a list of polygons are both taken, with the outputs that carry pictures")
    func shapes() throws {
        let one = try #require(file(Self.triangle).node("a")?.privacy)
        #expect(one.polygons.list == [[.init(x: 0, y: 0), .init(x: 1, y: 0), .init(x: 1, y: 0.5)]])
        #expect(one.outputs == ["out", "sub"])
        let two = try #require(file("[\(Self.triangle), [[0.1, 1e-3], [0.25, 1.0], [0, .5]]]").node("a")?.privacy)
        #expect(two.polygons.list.count == 2)
        var faults: [Fault] = []
        #expect(Polygons.read(two.polygons.value, at: .root, into: &faults) == two.polygons && faults.isEmpty)
    }

    @Test(
        "what is no polygon is a fault where it stands, and nothing starts",
        arguments: [
            ("[]", ["CAM0040 3:48 error"]),
            ("", ["CAM0022 3:39 error"]),
            ("none", ["CAM0022 3:48 error"]),
            ("{x: 1}", ["CAM0022 3:48 error"]),
            ("[[0, 0], [1, 1]]", ["CAM0040 3:48 error"]),
            ("[[0, 0], [0.5, 0.5], [1, 1]]", ["CAM0040 3:48 error"]),
            ("[[0, 0], [1, 0], [1]]", ["CAM0040 3:65 error"]),
            ("[[0, 0], [1, y], [1, 50%]]", ["CAM0040 3:61 error", "CAM0040 3:69 error"]),
            ("[[0, 0], [1, 1.1], [-1, 0]]", ["CAM0042 3:57 error", "CAM0042 3:67 error"]),
            ("[[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, nan], [1, 1]]]", ["CAM0040 3:88 error"]),
            ("[[[0, 0], [1, 0]], [[0, 0], [1, 2], [1, 1]]]", ["CAM0040 3:49 error", "CAM0042 3:76 error"]),
        ] as [(String, [String])])
    func faulty(privacy: String, expected: [String]) {
        let file = file(privacy)
        #expect(file.summary == expected)
        #expect(file.description == nil)
    }

    @Test("a source without pictures has nothing to cover")
    func noPictures() {
        let file = file(Self.triangle, type: "pattern, kind: empty")
        #expect(file.report.text().contains("a gives no pictures, so there is nothing to cover"))
        #expect(file.description == nil)
    }

    @Test("it is a key of sources alone")
    func elsewhere() {
        let file = read(
            "version: 1\nsources: {a: {type: pattern}}\nsinks: {t: {type: terminal, input: a, privacy: []}}")
        #expect(file.report.text().contains("it is a key of sources"))
    }

    @Test("a template's parameter and the defaults of a type give it too")
    func elsewhereGiven() throws {
        let file = read(
            """
            version: 1
            defaults: {pattern: {privacy: [[0, 0], [1, 0], [1, 1]]}}
            templates:
              one:
                params: [zone, url]
                sources: {cam: {type: camera, url: "{url}", privacy: "{zone}"}}
                sinks: {web: {type: http, input: cam, path: "/{camera}"}}
            cameras:
              yard: {use: one, url: "http://a/", zone: [[0, 0], [0.5, 0], [0.5, 1]]}
            sources: {p: {type: pattern}}
            sinks: {t: {type: terminal, input: p}}
            """)
        #expect(file.report.text() == "")
        #expect(file.node("yard/cam")?.privacy?.polygons.list.first?.last == .init(x: 0.5, y: 1))
        #expect(file.node("p")?.privacy?.polygons.list.first?.last == .init(x: 1, y: 1))
        #expect(file.node("p")?.privacy?.outputs == ["out"])
    }

    @Test("faulty defaults are a fault there")
    func faultyDefaults() {
        let file = read(
            "version: 1\ndefaults: {pattern: {privacy: [[0, 0], [1, 0], [1, 2]]}}\nsources: {p: {type: pattern}}\n"
                + "sinks: {t: {type: terminal, input: p}}")
        #expect(file.summary == ["CAM0042 2:48 error"])
    }

    @Test("who takes any kind of item takes frames of it, and sound passes by")
    func kinds() throws {
        func file(_ privacy: String) -> PipelineFile {
            read(
                """
                version: 1
                sources: {a: {type: camera, url: "http://a/"\(privacy)}}
                transforms: {i: {type: identity, input: a}}
                sinks:
                  t: {type: terminal, input: i}
                  rec: {type: file, input: a, path: a}
                """)
        }
        let (open, covered) = (file(""), file(", privacy: \(Self.triangle)"))
        #expect(open.node("i")?.registration.descriptor.mainInput?.kind == .packet)
        #expect(covered.report.text() == "")
        #expect(covered.node("i")?.registration.descriptor.mainInput?.kind == .frame)
        #expect(covered.node("rec")?.inputs.map { "\($0.port)=\($0.from)" } == ["input=[a.out]", "audio=[a.audio]"])
    }

    @Test("a sink that takes JPEG alone takes H.264 too once it is covered, since it is encoded again")
    func encodedAgain() {
        func file(_ privacy: String) -> PipelineFile {
            read(
                "version: 1\nsources: {a: {type: camera, url: \"http://a/x.h264\"\(privacy)}}\n"
                    + "sinks: {j: {type: jpegs, input: a}}")
        }
        #expect(file("").report.errorCount == 1)
        #expect(file(", privacy: \(Self.triangle)").report.text() == "")
    }

    @Test("a private source that is masked further in one branch needs no warning; one without privacy does")
    func noWarning() {
        func file(_ privacy: String) -> PipelineFile {
            read(
                """
                version: 1
                sources: {a: {type: camera, url: "http://a/"\(privacy)}}
                transforms: {m: {type: mask, input: a}}
                sinks:
                  public: {type: http, input: m, path: /public}
                  own: {type: http, input: a, path: /own}
                """)
        }
        #expect(file("").report.warningCount == 1)
        #expect(file(", privacy: \(Self.triangle)").report.text() == "")
    }
}
