import CampipeKit
import Testing

@Test("what is brighter than the level becomes white, all else black")
func threshold() throws {
    let harness = try NodeHarness(Threshold.self, options: ["level": "99"])
    for (second, level) in [UInt8(100), 99].enumerated() {
        try harness.push(Frame.flat(level, at: .seconds(second)))
    }
    try harness.end()
    #expect(harness.frames.map { $0.level() } == [255, 0])
}
