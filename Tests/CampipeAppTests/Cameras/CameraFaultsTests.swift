import CampipeKit
import CampipeRuntime
import Foundation
import Testing

@testable import CampipeApp

/// Supervision of a camera as it is seen from outside: each fault shows its state and its cause once, and passes by
/// itself.
@Suite("Faults of cameras", .serialized)
struct CameraFaultsTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        /// What each of the first three connections does; nil refuses connections.
        var steps: (@Sendable ([UInt8]) -> [ScriptedCamera.Step])?
        var state = SourceStatus.State.waiting
        var cause: String
        /// The wait before the second try, in seconds.
        var wait = 0.5...30.0
        var testDescription: String { name }

        init(
            _ name: String, _ cause: String, state: SourceStatus.State = .waiting, wait: ClosedRange<Double> = 0.5...1,
            _ steps: (@Sendable ([UInt8]) -> [ScriptedCamera.Step])?
        ) {
            self.name = name
            self.cause = cause
            self.state = state
            self.wait = wait
            self.steps = steps
        }
    }

    static let faults = [
        Fault("refused", "the connection is refused", nil),
        // Ten seconds, and what the clock of a busy machine went on meanwhile.
        Fault("hangs after connecting", "no picture came for 1", state: .stalled) { _ in [.hang] },
        Fault("401", "401 Unauthorized", wait: 15...30) { _ in [.send(Answers.status("401 Unauthorized")), .close] },
        Fault("404", "404 Not Found", wait: 15...30) { _ in [.send(Answers.status("404 Not Found")), .close] },
        Fault("503 with Retry-After", "503 Service Unavailable", wait: 77...77) { _ in
            [.send(Answers.status("503 Service Unavailable", "Retry-After: 77\r\n")), .close]
        },
        Fault("no word", "closed the connection without an answer") { _ in [.close] },
        Fault("half a picture, then silence", "no picture came for 1", state: .stalled) { picture in
            [.send(Answers.head + Answers.part(picture).dropLast(500)), .hang]
        },
        Fault("a picture and a half, then silence", "no picture came for ", state: .stalled) { picture in
            [.send(Answers.head + Answers.part(picture) + Answers.part(picture).dropLast(500)), .hang]
        },
        Fault("cut in its first picture", "ended within its first picture") { picture in
            [.send(Answers.head + Answers.part(picture).dropLast(500)), .close]
        },
        Fault("cut", "the connection was cut") { picture in
            [.send(Answers.head + Answers.part(picture)), .send(Answers.part(picture).dropLast(500)), .reset]
        },
        Fault("flaps", "the camera ended the stream") { picture in
            [.send(Answers.head + Answers.part(picture)), .close]
        },
        Fault("a page", "expected MJPEG, got text/html", wait: 15...30) { _ in
            [.send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>log in</html>".utf8)), .close]
        },
        Fault("no HTTP", "expected MJPEG", wait: 15...30) { _ in [.send(Array("SSH-2.0-x\r\n".utf8)), .close] },
    ]

    private static let text = """
        sources: {cam: {type: mjpeg, url: "URL"}}
        sinks: {out: {type: discard, input: cam}}
        """

    @Test("A fault shows its state and its cause, once, is tried with growing waits, and passes", arguments: faults)
    func table(_ fault: Fault) throws {
        let picture = try CameraRig.picture()
        let rounds = 3
        let camera = try ScriptedCamera(listens: fault.steps != nil) { request in
            if let steps = fault.steps, request.connection < rounds { return steps(picture) }
            return [.send(Answers.head), .stream(Answers.part(picture))]
        }
        defer { camera.stop() }
        let rig = try CameraRig(Self.text.replacing("URL", with: camera.url))
        func losses() -> [SourceStatus] { rig.states().filter { $0.retryAt != nil } }
        #expect(rig.run(isSilent: { camera.isHanging }) { losses().count >= 1 }, "\(rig.states())")
        let first = try #require(losses().first)
        let wait = try #require(first.retryAt) - rig.clock.now
        #expect(first.state == fault.state)
        #expect(first.reason?.contains(fault.cause) == true, "\(first)")
        // The clock may have been moved towards it already.
        #expect(wait.seconds <= fault.wait.upperBound)
        #expect(rig.run(isSilent: { camera.isHanging }) { losses().count >= rounds }, "\(rig.states())")
        if fault.steps == nil { camera.listen() }
        #expect(
            rig.run(isSilent: { camera.isHanging }) {
                losses().count >= rounds && rig.state().state == .running && !camera.isHanging
                    && camera.openConnections == 1
            }, "\(rig.states())")
        // Once, and again of a later loss that lasts.
        #expect((1...rounds).contains(rig.warnings.count), "\(rig.warnings.map(\.facts))")
        #expect(
            rig.warnings.allSatisfy { $0.facts.contains { $0.key == "cause" && $0.value.contains(fault.cause) } })
        // At the start, where a picture came before the fault, and behind each loss that lasted.
        #expect((1...rounds + 1).contains(rig.logged.count { $0.level == .info && $0.message == "running" }))
    }

    @Test("The waits are as the design says", arguments: faults.filter { $0.steps != nil })
    func waits(_ fault: Fault) throws {
        let picture = try CameraRig.picture()
        let camera = try ScriptedCamera { _ in fault.steps?(picture) ?? [] }
        defer { camera.stop() }
        let rig = try CameraRig(Self.text.replacing("URL", with: camera.url))
        // Not a moment passes but what the stall needs.
        var now = rig.clock.now
        let isLost = rig.run(isSilent: { camera.isHanging && rig.state().retryAt == nil }) {
            now = rig.clock.now
            return rig.states().contains { $0.retryAt != nil }
        }
        #expect(isLost)
        let retryAt = try #require(rig.states().first { $0.retryAt != nil }?.retryAt)
        #expect(fault.wait.contains((retryAt - now).seconds) || fault.state == .stalled, "\((retryAt - now).seconds)")
    }

    @Test("A name without an address is said once, and tried again and again")
    func name() throws {
        let rig = try CameraRig(Self.text.replacing("URL", with: "http://no-such-camera.invalid/video"))
        #expect(rig.run { rig.state().retries >= 4 }, "\(rig.states())")
        #expect(rig.warnings.count == 1)
        #expect(rig.warnings.first?.facts.contains { $0.value.contains("its name has no address") } == true)
    }

    @Test("Three refusals of the password in a row wait 5 min, 15 min, then an hour")
    func refusals() throws {
        let camera = try ScriptedCamera { _ in [.send(Answers.status("401 Unauthorized")), .close] }
        defer { camera.stop() }
        let rig = try CameraRig(Self.text.replacing("URL", with: camera.url))
        #expect(rig.run { rig.state().retries >= 6 })
        let times = rig.states().compactMap(\.retryAt)
        let waits = zip(times, times.dropFirst()).map { ($1 - $0).seconds }
        #expect(waits[0] >= 15 && waits[0] <= 30)
        #expect(Array(waits[1...4]) == [300, 900, 3600, 3600])
        #expect(camera.connections == 6)
    }

    @Test("A changed secret or file is tried at once, and an unchanged one is not", arguments: ["secret", "file"])
    func mended(what: String) throws {
        let picture = try CameraRig.picture()
        let right = Data("me:right".utf8).base64EncodedString()
        let camera = try ScriptedCamera { request in
            request.head.contains("Basic \(right)")
                ? [.send(Answers.head), .stream(Answers.part(picture))]
                : [
                    .send(Answers.status("401 Unauthorized", "WWW-Authenticate: Basic realm=\"cam\"\r\n")), .close,
                ]
        }
        defer { camera.stop() }
        let folder = try TemporaryFolder()
        let secret = try folder.file("password", "wrong\n")
        func text(_ password: String) -> String {
            "version: 1\nsources: {cam: {type: mjpeg, url: \"\(camera.url)\", username: me, password: \(password)}}\n"
                + "sinks: {out: {type: discard, input: cam}}\n"
        }
        let path = try folder.file("pipeline.yaml", text(what == "secret" ? "!secret file:password" : "wrong"))
        let rig = try CameraRig("", path: path)
        #expect(rig.run { rig.state().retries == 3 })
        let before = camera.connections
        let longWait = try #require(rig.state().retryAt)
        // It looks every 5 s, and finds nothing new.
        for _ in 0..<4 {
            rig.clock.advance(by: .seconds(5))
            usleep(20_000)
        }
        #expect(camera.connections == before)
        if what == "secret" {
            try Data("right\n".utf8).write(to: URL(filePath: secret))
        } else {
            try Data(text("right").utf8).write(to: URL(filePath: path))
        }
        var isRunning = false
        for _ in 0..<1000 where !isRunning {
            if rig.state().state == .waiting { rig.clock.advance(by: .milliseconds(50)) }
            usleep(2000)
            isRunning = rig.state().state == .running
        }
        #expect(isRunning, "\(rig.states())")
        #expect(rig.clock.now < longWait)
        #expect(!rig.logged.contains { "\($0)".contains("wrong") || "\($0)".contains("right") })
    }

    @Test("A picture that is asked for once a minute, and seldom changes, is no stall")
    func seldom() throws {
        let picture = try CameraRig.picture()
        let camera = try ScriptedCamera { request in
            request.head.contains("If-None-Match: \"1\"")
                ? [.send(Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8))]
                : [
                    .send(
                        Array(
                            "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nETag: \"1\"\r\nContent-Length: \(picture.count)\r\n\r\n"
                                .utf8) + picture)
                ]
        }
        defer { camera.stop() }
        let rig = try CameraRig(
            """
            sources: {cam: {type: camera, url: "\(camera.url)", every: 60s}}
            sinks: {out: {type: discard, input: cam}}
            """)
        #expect(rig.run { rig.state().state == .running })
        for minute in 1...10 {
            // Each answer is there before the next minute begins.
            #expect(rig.run { camera.heads.count == minute })
            usleep(30_000)
            rig.clock.advance(by: .seconds(60))
        }
        #expect(rig.run { camera.heads.count == 11 })
        #expect(rig.states().map(\.state).contains(.stalled) == false, "\(rig.states())")
        #expect(camera.connections == 1)
    }

    // MARK: Demand

    @Test("On demand it is idle until somebody looks, and idle again 10 s after the last one went; off is off")
    func onDemand() throws {
        let picture = try CameraRig.picture()
        let camera = try ScriptedCamera { _ in [.send(Answers.head), .stream(Answers.part(picture))] }
        defer { camera.stop() }
        let rig = try CameraRig(
            """
            server: {listen: "127.0.0.1:0"}
            sources:
              cam: {type: mjpeg, url: "\(camera.url)", on_demand: true}
              dark: {type: mjpeg, url: "\(camera.url)", enabled: false}
            sinks:
              web: {type: http, input: cam, path: /cam}
              out: {type: discard, input: dark}
            """)
        #expect(rig.run { rig.state().state == .idle && rig.port != nil })
        #expect(rig.states("dark").map(\.state) == [.off])
        #expect(camera.connections == 0)
        var viewer = TestConnection(try #require(rig.port), "/cam/stream")
        #expect(viewer?.read(until: "image/jpeg", times: 2) != nil)
        #expect(rig.state().state == .running)
        viewer = nil
        // The viewer's chain lingers 2 s, the camera 10 s more.
        var seconds = 0
        for _ in 0..<400 where rig.state().state != .idle {
            rig.clock.advance(by: .milliseconds(100))
            seconds += 1
            usleep(10_000)
        }
        #expect(rig.state().state == .idle, "\(rig.states())")
        #expect(seconds >= 100)
        #expect(rig.run { camera.openConnections == 0 })
    }

    // MARK: Exit codes

    @Test(
        "With `reconnect: false` the end of the stream is the end, 0, and every failure is one, 1",
        arguments: [
            ("ends", 0), ("cut", 1), ("404", 1), ("refused", 1),
        ] as [(String, Int32)])
    func exitCodes(what: String, code: Int32) throws {
        let picture = try CameraRig.picture()
        let camera = try ScriptedCamera(listens: what != "refused") { _ in
            switch what {
            case "ends": [.send(Answers.head + Answers.part(picture) + Answers.part(picture)), .close]
            case "cut": [.send(Answers.head + Answers.part(picture) + Answers.part(picture).dropLast(500)), .reset]
            default: [.send(Answers.status("404 Not Found")), .close]
            }
        }
        defer { camera.stop() }
        let folder = try TemporaryFolder()
        let path = try folder.file(
            "p.yaml",
            """
            version: 1
            sources: {cam: {type: camera, url: "\(camera.url)", reconnect: false}}
            sinks: {out: {type: log, input: cam, format: json}}
            """)
        let result = try Child.run(["run", path])
        #expect(result.code == code, "\(result.error)")
        let lines = result.output.split(separator: "\n").count
        #expect(lines == (what == "ends" ? 2 : what == "cut" ? 1 : 0))
        #expect(camera.connections == (what == "refused" ? 0 : 1))
    }

    @Test("`tls_verify: false` is a warning of validate, and once in the log")
    func unverified() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file(
            "p.yaml",
            """
            version: 1
            sources: {cam: {type: camera, url: "https://127.0.0.1:9/video", tls_verify: false}}
            sinks: {out: {type: discard, input: cam}}
            """)
        let validated = try Child.run(["validate", path])
        #expect(validated.code == 0)
        let both = validated.output + validated.error
        #expect(both.contains("CAM0074") && both.contains("p.yaml:2:"), "\(both)")
        let result = try Child.run(["run", path, "--duration", "3s"])
        #expect(
            result.error.components(separatedBy: "the camera's certificate is not checked").count == 3,
            "\(result.error)")
    }

    @Test("Planted secrets are in no line, whatever the camera does with them")
    func secrets() throws {
        let camera = try ScriptedCamera { request in
            let place =
                request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization:") } ?? ""
            return switch request.connection % 3 {
            case 0: [.send(Answers.status("302 Found", "Location: /other?token=plant5\r\n")), .close]
            case 1:
                [.send(Answers.status("401 \(place)", "WWW-Authenticate: Basic realm=\"plant6\"\r\n")), .close]
            default: [.send(Answers.status("302 Found", "Location: file:///plant7\r\n")), .close]
            }
        }
        defer { camera.stop() }
        let folder = try TemporaryFolder()
        _ = try folder.file("secret", "plant4\n")
        let path = try folder.file(
            "p.yaml",
            """
            version: 1
            sources:
              a: {type: camera, url: "http://plant1:plant2@127.0.0.1:\(camera.port)/video?pw=plant3"}
              b: {type: mjpeg, url: "\(camera.url)", username: me, password: !secret file:secret}
              c: {type: mjpeg, url: "http://camera.invalid/", proxy: "http://me:plant8@127.0.0.1:\(camera.port)"}
            sinks: {out: {type: discard, input: a}, outB: {type: discard, input: b}, outC: {type: discard, input: c}}
            """)
        let said = try ["run", "validate", "graph"].map { command in
            let more = command == "run" ? ["--log-level", "trace", "--duration", "3s"] : []
            let result = try Child.run([command, path] + more)
            return result.output + result.error
        }
        #expect(said[0].contains("node=a") && said[0].contains("node=c"), "\(said[0])")
        for text in said { #expect(!text.contains("plant"), "\(text)") }
    }
}
