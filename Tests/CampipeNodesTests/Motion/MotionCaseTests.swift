import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

/// A recording of what must or must not be motion, ten frames a second unless it says otherwise.
struct MotionCase: Sendable, CustomTestStringConvertible {
    var name: String
    var fps = 10.0
    /// Frames in which the event must begin; nil: there must be none.
    var begins: ClosedRange<Int>?
    /// Columns and rows from left, top, to right, bottom, of 160x120.
    var mask: [Int]?
    var testDescription: String { name }

    static let all = [
        MotionCase(name: "static"),
        MotionCase(name: "night-noise"),
        MotionCase(name: "exposure-ramp"),
        MotionCase(name: "masked-mover", mask: [0, 40, 160, 100]),
        MotionCase(name: "person-sized-mover", begins: 5...20),
        MotionCase(name: "light-switch-plus-mover", begins: 12...30),
        MotionCase(name: "fills-picture", begins: 5...14),
        MotionCase(name: "low-fps-jump", fps: 1, begins: 3...8),
    ]

    var options: Value.ValueMap {
        guard let mask else { return Value.ValueMap() }
        func point(_ x: Int, _ y: Int) -> Value {
            [.plain(String(Double(x) / 160)), .plain(String(Double(y) / 120))]
        }
        let polygon: Value = [
            point(mask[0], mask[1]), point(mask[2], mask[1]), point(mask[2], mask[3]), point(mask[0], mask[3]),
        ]
        return Value.ValueMap([.init("mask", polygon)])
    }

    /// The frames, decoded.
    func frames() throws -> [Frame] {
        let decoder = JPEGDecoder()
        return try Fixture.jpegs("motion/\(name).mjpeg").enumerated().map { index, bytes in
            let packet = Pictures.packet(bytes, at: .seconds(Double(index) / fps))
            return try decoder.decode(packet, pool: .shared)
        }
    }
}

@Suite("What is motion, and what is not")
struct MotionCaseTests {
    @Test(
        "A recording begins an event where something moves and nowhere else", arguments: MotionCase.all, ["5", "all"])
    func recording(_ motionCase: MotionCase, rate: String) throws {
        var options = motionCase.options
        options["analyze_fps"] = .plain(rate)
        let harness = try NodeHarness(Registration(transform: Motion.self), options: options, id: "watch")
        for frame in try motionCase.frames() { try harness.push(frame) }
        let begun = harness.events.filter { $0.kind == .motionStarted && !$0.isRepeat }
            .map { Int((($0.captured - .zero).seconds * motionCase.fps).rounded()) }
        if let range = motionCase.begins {
            #expect(begun.count == 1)
            #expect(begun.allSatisfy(range.contains))
        } else {
            #expect(begun.isEmpty)
        }
    }
}
