import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("The sound of files")
struct FileSoundTests {
    private let registration = Registration(source: FileSource.self)

    private func source(_ name: String, _ more: Value.ValueMap = [:], isLive: Bool = false) throws -> NodeHarness {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        var options = more
        options["path"] = .text(folder.appending(path: "sound/\(name)").path)
        return try NodeHarness(registration, options: options, isLive: isLive)
    }

    @Test(
        "sound is on an output of its own, as it is, AAC bare",
        arguments: [
            ("h264-aac.ts", Coding.aac, 16_000), ("h264-pcmu.mkv", .pcmu, 8000), ("h264-pcmu.mov", .pcmu, 8000),
        ])
    func sound(_ name: String, _ coding: Coding, _ rate: Int) throws {
        let harness = try source(name)
        try harness.run()
        #expect(harness.packets.count == 40)
        let sounds = harness.items(Packet.self, on: "audio")
        #expect(sounds.count > 20)
        #expect(
            sounds.allSatisfy {
                $0.format.coding == coding && $0.format.sampleRate == rate && $0.format.channels == 1
                    && ($0.format.parameterSets != nil) == (coding == .aac)
            })
        #expect(zip(sounds, sounds.dropFirst()).allSatisfy { $0.captured < $1.captured })
        let last = try #require(sounds.last).captured - Instant.zero
        #expect(abs(last.seconds - 3.95) < 0.2)
    }

    @Test("sound that nobody wants is not handed on", arguments: ["max", "realtime"])
    func unwanted(_ speed: String) throws {
        let harness = try source("h264-aac.ts", ["speed": .plain(speed)], isLive: speed == "realtime")
        harness.setWanted(false, on: "audio")
        try harness.run(until: harness.clock.now + .seconds(10))
        #expect(harness.packets.count == 40 && harness.items(Packet.self, on: "audio").isEmpty)
    }

    @Test("in real time neither pictures nor sound wait for the other, round after round")
    func realtime() throws {
        let harness = try source("h264-aac.ts", ["speed": "realtime", "loop": "true"], isLive: true)
        for step in 1...12 {
            try harness.advance(by: .seconds(1))
            let sounds = harness.items(Packet.self, on: "audio")
            #expect(abs(harness.packets.count - step * 10) <= 2)
            let heard = try #require(sounds.last).captured - harness.clock.now
            #expect(abs(heard.seconds) < 0.2)
            #expect(sounds.allSatisfy { $0.captured <= harness.clock.now })
        }
    }
}
