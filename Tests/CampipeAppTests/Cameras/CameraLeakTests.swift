import CampipeHTTP
import CampipeKit
import CampipeRuntime
import Foundation
import Glibc
import Testing

@testable import CampipeApp

/// What cameras cost, each test in a process of its own: its memory, descriptors and threads are those of the test.
@Suite("What cameras leave behind", .serialized)
struct CameraLeakTests {
    private static func count(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
    }

    private static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }

    @Test(
        "200 reconnects over real connections, lost in every way, leave no descriptor, no thread and no memory behind")
    func reconnects() async {
        await #expect(processExitsWith: .success) {
            let picture = try CameraRig.picture()
            let camera = try ScriptedCamera { request in
                switch request.connection % 5 {
                case 0: [.send(Answers.head + Answers.part(picture)), .close]
                case 1: [.send(Answers.head + Answers.part(picture) + Answers.part(picture).dropLast(99)), .reset]
                case 2: [.send(Answers.status("503 Service Unavailable", "Retry-After: 1\r\n")), .close]
                case 3: [.send(Answers.status("404 Not Found")), .close]
                default: [.close]
                }
            }
            let rig = try CameraRig(
                """
                sources: {cam: {type: mjpeg, url: "\(camera.url)"}}
                sinks: {out: {type: discard, input: cam}}
                """)
            // What is made once is there by then.
            #expect(rig.run { rig.states().count { $0.retryAt != nil } >= 50 && camera.openConnections == 0 })
            let descriptors = Self.count("/proc/self/fd")
            let threads = Self.count("/proc/self/task")
            let memory = Self.residentBytes
            #expect(rig.run { rig.states().count { $0.retryAt != nil } >= 250 && camera.openConnections == 0 })
            #expect(camera.connections >= 250)
            // A connection or a thread may be on its way in or out.
            #expect(Self.count("/proc/self/fd") <= descriptors + 3)
            #expect(Self.count("/proc/self/task") <= threads + 3)
            let grown = Self.residentBytes - memory
            #if !ASAN  // which keeps what was freed
                // The rig keeps the log and the states: some hundred bytes a reconnect. A curl handle alone has 20 KiB.
                #expect(grown < 3 << 20, "\(grown) bytes")
            #endif
            camera.stop()
        }
    }

    @Test("Sixty-four cameras need no sixty-four threads")
    func threads() async {
        await #expect(processExitsWith: .success) {
            let clock = SystemClock()
            let server = try HTTPServer(clock: clock)
            let address = try server.listen(on: ListenAddress("127.0.0.1:0"))
            let feed = server.makeFeed()
            let picture = Bytes(try CameraRig.picture())
            for number in 0..<64 { try server.register("/\(number)", access: .open) { _, _ in .stream(feed) } }
            let before = Self.count("/proc/self/task")
            let cameras = (0..<64).map { number in
                "  c\(number): {type: camera, url: \"http://127.0.0.1:\(address.port)/\(number)\"}\n"
            }
            let sinks = (0..<64).map { "  s\($0): {type: discard, input: c\($0)}\n" }
            let rig = try CameraRig("sources:\n\(cameras.joined())sinks:\n\(sinks.joined())")
            let areRunning = rig.run {
                feed.publish(picture, time: clock.wallTime)
                return (0..<64).allSatisfy { rig.state("c\($0)").state == .running }
            }
            #expect(areRunning)
            let more = Self.count("/proc/self/task") - before
            #expect(more <= 16, "\(more) threads more than without")
        }
    }

    @Test("Nodes that read one URL share one connection, from end to end")
    func shared() async {
        await #expect(processExitsWith: .success) {
            let picture = try CameraRig.picture()
            let camera = try ScriptedCamera { _ in [.send(Answers.head), .stream(Answers.part(picture))] }
            let rig = try CameraRig(
                """
                sources:
                  a: {type: camera, url: "\(camera.url)"}
                  b: {type: mjpeg, url: "\(camera.url)"}
                sinks:
                  outA: {type: discard, input: a}
                  outB: {type: discard, input: b}
                """)
            #expect(rig.run { ["a", "b"].allSatisfy { rig.state($0).state == .running } })
            #expect(camera.connections == 1)
            camera.stop()
        }
    }
}
