import CampipeKit
import Testing

@Test("what is brighter than the level becomes white, all else black")
func threshold() throws {
    let harness = try NodeHarness(Threshold.self, options: ["level": "99"])
    for (second, level) in [UInt8(100), 99].enumerated() {
        let picture = FramePool.shared.buffer(.gray8, Size(16, 8))
        picture.withMutablePlane(0) { first, plane in
            first.update(repeating: level, count: plane.stride * plane.height)
        }
        let time = Duration.seconds(second)
        try harness.push(Frame(picture, captured: .zero + time, pts: MediaTime(time)))
    }
    try harness.end()
    #expect(harness.frames.map { $0.withPlane(0) { first, _ in first[0] } } == [255, 0])
}
