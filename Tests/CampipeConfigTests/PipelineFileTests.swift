import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("The pipeline file")
struct PipelineFileTests {
    private static let home = """
        version: 1
        name: home
        server: {listen: "127.0.0.1:9090"}
        sources:
          front: {type: camera, url: "${CAMERA_URL:-demo://porch}"}
        transforms:
          small: {type: scale, input: front, width: 640}
          watch: {type: motion, input: front}
          stamp: {type: overlay, input: small, text: "{source} %Y-%m-%d %H:%M:%S", events: [watch], draw: [boxes]}
        sinks:
          web: {type: http, input: stamp, path: /front}
          clips:
            {type: file, input: front, path: "recordings/%Y-%m-%d/%H%M%S.mp4", when: watch, pre_roll: 5s,
            retention: {max_age: 14d}}
          screen: {type: terminal, input: stamp, enabled: false}
        """

    @Test("The design's own example is read whole")
    func example() throws {
        let file = read(Self.home)
        #expect(file.report.text() == "")
        let pipeline = try #require(file.description)
        #expect(pipeline.name == "home")
        #expect(pipeline.server == ServerSettings(host: "127.0.0.1", port: 9090))
        #expect(pipeline.nodes.map(\.id) == ["front", "small", "watch", "stamp", "web", "clips", "screen"])
        let stamp = try #require(pipeline["stamp"])
        #expect(stamp.inputs.map { "\($0.port)=\($0.from)" } == ["input=[small.out]", "events=[watch.events]"])
        let clips = try #require(pipeline["clips"])
        #expect(clips.inputs.map { "\($0.port)=\($0.from)" } == ["input=[front.out]", "audio=[front.audio]"])
        #expect(clips.when == [WhenCondition(event: OutputReference(node: "watch", port: "events"), classes: [])])
        #expect(clips.options.keys == ["path", "pre_roll", "retention"])
        #expect(pipeline["web"]?.inputs.first?.from == [OutputReference(node: "stamp", port: "out")])
        #expect(pipeline["screen"]?.isEnabled == false)
        #expect(pipeline["front"]?.options["url"] == .text("demo://porch"))
    }

    @Test("Variables are filled in after parsing, and never read as YAML again")
    func variables() {
        let text = """
            version: 1
            sources:
              a: {type: camera, url: "${URL}"}
              b: {type: camera, url: "x$${URL}-${EMPTY:-e}-${UNSET:-d: [1]}"}
              c: {type: camera, url: "${URL:-z}", fps: "${FPS}"}
            sinks:
              w: {type: log, input: a.events}
            """
        let file = read(text, environment: ["URL": "a: {b: [${FPS}", "EMPTY": "", "FPS": "12"])
        #expect(file.report.errorCount == 0)
        #expect(file.node("a")?.options["url"] == .text("a: {b: [${FPS}"))
        #expect(file.node("b")?.options["url"] == .text("x${URL}-e-d: [1]"))
        #expect(file.node("c")?.options["fps"] == .text("12"))
    }

    @Test(
        "A variable that is missing is one fault, without what follows from it",
        arguments: [
            ("url: \"${NOPE}\"", ["CAM0045"]), ("url: x, fps: \"${NOPE}\"", ["CAM0045"]),
            ("url: \"${1X}\"", ["CAM0040"]),
            ("url: \"${X\"", ["CAM0040"]), ("url: x, fps: !secret file:none", ["CAM0046"]),
        ])
    func missingVariable(options: String, codes: [String]) {
        let file = read(
            "version: 1\nsources: {a: {type: camera, \(options)}}\nsinks: {w: {type: http, input: a, path: /w}}")
        #expect(file.report.diagnostics.map(\.code.text) == codes)
    }

    @Test("A secret comes from its file, marked")
    func secret() {
        let file = read(
            """
            version: 1
            sources: {a: {type: camera, url: x, password: !secret file:pw}}
            sinks: {w: {type: http, input: a, path: /w}}
            """,
            secrets: ["pw": "s3cr3t!"])
        #expect(file.node("a")?.options["password"] == .scalar(Value.Scalar("s3cr3t!", isQuoted: true, isSecret: true)))
        #expect(
            !file.render(Fault(.node, at: ["sources", "a"], "the camera said s3cr3t!", fix: "none")).contains("s3cr3t!")
        )
    }

    private static let template = """
        version: 1
        templates:
          nvr:
            params: [url, size]
            sources: {cam: {type: camera, url: "{url}"}}
            transforms:
              small: {type: scale, input: cam, width: "{size}"}
              watch: {type: motion, input: cam.sub}
              stamp: {type: overlay, input: small, text: "{camera}: {source}", events: watch}
            sinks:
              rec: {type: file, input: cam, when: watch, path: "{camera}/%H.mp4"}
              web: {type: http, input: stamp, preview: cam.sub, path: "/{camera}"}
        cameras:
          yard: {use: nvr, url: "http://1/", size: 320}
          gate: {use: nvr, url: "http://2/{camera}", size: 640}
        sources: {cam: {type: camera, url: "http://3/"}}
        sinks:
          house: {type: http, input: cam, path: /house}
          all: {type: log, inputs: ["*/watch"]}
          some: {type: log, inputs: [yard/watch, "gate/*"]}
        """

    @Test("What befalls a source is had by name; a source alone gives pictures, so that a forgotten motion is a fault")
    func eventsOfSource() {
        let named = read(
            """
            version: 1
            sources: {old: {type: file, path: x}}
            sinks:
              lost: {type: log, input: old.events}
              seen: {type: file, input: old, path: a, when: old.events}
            """)
        #expect(named.report.text() == "")
        #expect(named.node("lost")?.inputs.first?.from.map(\.description) == ["old.events"])
        #expect(named.node("seen")?.inputs.first?.from.map(\.description) == ["old.out"])
        let alone = read(
            """
            version: 1
            sources: {old: {type: file, path: x}}
            sinks: {seen: {type: file, input: old, path: a, when: old}}
            """)
        #expect(alone.report.text().contains("events are due here"))
    }

    @Test("A camera is a template with its parameters put in, and ids of its own")
    func cameras() throws {
        let file = read(Self.template)
        #expect(file.summary == ["CAM0047 15:35 warning"], "\(file.report.text())")
        let pipeline = try #require(file.description)
        #expect(
            pipeline.nodes.filter { $0.camera == "gate" }.map(\.id) == [
                "gate/cam", "gate/small", "gate/watch", "gate/stamp", "gate/rec", "gate/web",
            ])
        #expect(pipeline["gate/cam"]?.options["url"]?.kindText == "\"http://2/{camera}\"")
        #expect(pipeline["yard/small"]?.options["width"] == .plain("320"))
        #expect(pipeline["yard/small"]?.inputs.first?.from == [OutputReference(node: "yard/cam", port: "out")])
        #expect(pipeline["house"]?.inputs.first?.from == [OutputReference(node: "cam", port: "out")])
        #expect(pipeline["yard/stamp"]?.options["text"] == .text("yard: {source}"))
        #expect(
            pipeline["yard/web"]?.inputs.map(\.from) == [
                [OutputReference(node: "yard/stamp", port: "out")], [OutputReference(node: "yard/cam", port: "sub")],
            ])
        #expect(pipeline["all"]?.inputs.first?.from.map(\.description) == ["yard/watch.events", "gate/watch.events"])
        #expect(pipeline["some"]?.inputs.first?.from.map(\.description) == ["yard/watch.events", "gate/watch.events"])
    }

    @Test("Defaults by type: each role takes the keys it has, the node's own word wins, groups merge")
    func defaults() throws {
        let file = read(
            """
            version: 1
            defaults:
              file: {fps: 5, retention: {max_age: 14d, max_size: 1GiB}, late_after: 2s, on_error: stop}
              camera: {stall_after: 9s}
            sources: {old: {type: file, path: x}, cam: {type: camera, url: x}}
            sinks:
              a: {type: file, input: old, path: a, retention: {max_age: 1d}}
              b: {type: file, input: cam, path: b, late_after: 1s}
            """)
        // A clip is given all, however late it comes.
        #expect(file.report.diagnostics.map(\.code) == [.noEffect, .noEffect], "\(file.report.text())")
        #expect(file.node("old")?.options["fps"] == .plain("5"))
        #expect(file.node("old")?.onError == .stop)
        #expect(file.node("a")?.options["fps"] == nil)
        #expect(
            file.node("a")?.options["retention"] == .map(.init([.init("max_age", "1d"), .init("max_size", "1GiB")])))
        #expect(file.node("a")?.lateAfter == .seconds(2))
        #expect(file.node("b")?.lateAfter == .seconds(1))
        #expect(file.node("cam")?.stallAfter == .seconds(9))
    }

    @Test("`when` in all its forms")
    func when() {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: x}}
            transforms: {watch: {type: motion, input: cam}}
            sinks:
              a: {type: file, input: cam, path: a, when: watch.events}
              b: {type: file, input: cam, path: b, when: {event: watch, class: [person], min_score: 0.65}}
              c: {type: file, input: cam, path: c, when: [watch, {event: watch, class: [car]}]}
            """)
        #expect(file.report.text() == "")
        let event = OutputReference(node: "watch", port: "events")
        #expect(file.node("a")?.when == [WhenCondition(event: event, classes: [])])
        #expect(file.node("b")?.when == [WhenCondition(event: event, classes: ["person"], minScore: 0.65)])
        #expect(
            file.node("c")?.when == [
                WhenCondition(event: event, classes: []), WhenCondition(event: event, classes: ["car"]),
            ])
    }

    @Test("`link` speaks of the main input, `links` of the others")
    func links() {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: x, on_demand: true, reconnect: false}}
            transforms: {watch: {type: motion, input: cam}}
            sinks:
              a:
                type: http
                input: cam
                preview: cam.sub
                path: /a
                when: watch
                link: {when_full: drop_oldest, max_items: 8, max_age: 200ms}
                links: {preview: {max_bytes: 1MiB}, when: {max_items: 9}}
            """)
        #expect(file.report.text() == "")
        #expect(
            file.node("a")?.inputs.map(\.link) == [
                LinkOverride(whenFull: .dropOldest, maxItems: 8, maxAge: .milliseconds(200)),
                LinkOverride(maxBytes: .mebibytes(1)),
            ])
        #expect(file.node("a")?.whenLink == LinkOverride(maxItems: 9))
        #expect(file.node("cam")?.onDemand == true)
        #expect(file.node("cam")?.reconnects == false)
    }

    @Test("A type for several kinds of item is the one that fits what is linked to it")
    func genericType() {
        let file = read(
            """
            version: 1
            sources: {cam: {type: camera, url: x}}
            transforms:
              a: {type: identity, input: cam}
              watch: {type: motion, input: a}
              b: {type: identity, input: watch.events}
              c: {type: identity, input: b}
              d: {type: identity, input: watch.out}
            sinks: {l: {type: log, inputs: [c]}, t: {type: terminal, input: d}}
            """)
        #expect(file.report.text() == "")
        #expect(
            ["a", "b", "c", "d"].map { file.node($0)?.registration.descriptor.mainInput?.kind } == [
                .packet, .event, .event, .frame,
            ])
    }

    @Test("A source for several kinds of item is the one that its options mean")
    func genericSource() {
        let text = """
            version: 1
            sources: {a: {type: pattern}, b: {type: pattern, kind: empty}, c: {type: pattern, kind: emty}}
            transforms: {x: {type: identity, input: a}, y: {type: identity, input: b}, z: {type: scale, input: c}}
            sinks: {t: {type: terminal, input: x}, s: {type: file, input: y, path: a}, u: {type: terminal, input: z}}
            """
        let file = read(text.replacing(", kind: emty", with: ""))
        #expect(file.report.text() == "")
        #expect(["x", "y"].map { file.node($0)?.registration.descriptor.mainInput?.kind } == [.frame, .packet])
        #expect(read(text).report.diagnostics.map(\.code) == [.unknownEnumValue])
    }

    @Test("`--set` takes the place of what the file says, and its faults name it")
    func overrides() throws {
        let file = read(
            Self.home,
            overrides: [
                try #require(Override(argument: "sinks.web.path=/other")),
                try #require(Override(argument: "sources.front.fps=5")),
                try #require(Override(argument: "server.listen=127.0.0.1:1")),
                try #require(Override(argument: "sinks.extra={type: http, input: front, path: /x}")),
            ])
        #expect(file.report.text() == "")
        #expect(file.node("web")?.options["path"] == .plain("/other"))
        #expect(file.node("front")?.options["fps"] == .plain("5"))
        #expect(file.description?.server.port == 1)
        #expect(file.node("extra") != nil)
        let faulty = read(
            Self.home, overrides: [Override(path: "sinks.web.pth", text: "/x"), Override(path: "name.x", text: "1")])
        #expect(faulty.report.text().contains("--set sinks.web.pth: error: unknown key \"pth\" of http [CAM0020]"))
        #expect(faulty.report.text().contains("--set name.x: error: there is no place \"name.x\" in the file"))
        #expect(Override(argument: "nothing") == nil)
        let secret = read(Self.home, overrides: [Override(path: "sources.front.password", text: "{a: @hunter2}")])
        #expect(secret.report.text().contains("--set sources.front.password: error: text may not begin with @"))
        #expect(!secret.report.text().contains("hunter2"))
    }

    @Test("A fault found later is shown at its place")
    func laterFault() {
        let text = read(Self.home).render(
            Fault(.node, at: ["sinks", "web", "path"], "the path is taken", fix: "take /b"))
        #expect(text.hasPrefix("home.yaml:11:41: error: the path is taken [CAM0090]\n"))
    }

    @Test("`audio: none` stops the audio that goes along by itself")
    func noAudio() {
        let file = read(Self.home.replacing("pre_roll: 5s", with: "audio: none"))
        #expect(file.report.text() == "")
        #expect(file.node("clips")?.inputs.map(\.port) == ["input"])
    }

    @Test("A pattern names what fits, in the file's order, and never itself or a sink")
    func pattern() {
        let file = read(
            """
            version: 1
            sources: {east: {type: camera, url: x}, west: {type: camera, url: x}, end: {type: twins}}
            transforms: {eye: {type: motion, input: west}, g: {type: grid, inputs: ["e*", west, "g*"]}}
            sinks: {w: {type: http, input: g, path: /g}}
            """)
        #expect(file.summary == ["CAM0062 3:73 error", "CAM0061 3:85 error"])
        let good = read(
            """
            version: 1
            sources: {east: {type: camera, url: x}, west: {type: camera, url: x}}
            transforms: {g: {type: grid, inputs: ["*st", west.sub]}}
            sinks: {w: {type: http, input: g, path: /g}, l: {type: log, input: w*}}
            """)
        #expect(good.node("g")?.inputs.first?.from.map(\.description) == ["east.out", "west.out", "west.sub"])
    }

    @Test(
        "The real-world documents have the same outcome inside a pipeline",
        arguments: [
            ("verify: yes", ["CAM0040"]), ("verify: off", ["CAM0040"]), ("fps: 99999999999999999999999", ["CAM0042"]),
            ("fps: 1e999", ["CAM0040"]), ("fps: .nan", ["CAM0040"]), ("connect_timeout: 22:22", ["CAM0040"]),
            ("connect_timeout: 1e999s", ["CAM0040"]), ("connect_timeout: 999999999999999999w", ["CAM0042"]),
            ("password: {FRIGATE_PASSWORD}", ["CAM0022"]), ("password: abc#def", []), ("sub_url: #empty", ["CAM0022"]),
            ("sub_url: {FRIGATE_URL}", ["CAM0044"]), ("uri: x", ["CAM0020"]), ("Url: y", ["CAM0020"]),
            ("url: http://b/", ["CAM0007"]), ("password: 02142", []),
            ("password: no", []), ("<<: {fps: 5}", ["CAM0012"]), ("fps: null", ["CAM0022"]), ("fps: [5]", ["CAM0022"]),
            ("url: !!binary aa", ["CAM0007", "CAM0009"]), ("fps: \t7 \t# note", []), ("password: *x", ["CAM0013"]),
        ])
    func realWorld(line: String, codes: [String]) {
        let file = read(
            """
            version: 1
            sources:
              a:
                type: camera
                url: http://a/
                \(line)
            sinks: {w: {type: http, input: a, path: /w}}
            """)
        #expect(file.report.diagnostics.map(\.code.text).sorted() == codes)
        #expect((file.description != nil) == codes.isEmpty)
        if let mark = file.report.diagnostics.last?.mark {
            #expect(file.report.sources[0].position(of: Int(mark.start)).line == 6)
        }
    }

    @Test(
        "A file that cannot be read is a diagnostic too",
        arguments: [("/nowhere/x.yaml", "no such file or directory"), ("/tmp", "it is a folder")])
    func unreadable(path: String, reason: String) {
        let file = PipelineFile.load(path, registry: testRegistry)
        #expect(
            file.report.text()
                == "\(path):1:1: error: cannot read the file: \(reason) [CAM0011]\n  fix: "
                + "name a file that is there and may be read; - is standard input\n"
        )
        #expect(file.description == nil)
    }

    @Test(
        "It tells which variables it took, and the values of those that hold no secret",
        arguments: [
            ("url: \"${V}\"", "http://cam/video?size=1", true), ("url: \"${V:-demo://porch}\"", "http://cam/", true),
            ("url: \"${V}\"", "http://me:hunter22@cam/", false), ("url: \"${V}\"", "me:hunter22@cam", false),
            ("url: \"http://me:${V}@cam/\"", "hunter22", false), ("url: \"http://cam/?pwd=${V}\"", "hunter22", false),
            ("url: \"${V}\"", "http://cam/?user=me&PWD=hunter22", false),
            ("url: \"${V}\"", "http://cam/\u{1B}[2J", false),
            ("url: \"http://cam/\", password: \"${V}\"", "ab", false),
            ("url: \"http://cam/\", username: \"${V}\"", "me", false),
        ])
    func usedVariables(options: String, value: String, isShown: Bool) throws {
        let text = """
            version: 1
            sources: {a: {type: camera, \(options)}}
            sinks: {web: {type: http, input: a, path: /a}}
            """
        let file = read(text, environment: ["V": value, "W": "unused"])
        let description = try #require(file.description, "\(file.report.text())")
        #expect(description.variables == [UsedVariable(name: "V", value: isShown ? value : nil)])
    }

    @Test("A variable whose default was taken is none of those; one that is secret in one place is so in all")
    func unusedVariables() throws {
        let text = """
            version: 1
            name: "${NAME}"
            sources:
              a: {type: camera, url: "${URL:-demo://porch}", username: "${EMPTY:-x}"}
              b: {type: camera, url: "http://${NAME}/", password: "${NAME}"}
            sinks:
              web: {type: http, input: a, path: /a}
              all: {type: http, input: b, path: /b}
            """
        let file = read(text, environment: ["NAME": "hunter22", "EMPTY": ""])
        let description = try #require(file.description, "\(file.report.text())")
        #expect(description.variables == [UsedVariable(name: "NAME", value: nil)])
    }
}
