import CampipeHTTP
import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeApp

@Suite("campipe simulate over loopback", .serialized)
struct CameraSimulatorTests {
    private func simulator(
        _ faults: SimulationFaults = SimulationFaults(), cameras: Int = 1, log: Log = .silent
    ) throws -> (simulator: CameraSimulator, port: UInt16) {
        let simulator = CameraSimulator(
            (1...cameras).map { SimulatedCamera(.porch, size: Size(160, 120), fps: 50, seed: UInt64($0)) },
            faults: faults, clock: SystemClock(), log: log)
        return (simulator, try simulator.start(on: ListenAddress(host: "127.0.0.1", port: 0)).port)
    }

    @Test(
        "a camera is MJPEG in parts whose lengths are right", arguments: ["/", "/cam1", "/cam1/stream", "/video?x=1"])
    func parts(path: String) throws {
        let (simulator, port) = try simulator()
        defer { simulator.stop() }
        let connection = try #require(TestConnection(port, path))
        let bytes = try #require(connection.read(until: "--simulated\r\n", times: 4))
        let text = String(decoding: bytes.prefix(200), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=simulated\r\n"))
        let heads = TestConnection.starts(of: Array("\r\n\r\n".utf8), in: bytes)
        let length = try #require(text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) })
        let picture = bytes[(heads[1] + 4)...].prefix(length)
        #expect(picture.starts(with: [0xFF, 0xD8]) && picture.suffix(2).elementsEqual([0xFF, 0xD9]))
        #expect(bytes[(heads[1] + 4 + length)...].starts(with: Array("\r\n--simulated".utf8)))
    }

    @Test("each camera has pictures of its own, a snapshot is one picture, and what is not there is 404")
    func paths() throws {
        let (simulator, port) = try simulator(cameras: 2)
        defer { simulator.stop() }
        for path in ["/snapshot", "/cam2/snapshot"] {
            let answer = try #require(TestConnection(port, path)).read()
            #expect(TestConnection.count("Content-Type: image/jpeg", in: answer) == 1)
            #expect(answer.suffix(2) == [0xFF, 0xD9])
        }
        for path in ["/cam3", "/cam0", "/camx", "/cam1/nothing"] {
            let answer = try #require(TestConnection(port, path)).read()
            #expect(answer.starts(with: Array("HTTP/1.1 404".utf8)), "\(path)")
        }
    }

    @Test("without a boundary JPEGs come back to back")
    func bare() throws {
        let (simulator, port) = try simulator(SimulationFaults(omitsBoundary: true))
        defer { simulator.stop() }
        let bytes = try #require(TestConnection(port, "/")).read(40_000)
        #expect(TestConnection.count("boundary", in: bytes) == 0)
        #expect(TestConnection.count("video/x-motion-jpeg", in: bytes) == 1)
        #expect(TestConnection.starts(of: [0xFF, 0xD9, 0xFF, 0xD8], in: bytes).count >= 2)
    }

    @Test("a cut ends the connection in the middle of a picture, and the next one is served")
    func cut() throws {
        let (simulator, port) = try simulator(SimulationFaults(cutEvery: .milliseconds(200)))
        defer { simulator.stop() }
        for _ in 0..<2 {
            let bytes = try #require(TestConnection(port, "/")).read()
            #expect(TestConnection.count("--simulated", in: bytes) >= 2)
            #expect(!bytes.suffix(4).elementsEqual([0xFF, 0xD9, 13, 10]))
        }
    }

    @Test("each fault is said as it is played, with the camera and how long a stall lasts")
    func said() throws {
        let lines = Lock<[String]>([])
        let log = Log { entry in
            let facts = entry.facts.filter { $0.key != "after" }.map { "\($0.key)=\($0.value)" }
            lines.withLock { $0.append(([entry.message] + facts).joined(separator: " ")) }
        }
        let faults = SimulationFaults(
            stallEvery: .milliseconds(200), cutEvery: .milliseconds(1200), damageEvery: .milliseconds(150),
            stallFor: .milliseconds(60))
        let (simulator, port) = try simulator(faults, log: log)
        defer { simulator.stop() }
        _ = try #require(TestConnection(port, "/")).read()
        let said = Set(lines.withLock { $0 })
        #expect(
            said == [
                "plays a stall: sends nothing, with the connection open camera=1 lasts=60ms",
                "plays damage: sends a broken picture camera=1",
                "plays a cut: hangs up in the middle of a picture camera=1",
            ])
    }

    @Test("a stopped simulator lets its viewers go and takes no more")
    func stops() throws {
        let (simulator, port) = try simulator()
        let connection = try #require(TestConnection(port, "/"))
        #expect(connection.read(until: "image/jpeg") != nil)
        simulator.stop()
        _ = connection.read()
        #expect(TestConnection(port, "/") == nil)
    }

    /// What a pipeline makes of a camera with a fault: its log, and the pictures that came through.
    private func run(_ faults: [String], seconds: Int) throws -> (code: Int32?, pictures: Int, log: String) {
        let camera = try Child(["simulate", "--listen", "127.0.0.1:0", "--fps", "20", "--size", "160x120"] + faults)
        let port = try camera.port()
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "a.yaml",
            """
            version: 1
            sources: {cam: {type: mjpeg, url: "http://127.0.0.1:\(port)/cam1", stall_after: 2s}}
            transforms: {picture: {type: decode, input: cam}}
            sinks: {out: {type: log, input: picture, format: json, link: {when_full: drop_oldest, max_items: 500}}}
            """)
        let result = try Child.run(["run", file, "--duration", "\(seconds)s", "--log-level", "debug"])
        camera.signal(15)
        #expect(camera.wait(20) == 0, "\(camera.error)")
        return (result.code, result.output.split(separator: "\n").count, result.error)
    }

    @Test("mjpeg reads it, with a boundary and without", arguments: [[], ["--no-boundary"]])
    func read(faults: [String]) throws {
        let result = try run(faults, seconds: 3)
        #expect(result.code == 0 && result.pictures >= 10, "\(result)")
    }

    @Test("mjpeg comes back after a cut")
    func cutForReal() throws {
        let result = try run(["--cut-every", "1s"], seconds: 6)
        #expect(result.code == 0 && result.pictures >= 10, "\(result)")
        #expect(result.log.contains("node=cam"), "\(result.log)")
    }

    @Test("mjpeg takes a stall for one and connects again")
    func stallForReal() throws {
        let result = try run(["--stall-every", "1s"], seconds: 7)
        #expect(result.code == 0 && result.pictures >= 5, "\(result)")
        #expect(result.log.contains("stall"), "\(result.log)")
    }

    @Test("damaged pictures do not end the stream")
    func damageForReal() throws {
        let result = try run(["--damage-every", "300ms"], seconds: 4)
        #expect(result.code == 0 && result.pictures >= 10, "\(result)")
    }

    @Test("beyond loopback it says that everybody sees it; the addresses can be opened as they are")
    func open() throws {
        let result = try Child.run(["simulate", "--listen", "0.0.0.0:0", "--duration", "1s", "--size", "160x120"])
        #expect(result.code == 0)
        #expect(result.error.contains("warning everybody in the network can see these scenes"), "\(result.error)")
        #expect(result.output.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\/cam1\n/) != nil, "\(result.output)")
        let closed = try Child.run(["simulate", "--listen", "127.0.0.1:0", "--duration", "1s", "--size", "160x120"])
        #expect(closed.code == 0 && closed.error == "")
    }

    @Test("a port in use names the flag that chooses another, and no key of a file")
    func inUse() throws {
        let (simulator, port) = try simulator()
        defer { simulator.stop() }
        let result = Captured.run(["simulate", "--listen", "127.0.0.1:\(port)"])
        #expect(result.code == 1)
        let error = #expect(throws: CampipeError.self) {
            try self.simulator().simulator.start(on: ListenAddress(host: "127.0.0.1", port: port))
        }
        #expect(error?.fix == "stop the program that holds it, or choose another port with --listen")
    }
}
