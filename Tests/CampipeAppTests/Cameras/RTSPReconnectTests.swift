import CampipeHTTP
import CampipeKit
import CampipeRuntime
import Testing

@testable import CampipeApp

/// What becomes of a pipeline when its RTSP camera fails in ways of its own.
@Suite("Reconnecting over RTSP", .serialized)
struct RTSPReconnectTests {
    private static func camera(_ change: (inout RTSPPlayback.Script) -> Void) throws -> RTSPPlayback {
        let picture = try CameraRig.picture()
        var script = RTSPPlayback.Script()
        script.sdp = RTSPPlayback.jpegDescription
        script.stream = RTSPPlayback.jpegs([[UInt8]](repeating: picture, count: 5))
        change(&script)
        return try RTSPPlayback(script)
    }

    private static func rig(_ camera: RTSPPlayback) throws -> CameraRig {
        try CameraRig(
            "sources: {cam: {type: camera, url: \"\(camera.url())\"}}\nsinks: {out: {type: discard, input: cam}}")
    }

    @Test("a camera that restarts again and again is found each time, and no faster than the back-off allows")
    func restarts() throws {
        let camera = try Self.camera { $0.then = .reset }
        defer { camera.stop() }
        let rig = try Self.rig(camera)
        let began = rig.clock.now
        #expect(rig.run { rig.states().count { $0.state == .running } >= 4 })
        #expect(camera.connections >= 4)
        #expect(rig.states().contains { $0.state == .waiting })
        #expect(rig.clock.now - began >= .milliseconds(500) * (camera.connections - 1))
        #expect(rig.warnings.count <= 2)
    }

    @Test("a camera that falls silent while the connection stays is left and found again")
    func silence() throws {
        let camera = try Self.camera { $0.then = .stall }
        defer { camera.stop() }
        let rig = try Self.rig(camera)
        #expect(rig.run { rig.state().state == .running })
        #expect(rig.run(isSilent: { rig.state().state == .running }) { rig.states().contains { $0.state == .stalled } })
        #expect(rig.run { camera.connections >= 2 && rig.state().state == .running })
        #expect(rig.run { camera.requests.contains { $0.method == "TEARDOWN" } })
    }

    @Test("a refused password waits as long as a camera over http does")
    func refused() throws {
        let camera = try Self.camera {
            $0.challenge = "Basic realm=\"cam\""
            $0.admits = { _, _, _ in false }
        }
        defer { camera.stop() }
        let rig = try Self.rig(camera)
        let began = rig.clock.now
        #expect(rig.run { rig.states().count { $0.state == .waiting } >= 4 })
        // Twice as after other failures, then five minutes.
        #expect(rig.clock.now - began >= .seconds(300))
        #expect(rig.state().reason?.contains("401") == true)
    }
}
