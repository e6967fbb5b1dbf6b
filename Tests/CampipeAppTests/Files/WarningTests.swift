import CampipeConfig
import CampipeKit
import Testing

@Suite("What works and is hardly meant is a warning")
struct WarningTests {
    private func warnings(_ text: String) -> [String] {
        let file = MendedFile("version: 1\n" + text)
        return file.diagnostics.map {
            "\($0.code.text) \($0.severity) \($0.sentence)" + "; \($0.fix)"
        }
    }

    @Test("a mask that sinks pass by is told in the number that they have, and of those that are off nothing is told")
    func maskPassedBy() {
        func text(_ more: String) -> [String] {
            warnings(
                """
                sources: {cam: {type: camera, url: "demo://porch"}}
                transforms: {hidden: {type: mask, input: cam, zones: [[0, 0], [1, 0], [1, 1]]}}
                sinks:
                  w1: {type: http, input: hidden, path: /w1}
                  w2: {type: http, input: cam, path: /w2}
                \(more)
                """
            ).map { String($0.prefix { $0 != ";" }) }
        }
        let start = "CAM0069 warning cam is masked for w1, and"
        #expect(text("") == ["\(start) w2 gets it without the mask"])
        #expect(text("  w3: {type: discard, input: cam}") == ["\(start) w2 and w3 get it without the mask"])
        #expect(text("  w3: {type: discard, input: cam, enabled: false}") == ["\(start) w2 gets it without the mask"])
    }

    @Test("a deadline of a sink that keeps all is pointed at")
    func deadlineOfRecorder() {
        func text(_ more: String) -> [String] {
            warnings(
                """
                sources: {cam: {type: camera, url: "demo://porch"}}
                sinks:
                  rec: {type: file, input: cam, path: "a-%s.mp4"\(more)}
                  web: {type: http, input: cam, path: /w, late_after: 2s}
                """)
        }
        #expect(text("") == [])
        #expect(text(", late_after: 2s, enabled: false") == [])
        #expect(
            text(", late_after: 2s") == [
                "CAM0048 warning late_after does nothing here: rec is given all, however late it comes; "
                    + "delete it; max_age under link bounds how long what comes may wait"
            ])
    }

    @Test("a file that is read as fast as it goes, beside live cameras in a grid, is told with its mend")
    func paces() {
        func text(_ speed: String, _ inputs: String = "cam, small") -> [String] {
            warnings(
                """
                sources:
                  cam: {type: camera, url: "demo://porch"}
                  clip: {type: file, path: a.mp4\(speed)}
                  other: {type: file, path: b.mp4}
                transforms:
                  small: {type: scale, input: clip, width: 320}
                  wall: {type: grid, inputs: [\(inputs)]}
                sinks:
                  w: {type: http, input: wall, path: /w}
                  d: {type: discard, input: other}
                  e: {type: discard, input: small}
                  f: {type: discard, input: cam}
                """)
        }
        #expect(
            text("") == [
                "CAM0078 warning small is read as fast as it goes beside live cameras, so that wall shows little of it; "
                    + "write speed: realtime on clip"
            ])
        #expect(text(", speed: realtime") == [])
        // Where nothing is live, all go by the stream's time.
        #expect(text("", "small, other") == [])
    }

    /// What would come of it was seen: a gate that never opens, boxes that are never drawn.
    @Test(
        "events that cross from what is live to what is read as fast as it goes are a fault, and their mend mends them",
        arguments: [
            ("input: clip, when: watch", "cam", "when: watch"), ("input: cam, when: watch", "clip", "when: watch"),
            ("input: clip, when: [{event: cam.events}]", "cam", "cam.events"),
            ("input: cam, when: clip.events", "clip", "when: clip.events"),
            ("input: cam, events: [watch]", "clip", "events: [watch]"),
            ("input: small, events: [watch]", "cam", "events: [watch]"),
        ])
    func crossingEvents(node: String, watched: String, place: String) throws {
        func faults(_ speed: String) -> [Diagnostic] {
            let isOverlay = node.contains("events: [")
            let file = MendedFile(
                """
                version: 1
                sources:
                  cam: {type: camera, url: "demo://porch"}
                  clip: {type: file, path: a.mp4\(speed)}
                transforms:
                  small: {type: scale, input: clip, width: 320}
                  watch: {type: motion, input: \(watched)}
                  shown: {type: overlay, text: x, \(isOverlay ? node : "input: cam")}
                sinks:
                  a: {type: http, input: shown, path: /a}
                  b: {type: log, \(isOverlay ? "input: cam" : node)}
                  c: {type: discard, input: small}
                  d: {type: discard, input: watch.events}
                """)
            return file.diagnostics.filter { $0.code == .pacesDiffer }
        }
        let found = faults("")
        #expect(found.count == 1)
        let fault = try #require(found.first)
        #expect(fault.severity == .error)
        #expect(fault.fix == "write speed: realtime on clip")
        #expect(fault.mark != nil)
        #expect(fault.sentence.hasSuffix(place.hasPrefix("events") ? "is ever seen" : "its when never opens"))
        #expect(faults(", speed: realtime") == [])
    }

    @Test("a file for each picture of a live camera is warned of, unless few are taken or events choose them")
    func pictureFiles() {
        func text(_ sink: String, _ source: String = "{type: camera, url: \"demo://porch\"}") -> [String] {
            warnings(
                """
                sources: {cam: \(source)}
                transforms:
                  few: {type: sample, input: cam, every: 10s}
                  watch: {type: motion, input: cam}
                sinks:
                  shots: {type: file, path: "%f.jpg", \(sink)}
                  rest: {type: discard, input: few}
                  events: {type: log, input: watch.events}
                """)
        }
        #expect(
            text("input: cam") == [
                "CAM0080 warning each picture of a live camera becomes a file, of many cameras 30 a second; add every: "
                    + "60s, or when: with the id of what gives events; for a video end the path with .mp4"
            ])
        #expect(text("input: cam, every: 60s") == [])
        #expect(text("input: cam, when: watch") == [])
        #expect(text("input: few") == [])
        #expect(text("input: cam", "{type: file, path: a.mp4}") == [])
    }

    @Test("a decoder that is fed frames names both sides")
    func decoder() {
        let text = """
            sources: {cam: {type: camera, url: "demo://porch"}}
            transforms:
              small: {type: scale, input: cam, width: 320}
              raw: {type: decode, input: small}
            sinks: {web: {type: http, input: raw, path: /w}}
            """
        #expect(
            warnings(text) == [
                "CAM0076 warning small gives frames already: they would be encoded for raw, only to be decoded by it; "
                    + "take small where raw is taken, and delete raw"
            ])
        #expect(
            warnings(text.replacing("input: small}", with: "input: cam}")) == [
                "CAM0064 warning nothing uses small; name it as the input of a sink or a transform, or write enabled: false"
            ])
    }

    @Test("an encoder in front of a sink that writes another coding names both sides")
    func encoder() {
        func text(_ codec: String, _ path: String, _ input: String = "enc") -> String {
            """
            sources: {cam: {type: camera, url: "demo://porch"}}
            transforms:
              small: {type: scale, input: cam, width: 320}
              enc: {type: encode, input: small, codec: \(codec)}
              same: {type: identity, input: enc}
              used: {type: identity, input: same}
            sinks:
              pics: {type: file, input: \(input), path: "\(path)", every: 10s}
              rest: {type: discard, input: used}
            """
        }
        let sentence =
            "CAM0076 warning enc makes h264, and pics writes jpeg: each picture would be decoded and encoded again; "
            + "take small here, or set codec: jpeg on enc"
        #expect(warnings(text("h264", "a/%s.jpg")) == [sentence])
        #expect(warnings(text("h264", "a/%s.jpg", "same")) == [sentence])
        #expect(warnings(text("jpeg", "a/%s.jpg")) == [])
        #expect(warnings(text("h264", "a/%s.mp4").replacing(", every: 10s", with: "")) == [])
    }

    @Test("JPEGs that somebody had made for a clip that becomes H.264 are pointed at", arguments: ["mp4", "ts"])
    func encodedForClip(_ ending: String) {
        let text = """
            sources: {cam: {type: camera, url: "demo://porch"}}
            transforms:
              small: {type: scale, input: cam, width: 320}
              enc: {type: encode, input: small, codec: jpeg}
            sinks: {clips: {type: file, input: enc, path: "a/%s.\(ending)"}}
            """
        #expect(
            warnings(text) == [
                "CAM0076 warning enc makes jpeg, and clips writes h264: each picture would be decoded and encoded again; "
                    + "take small here, or set codec: h264 on enc"
            ])
        for fine in [
            text.replacing(".\(ending)", with: ".mkv"), text.replacing(".\(ending)", with: ".mjpeg"),
            text.replacing("input: enc,", with: "input: cam,").replacing(
                "clips", with: "rest: {type: discard, input: enc}, clips"),
        ] {
            #expect(warnings(fine) == [])
        }
    }

    @Test("a name and a password beside a URL that takes none", arguments: ["demo://porch", "file:a.mjpeg"])
    func credentials(url: String) {
        let scheme = url.prefix { $0 != ":" }
        let text = """
            sources: {cam: {type: camera, url: "\(url)", username: u, password: geheim9}}
            sinks: {web: {type: http, input: cam, path: /w}}
            """
        let fix = "delete it, or give the http, https or rtsp URL that it belongs to"
        #expect(
            warnings(text)
                == ["username", "password"].map {
                    "CAM0048 warning \"\($0)\" does nothing here: the URL is of the kind \(scheme); \(fix)"
                })
        #expect(warnings(text.replacing(url, with: "http://cam/")) == [])
    }
}
