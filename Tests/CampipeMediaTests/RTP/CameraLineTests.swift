import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Sound by the camera's clock")
struct CameraLineTests {
    private static func packet(_ format: PacketFormat, captured: Int, camera: Int?, isKeyframe: Bool = true) -> Packet {
        var packet = Packet(
            .empty, format: format, captured: .zero + .milliseconds(captured), pts: MediaTime(.zero),
            isKeyframe: isKeyframe)
        packet.cameraTime = camera.map { WallTime(microseconds: Int64($0) * 1000) }
        return packet
    }

    @Test(
        "sound is put to the picture that was taken with it, unless that would be far away",
        arguments: [
            // Pictures are 200 ms on their way, sound 40.
            (10_300, 5100, 10_460), (10_300, nil, 10_300), (10_300, 50_000, 10_300), (10_300, 1000, 10_300),
        ] as [(Int, Int?, Int)])
    func captured(_ arrived: Int, _ camera: Int?, _ expected: Int) {
        var line = CameraLine()
        let sound = Self.packet(PacketFormat(.pcmu), captured: arrived, camera: camera)
        #expect(line.captured(of: sound) == sound.captured)
        line.look(at: Self.packet(.h264, captured: 10_360, camera: 5000))
        line.look(at: Self.packet(.h264, captured: 10_700, camera: 5040, isKeyframe: false))
        line.look(at: Self.packet(.h264, captured: 10_800, camera: nil))
        #expect(line.captured(of: sound) == .zero + .milliseconds(expected))
    }
}
