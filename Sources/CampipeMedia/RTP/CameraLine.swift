package import CampipeKit

/// Where a camera's own clock is on the pipeline's line, by its pictures: so its sound, which comes another way through
/// the camera, is put to the pictures that were taken with it. A value without clock.
///
/// Both streams tell the camera's time only after its first reports (RTCP SR, RFC 3550 section 6.4.1), and some cameras
/// tell another for each stream: what would move sound far is not believed.
package struct CameraLine: Sendable {
    private static let farthest = Duration.seconds(2)
    private var picture: (captured: Instant, time: WallTime)?

    package init() {}

    /// Looks at a picture.
    package mutating func look(at packet: Packet) {
        guard packet.isKeyframe, let time = packet.cameraTime else { return }
        picture = (packet.captured, time)
    }

    /// When sound was captured on the pictures' line; as it says itself while that is not known.
    package func captured(of sound: Packet) -> Instant {
        guard let picture, let time = sound.cameraTime else { return sound.captured }
        let found = picture.captured + (time - picture.time)
        let change = found - sound.captured
        return change < Self.farthest && Duration.zero - change < Self.farthest ? found : sound.captured
    }
}
