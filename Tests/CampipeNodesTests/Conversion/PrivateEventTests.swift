import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Events behind a mask")
struct PrivateEventTests {
    @Test("the picture of an event shows nothing that a mask in front of motion covers")
    func picture() throws {
        let zone: Value = [["0", "0"], ["0.5", "0"], ["0.5", "1"], ["0", "1"]]
        let mask = try NodeHarness(BuiltInNodes.privacyMask, options: ["zones": zone])
        let decoder = try NodeHarness(Registration(transform: Decode.self))
        let motion = try NodeHarness(
            Registration(transform: Motion.self), options: ["sensitivity": "high", "analyze_fps": "all"])
        for number in 0..<60 {
            // White, with a dark square that walks over the right half.
            let picture = Pictures.frame(.yuv420, Size(320, 240), at: .milliseconds(number * 100)) { plane, x, y in
                guard plane == 0, number >= 20 else { return plane == 0 ? 255 : 128 }
                let left = 170 + (number - 20) * 2
                return (left..<left + 60).contains(x) && (80..<160).contains(y) ? 20 : 255
            }
            let bytes = try JPEGEncoder().encode(picture, quality: 90, pool: .shared)
            try decoder.push(
                Packet(
                    bytes, format: PacketFormat(.jpeg, size: picture.size), captured: picture.captured,
                    pts: picture.pts))
            for frame in decoder.takeItems(Frame.self) { try mask.push(frame) }
            for frame in mask.takeItems(Frame.self) { try motion.push(frame) }
        }
        try motion.end()
        let events = motion.items(Event.self, on: "events")
        #expect(events.contains { $0.kind == "motion_started" })
        let shown = events.compactMap { event -> Frame? in
            #expect(event.picture == nil, "a packet of the camera's own")
            return event.pictureFrame
        }
        #expect(!shown.isEmpty)
        for frame in shown {
            #expect(frame.origin == nil)
            for y in 0..<frame.size.height {
                for x in 0..<(frame.size.width / 2 - 8) { #expect(Pictures.pixel(frame, x, y) < 40) }
            }
        }
    }
}
