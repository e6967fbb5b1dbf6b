import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("Words of other tools")
struct ForeignWordTests {
    private func found(_ text: String, environment: [String: String] = [:]) -> [String] {
        let file = read("version: 1\n" + text, environment: environment)
        return zip(file.summary, file.report.diagnostics).map { "\($0.split(separator: " ")[1]) \($1.fix)" }
    }

    private static let sinks = "\nsinks: {w: {type: http, input: front, path: /w}}"

    @Test("A source that is only a URL is told what to write, and who takes from it is right")
    func urls() {
        #expect(
            found("sources:\n  front: rtsp://h/live" + Self.sinks)
                == ["3:10 write front: {type: camera, url: ...}"])
        #expect(
            found("sources:\n  front:\n    - rtsp://h/live" + Self.sinks)
                == ["4:5 write front: {type: camera, url: ...}"])
        #expect(
            found("streams:\n  front: {type: camera, url: x}" + Self.sinks) == ["2:1 did you mean \"sources\"?"])
    }

    @Test("A list of nodes is told with the first one's id, and who names one is right")
    func lists() {
        #expect(
            found("sources:\n  - id: front\n    type: camera\n    url: x" + Self.sinks)
                == ["3:3 write each node as front: {type: ...}, without dashes"])
    }

    @Test(
        "Keys and types by another name are told by ours",
        arguments: [
            ("camera, url: x, timeout: 5", "connect_timeout"), ("camera, url: x, framerate: 5", "fps"),
            ("camera, uri: x", "url"), ("camera, url: x, passwd: geheim77", "password"),
        ])
    func keys(node: String, key: String) {
        #expect(
            found("sources: {front: {type: \(node)}}" + Self.sinks).map { $0.split(separator: " ", maxSplits: 1)[1] }
                == ["did you mean \"\(key)\"?"])
    }

    @Test("So are types, and a source's name for a sink is not sent to the sources alone")
    func types() {
        let sources = "sources: {front: {type: camera, url: x}}\nsinks:\n"
        #expect(
            found(sources + "  w: {type: record, input: front, path: \"%H.mp4\"}") == ["4:13 did you mean \"file\"?"])
        #expect(found("sources: {front: {type: onvif, url: x}}" + Self.sinks) == ["2:25 did you mean \"camera\"?"])
    }

    @Test("Where Frigate's cameras stand, the fix says where a single camera stands")
    func cameras() {
        #expect(
            found("cameras:\n  front: {ffmpeg: {}}\nsources: {front: {type: camera, url: x}}" + Self.sinks)
                == [
                    "3:3 a single camera stands under \"sources\": front: {type: camera, url: ...}; here stand copies "
                        + "of a template, which \"templates\" declares"
                ])
    }

    @Test("Who names a camera that could not be read is right")
    func unread() {
        let cameras = "cameras:\n  yard: {ffmpeg: {}}\nsinks: {w: {type: http, input: yard, path: /w}}"
        #expect(found(cameras).map { $0.prefix(3) } == ["3:3"])
    }

    private func template(_ params: String, _ camera: String) -> String {
        """
        templates:
          t:
            \(params)
            sources: {cam: {type: camera, url: "{url}"}}
            sinks: {w: {type: http, input: cam, path: "/{camera}"}}
        cameras:
          yard: \(camera)
        """
    }

    @Test("Of a template and its cameras too, and nothing that follows from that is told")
    func templates() {
        #expect(
            found(template("parameters: [url]", "{use: t, url: x}")) == ["4:5 did you mean \"params\"?"])
        #expect(
            found(template("params: {url: text}", "{use: t, url: x}")) == ["4:13 write params: [url]"])
        #expect(
            found(template("params: [url]", "{template: t, url: x}")) == ["8:10 did you mean \"use\"?"])
        #expect(found(template("params: [url]", "t")) == ["8:9 write yard: {use: t}"])
    }

    @Test(
        "A variable as shells and Docker write it is told without what follows its name",
        arguments: [
            ("PASS-geheim77", "write ${PASS:-...}: a default stands behind :-"),
            ("PASS:=geheim77", "write ${PASS:-...}: a default stands behind :-"),
            ("PASS:?geheim77", "write ${PASS}: that it must be set is so without a word"),
            ("PASS/geheim77", "write ${NAME} or ${NAME:-default}; $${ is a literal ${"),
        ])
    func variables(inside: String, fix: String) {
        let file = read("version: 1\nsources: {front: {type: camera, url: \"rtsp://me:${\(inside)}@h/\"}}" + Self.sinks)
        #expect(file.report.diagnostics.map(\.fix) == [fix])
        #expect(file.report.diagnostics.first?.sentence == "${PASS...} is no variable")
        #expect(!file.report.text().contains("geheim77"), "\(file.report.text())")
    }

    @Test("Tags of Home Assistant are told once, by what stands for them here")
    func tags() {
        #expect(
            found("sources: !include cams.yaml\nsinks: {w: {type: log, input: [\"*\"]}}").first
                == "2:10 write here what stands there: a pipeline is one file")
        #expect(
            found("sources: {front: {type: camera, url: !env_var URL}}" + Self.sinks)
                == ["2:38 write ${NAME} or ${NAME:-default}"])
    }

    @Test("What several nodes share, as Docker's files have it, belongs under defaults")
    func shared() {
        #expect(
            found("x-common: {fps: 5}\nsources: {front: {type: camera, url: x}}" + Self.sinks)
                == ["2:1 delete it; options that several nodes share stand under \"defaults\", by type"])
    }
}
