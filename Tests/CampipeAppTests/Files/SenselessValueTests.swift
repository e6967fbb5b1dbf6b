import CampipeConfig
import CampipeKit
import Testing

@Suite("Values that are well written and make no sense")
struct SenselessValueTests {
    private func file(clips: String = "", front: String = "", stamp: String = "", watch: String = "", more: String = "")
        -> MendedFile
    {
        MendedFile(
            """
            version: 1
            sources:
              front: {type: camera, url: "demo://porch"\(front)}
            transforms:
              watch: {type: motion, input: front\(watch)}
              stamp: {type: overlay, input: front, text: x\(stamp)}
            sinks:
              web: {type: http, input: stamp, path: /front}
              log: {type: log, input: watch.events}
              clips: {type: file, input: front, path: "a/%H%M%S.mp4", when: watch\(clips)}
            \(more)
            """)
    }

    private func check(_ file: MendedFile, _ code: FaultCode, fix: String, _ note: String) {
        #expect(file.diagnostics.map(\.code) == [code], "\(note): \(file.report)")
        #expect(file.diagnostics.first?.severity == .error, "\(note)")
        #expect(file.diagnostics.first?.fix.contains(fix) == true, "\(note): \(file.report)")
    }

    @Test(
        "A list that holds nothing is refused where leaving it out means the opposite",
        arguments: [
            ("when: watch", "when: []", "delete \"when\""),
            ("when: watch", "when: {event: watch, class: []}", "delete \"class\""),
            ("input: watch.events", "input: []", "such as [ID]"),
            ("text: x", "text: x, events: []", "delete \"events\""),
            ("input: front}", "input: front, zones: {include: []}}", "delete \"include\""),
            ("url: \"demo://porch\"", "url: \"demo://porch\", privacy: []", "delete \"privacy\""),
        ])
    func emptyLists(written: String, instead: String, fix: String) {
        let text = file().text
        #expect(text.contains(written))
        let faulty = MendedFile(text.replacing(written, with: instead))
        #expect(faulty.diagnostics.count { $0.severity == .error } == 1, "\(faulty.report)")
        let fault = faulty.diagnostics.first { $0.severity == .error }
        #expect(fault?.code == .invalidValue && fault?.fix.contains(fix) == true, "\(faulty.report)")
    }

    @Test("So are those of a template's parameter, a grid and a user")
    func emptyListsElsewhere() {
        let template = """
            version: 1
            templates:
              t:
                params: [ev]
                sources: {cam: {type: camera, url: "demo://porch"}}
                sinks: {clips: {type: file, input: cam, path: "{camera}/%H%M%S.mp4", when: "{ev}"}}
            cameras: {a: {use: t, ev: []}}
            """
        let grid = """
            version: 1
            sources: {a: {type: camera, url: "demo://porch"}}
            transforms: {g: {type: grid, inputs: []}}
            sinks: {w: {type: http, input: g, path: /w}, v: {type: http, input: a, path: /v}}
            """
        let user = """
            version: 1
            server: {users: {anna: {password_hash: "$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g", paths: []}}}
            sources: {a: {type: camera, url: "demo://porch"}}
            sinks: {w: {type: http, input: a, path: /w}}
            """
        for text in [template, grid, user] {
            let codes = MendedFile(text).diagnostics.filter { $0.severity == .error }.map(\.code)
            #expect(codes == [.invalidValue], "\(MendedFile(text).report)")
        }
    }

    @Test(
        "A time, a size or a share of nothing, or of all, is refused, and the fix says what is taken",
        arguments: [
            ("retention: {max_age: 0s}", "accepted: 1s…36500d; for none leave the key out"),
            ("retention: {max_age: 0}", "accepted: 1s…36500d; for none leave the key out"),
            ("retention: {max_total: 0B}", "accepted: 1B…1024TiB; for none leave the key out"),
            ("retention: {min_free: 100%}", "accepted: 0.1%…99%, or a size from 1KiB; for none leave the key out"),
            ("retention: {min_free: 0%}", "for none leave the key out"),
            ("retention: {min_free: lots}", "accepted: 0.1%…99%, or a size from 1KiB; for none leave the key out"),
            ("retention: {min_free: 200%}", "accepted: up to 100%"),
            ("retention: {min_free: 0B}", "for none leave the key out"),
            ("late_after: 0s", "accepted: 1ms…365d; for none leave the key out"),
            ("link: {max_age: 0s}", "for none leave the key out"),
            ("link: {max_bytes: 0B}", "for none leave the key out"),
            ("fragment: 0s", "accepted: 1ms…1h"), ("segment: 0s", "for none leave the key out"),
            ("every: 0s", "for none leave the key out"), ("pre_roll_limit: 0B", "accepted: 1KiB…1TiB"),
            ("late_after: 1000000d", "accepted: 1ms…365d"), ("crf: 1e3", "accepted: 1…51"),
        ])
    func nothing(line: String, fix: String) {
        let faulty = file(clips: ", \(line)")
        #expect(faulty.diagnostics.count == 1 && faulty.diagnostics.first?.severity == .error, "\(faulty.report)")
        #expect(faulty.diagnostics.first?.fix.contains(fix) == true, "\(faulty.report)")
    }

    @Test("So it is of sources and transforms")
    func nothingElsewhere() {
        check(file(front: ", stall_after: 0s"), .outOfRange, fix: "accepted: 100ms…365d", "stall_after")
        check(file(front: ", connect_timeout: 0s"), .outOfRange, fix: "accepted: 1ms…1h", "connect_timeout")
        check(file(front: ", every: 0s"), .outOfRange, fix: "accepted: 10ms…365d", "every")
        check(file(watch: ", event_gap: 0s"), .outOfRange, fix: "accepted: 1ms…1d", "event_gap")
        check(file(watch: ", min_duration: 2h"), .outOfRange, fix: "accepted: 0s…1h", "min_duration")
        check(file(stamp: ", image_opacity: 0%"), .outOfRange, fix: "accepted: 1%…100%", "image_opacity")
    }

    @Test(
        "A value is offered only where the option takes it, and the file is fine with it",
        arguments: [
            ("small: {type: encode, input: front, codec: h264, bitrate: 5}", "write 5Mbps"),
            ("small: {type: encode, input: front, codec: h264, bitrate: 2000}", "write 2000kbps"),
            ("small: {type: encode, input: front, codec: h264, bitrate: 2000000}", "write 2Mbps"),
            ("small: {type: scale, input: front, width: 640.0}", "write 640"),
            ("small: {type: scale, input: front, width: 0x280}", "write 640"),
            ("small: {type: scale, input: front, width: 1_000}", "write 1000"),
            ("small: {type: scale, input: front, width: 640px}", "write 640"),
            ("small: {type: sample, input: front, max_fps: 5fps}", "write 5"),
            ("small: {type: motion, input: front, min_area: 0.01}", "write 0.01% or 1%, as is meant; units: %"),
            ("small: {type: motion, input: front, event_gap: -5s}", "write 5s"),
        ])
    func offers(node: String, fix: String) throws {
        let text = file().text.replacing("transforms:", with: "transforms:\n  \(node)")
            .replacing("input: stamp", with: "input: small")
            .replacing("  stamp: {type: overlay, input: front, text: x}\n", with: "")
        let faulty = MendedFile(text)
        #expect(
            faulty.diagnostics.map(\.fix) == [fix] || faulty.diagnostics.first?.fix.hasPrefix(fix) == true,
            "\(faulty.report)")
        let fault = try #require(faulty.diagnostics.first)
        let mended = MendedFile(try #require(faulty.applying(fault)))
        #expect(!mended.file.report.hasErrors, "\(mended.text)\n\(mended.report)")
    }

    @Test(
        "Where nothing near is taken the fix says what is",
        arguments: [
            ("type: overlay, text: x, size: 0", "accepted: 1%…50%"),
            ("type: encode, codec: h264, bitrate: 0", "accepted: 10kbps…200Mbps"),
            ("type: scale, width: .inf", "accepted: 1…16384"), ("type: sample, max_fps: nan", "accepted: 0.01…1000"),
            ("type: scale, width: 1e3000", "accepted: 1…16384"), ("type: scale, width: ", "write a whole number"),
            ("type: scale, width: 9, enabled: ", "write true or false, or leave the key out"),
            ("type: identity, on_error: [stop]", "write one of restart, skip, stop"),
        ])
    func accepted(options: String, fix: String) {
        let text = file().text.replacing("transforms:", with: "transforms:\n  small: {input: front, \(options)}")
            .replacing("input: stamp", with: "inputs: [stamp]").replacing("inputs: [stamp]", with: "input: stamp")
        let errors = MendedFile(text).diagnostics.filter { $0.severity == .error }
        #expect(errors.map { $0.fix.contains(fix) } == [true], "\(MendedFile(text).report)")
    }

    @Test("\"Never\" is said by leaving the key out")
    func never() {
        for word in ["never", "off", "none"] {
            check(
                file(clips: ", late_after: \(word)"), .invalidValue, fix: "for none leave the key out", word)
        }
    }

    @Test(
        "What an option cannot do beside the others is told, and not where defaults gave it",
        arguments: [
            ("path: a.mjpeg", "crf: 30"), ("path: \"%H%M%S.jpg\", every: 60s", "fragment: 2s"),
            ("path: \"%H%M%S.jpg\", every: 60s", "segment: 1m"), ("path: a.mp4", "pre_roll: 3s"),
            ("path: a.mp4", "post_roll: 3s"), ("path: a.mkv", "video: copy"),
            ("path: \"%H%M%S.jpg\", when: a.events", "pre_roll: 3s"),
            ("path: \"%H%M%S.jpg\", when: a.events", "post_roll: 3s"),
        ])
    func idle(options: String, more: String) throws {
        func text(_ options: String, _ defaults: String = "") -> String {
            """
            version: 1
            \(defaults)
            sources: {a: {type: camera, url: "demo://porch"}}
            sinks: {f: {type: file, input: a, \(options)}}
            """
        }
        let key = try #require(more.split(separator: ":").first)
        let faulty = MendedFile(text("\(options), \(more)"))
        #expect(faulty.diagnostics.map(\.code) == [.noEffect], "\(faulty.report)")
        #expect(faulty.report.contains("\"\(key)\" does nothing here"), "\(faulty.report)")
        let quiet = MendedFile(text(options, "defaults: {file: {\(more)}}"))
        #expect(quiet.report == "", "\(quiet.report)")
    }

    @Test("A node that changes nothing has a code of its own")
    func idleNode() {
        for node in ["overlay", "scale", "sample", "rotate"] {
            let text = file().text.replacing(
                "type: overlay, input: front, text: x", with: "type: \(node), input: front")
            #expect(MendedFile(text).diagnostics.map(\.code) == [.idleNode], "\(node)")
        }
    }

    @Test(
        "A camera's URL whose password ends it is told so, and shows nothing of it",
        arguments: [
            ("http://admin:pa#geheim@10.0.0.1:8080/v", "%23"), ("http://admin:12#geheim@10.0.0.1:8080/v", "%23"),
            ("rtsp://admin:pa?geheim@10.0.0.1/v", "%3F"), ("http://admin:pa/geheim@10.0.0.1/v", "%2F"),
        ])
    func password(url: String, code: String) {
        let faulty = MendedFile(file().text.replacing("demo://porch", with: url))
        check(faulty, .invalidValue, fix: "write \(code) for it", url)
        #expect(!faulty.report.contains("geheim") && !faulty.report.contains("admin:pa"), "\(faulty.report)")
        let good = MendedFile(file().text.replacing("demo://porch", with: "http://cam:8080/me@home/x"))
        #expect(good.report == "", "\(good.report)")
    }

    @Test(
        "What is no path of a file is told",
        arguments: [
            (
                "sources: {a: {type: file, path: \"http://h/x\"}}\nsinks: {f: {type: discard, input: a}}",
                "write type: camera"
            ),
            (
                "sources: {a: {type: camera, url: \"demo://porch\"}}\nsinks: {f: {type: file, input: a, path: \"~/x.mjpeg\"}}",
                "write /"
            ),
            ("sources: {a: {type: file, path: \"~/x.mjpeg\"}}\nsinks: {f: {type: discard, input: a}}", "write /"),
        ])
    func paths(nodes: String, fix: String) {
        check(MendedFile("version: 1\n\(nodes)"), .invalidValue, fix: fix, nodes)
    }

    @Test("A bare word is read as a file, with a warning where there is none")
    func word() {
        let faulty = MendedFile(file().text.replacing("demo://porch", with: "nosuchthing"))
        #expect(faulty.diagnostics.map(\.code) == [.missingFile] && !faulty.file.report.hasErrors, "\(faulty.report)")
        #expect(faulty.report.contains("write http://nosuchthing/"))
    }

    @Test("Pictures of packets that hold none are not asked of a decoder")
    func empty() {
        let faulty = MendedFile(
            """
            version: 1
            sources: {t: {type: test_pattern, kind: empty}}
            sinks: {w: {type: http, input: t, path: /w}}
            """)
        #expect(faulty.diagnostics.map(\.fix) == ["write kind: picture on t"], "\(faulty.report)")
    }

    @Test("A field that stands for the node's id is seen through")
    func patterns() {
        let faulty = MendedFile(
            """
            version: 1
            sources: {a: {type: camera, url: "demo://porch"}}
            sinks:
              e: {type: file, input: a, path: "ov/{id}.mjpeg"}
              f: {type: file, input: a, path: "ov/e.mjpeg"}
            """)
        #expect(faulty.diagnostics.map(\.code) == [.pathInUse], "\(faulty.report)")
    }
}
