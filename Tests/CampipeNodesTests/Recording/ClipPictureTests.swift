import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Pictures of clips, and what is told of them")
struct ClipPictureTests {
    private func event(_ id: String, _ phase: Event.Phase, _ score: Double, _ picture: Packet?) -> Event {
        let event = Event(
            phase == .began ? .motionStarted : .motionEnded, id: id, phase: phase, captured: .zero, node: "watch",
            payload: ["score": .number(score)])
        return picture.map(event.showing) ?? event
    }

    private func bytes(_ rig: RecordingRig, _ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: "\(rig.folder.path)/\(name)")))
    }

    @Test("events that overlap make one clip, beside it the picture of the surest; it is told once that it is ready")
    func best() throws {
        let rig = try RecordingRig("clip.mjpeg", isGated: true)
        let packets = try RecordingRig.jpegs(60)
        for (number, packet) in packets.enumerated() {
            if number == 20 { try rig.gate(true, at: packet.captured, event("a", .began, 0.5, packets[20])) }
            if number == 25 { try rig.gate(false, at: packet.captured, event("a", .ended, 0.9, packets[22])) }
            if number == 30 { try rig.gate(true, at: packet.captured, event("b", .began, 0.3, packets[30])) }
            if number == 35 { try rig.gate(false, at: packet.captured, event("b", .ended, 0.6, packets[33])) }
            try rig.push(packet)
        }
        try rig.finish()
        #expect(rig.folder.files == ["clip.jpg", "clip.mjpeg"])
        #expect(try bytes(rig, "clip.jpg") == packets[22].data.array)
        let ready = rig.events.filter { $0.kind == .clipReady }
        #expect(ready.count == 1)
        #expect(ready.first?.payload["path"] == .text("\(rig.folder.path)/clip.mjpeg"))
        #expect(ready.first?.payload["picture"] == .text("\(rig.folder.path)/clip.jpg"))
        #expect(ready.first?.picture?.data.array == packets[22].data.array)
        // From 1.0 s to 4.5 s.
        #expect(ready.first?.payload["duration"] == .number(3.6))
    }

    @Test("of video the picture is the keyframe nearest to the best, as large as the camera's")
    func video() throws {
        let rig = try RecordingRig("clip.mp4", isGated: true)
        for (number, packet) in try RecordingRig.video(60).enumerated() {
            let frame = Pictures.frame(.yuv420, Size(16, 12), at: .milliseconds(2100))
            if number == 20 { try rig.gate(true, at: packet.captured, event("a", .began, 0.5, nil)) }
            if number == 35 {
                try rig.gate(false, at: packet.captured, event("a", .ended, 0.9, nil).showing(frame))
            }
            try rig.push(packet)
        }
        try rig.finish()
        #expect(rig.folder.files == ["clip.jpg", "clip.mp4"])
        #expect(try JPEGHeader(Bytes(try bytes(rig, "clip.jpg"))).size == Size(64, 48))
    }

    @Test("a file that has the name of a clip's picture stays as it is")
    func taken() throws {
        let rig = try RecordingRig("clip.mjpeg", isGated: true)
        #expect(FileManager.default.createFile(atPath: "\(rig.folder.path)/clip.jpg", contents: Data([1])))
        let packets = try RecordingRig.jpegs(20)
        try rig.gate(true, at: .zero, event("a", .began, 0.5, packets[3]))
        for packet in packets { try rig.push(packet) }
        try rig.finish()
        #expect(try bytes(rig, "clip.jpg") == [1])
    }

    @Test("a clip's picture goes with it, and a picture that somebody put there stays")
    func retention() throws {
        let rig = try RecordingRig("%H%M%S-%f.mjpeg", isGated: true) {
            $0.retention = RetentionPolicy(maxTotal: ByteCount(bytes: 1))
            $0.postRoll = .zero
        }
        let packets = try RecordingRig.jpegs(60)
        for (number, packet) in packets.enumerated() {
            if number % 20 == 5 { try rig.gate(true, at: packet.captured, event("\(number)", .began, 0.5, packet)) }
            if number % 20 == 10 { try rig.gate(false, at: packet.captured, nil) }
            try rig.push(packet)
            if number == 15, let clip = rig.folder.files.first(where: { $0.hasSuffix(".mjpeg") }) {
                // Somebody replaces the first one's picture.
                let picture = "\(rig.folder.path)/\(clip.dropLast(6)).jpg"
                try FileManager.default.removeItem(atPath: picture)
                #expect(FileManager.default.createFile(atPath: picture, contents: Data([1])))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_577_836_800)], ofItemAtPath: picture)
            }
        }
        try rig.finish()
        #expect(rig.folder.files.count { $0.hasSuffix(".mjpeg") } == 1)
        #expect(rig.folder.files.count { $0.hasSuffix(".jpg") } == 2)
    }

    @Test("pictures of events: one file an event, the best of each")
    func picturesOfEvents() throws {
        let rig = try RecordingRig("shot.jpg", isGated: true) { $0.isPictureOfEvent = true }
        let packets = try RecordingRig.jpegs(60)
        for (number, packet) in packets.enumerated() {
            try rig.push(packet)
            if number == 10 { try rig.gate(true, at: packet.captured, event("a", .began, 0.5, packets[9])) }
            if number == 20 { try rig.gate(false, at: packet.captured, event("a", .ended, 0.7, packets[15])) }
            if number == 30 { try rig.gate(true, at: packet.captured) }
            if number == 40 { try rig.gate(false, at: packet.captured) }
        }
        try rig.finish()
        #expect(rig.folder.files == ["shot.jpg", "shot_2.jpg"])
        #expect(try bytes(rig, "shot.jpg") == packets[15].data.array)
        #expect(try bytes(rig, "shot_2.jpg") == packets[40].data.array)
    }
}
