import CampipeKit
import Testing

@Suite("denoise")
struct DenoiseTests {
    private func levels(of pictures: [UInt8], options: Value.ValueMap = [:]) throws -> [UInt8] {
        let harness = try NodeHarness(Denoise.self, options: options)
        for (second, level) in pictures.enumerated() {
            try harness.push(Frame.flat(level, at: .seconds(second)))
        }
        try harness.end()
        return harness.frames.map { $0.level() }
    }

    @Test("noise around a level is a quarter of what it was, and the first picture is as it is")
    func noise() throws {
        let noisy = (0..<40).map { UInt8($0 % 2 == 0 ? 96 : 104) }
        let clean = try levels(of: noisy)
        #expect(clean[0] == 96)
        #expect(clean[20...].allSatisfy { (99...101).contains($0) })
    }

    @Test("what changes by more is taken as it is, at once")
    func motion() throws { #expect(try levels(of: [100, 100, 200, 200, 10]) == [100, 100, 200, 200, 10]) }

    @Test("strength 0 changes nothing")
    func nothing() throws {
        let some: [UInt8] = [100, 105, 95, 100, 0, 255]
        #expect(try levels(of: some, options: ["strength": "0"]) == some)
    }
}
