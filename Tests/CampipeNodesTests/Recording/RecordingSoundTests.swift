import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Recordings with sound")
struct RecordingSoundTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a file holds: pictures and sound, each in order; `captured` counts from its beginning.
    private struct Film {
        var pictures: [Packet] = []
        var sounds: [Packet] = []

        init(_ path: String) throws {
            var reading = FileReading(try MediaReader(path: path))
            reading.select(sound: true)
            while let step = try reading.next() {
                guard case .packet(let packet) = step else { continue }
                if packet.format.isAudio { sounds.append(packet) } else { pictures.append(packet) }
            }
        }

        static func fixture(_ name: String) throws -> Film {
            let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
            return try Film(folder.appending(path: "sound/\(name)").path)
        }

        /// As a camera sends it: sound has a line of time of its own.
        var packets: [Packet] {
            let moved = sounds.map { sound -> Packet in
                var sound = sound
                sound.pts = sound.pts.shifted(by: .seconds(37))
                sound.dts = sound.pts
                return sound
            }
            return (pictures + moved).enumerated().sorted {
                ($0.element.dts.duration - offset($0.element), $0.offset)
                    < ($1.element.dts.duration - offset($1.element), $1.offset)
            }.map(\.element)
        }

        private func offset(_ packet: Packet) -> Duration { packet.format.isAudio ? .seconds(37) : .zero }
    }

    private func sink(_ name: String, _ more: Value.ValueMap = [:], isLive: Bool = true, isGated: Bool = false) throws
        -> NodeHarness
    {
        var options = more
        options["path"] = .text("\(folder.path)/\(name)")
        return try NodeHarness(
            Registration(sink: FileSink.self), options: options, id: "rec", isLive: isLive, isGated: isGated,
            connected: ["input", "audio"])
    }

    private func push(_ packets: [Packet], to harness: NodeHarness) throws {
        for packet in packets {
            if packet.format.isAudio {
                try harness.push(packet, on: FileSink.audio)
            } else {
                try harness.push(packet)
            }
        }
    }

    private func warnings(_ harness: NodeHarness) -> [String] {
        harness.logged.filter { $0.level == .warning }.map(\.message)
    }

    private func film(_ name: String) throws -> Film { try Film("\(folder.path)/\(name)") }

    private static func milliseconds(_ packets: [Packet]) -> [Int] {
        packets.map { Int(($0.captured - Instant.zero).nanoseconds / 1_000_000) }
    }

    @Test(
        "a recording has the sound of its camera, copied where the container holds it, else as AAC, in step",
        arguments: [
            ("h264-aac.ts", "mp4", Coding.aac, true), ("h264-aac.ts", "mkv", .aac, true),
            ("h264-aac.ts", "ts", .aac, true), ("h264-pcmu.mkv", "mp4", .aac, false),
            ("h264-pcmu.mkv", "mkv", .pcmu, true), ("h264-pcmu.mkv", "ts", .aac, false),
            ("h264-pcmu.mov", "mp4", .aac, false),
        ])
    func recorded(_ source: String, _ ending: String, _ coding: Coding, _ isCopied: Bool) throws {
        let given = try Film.fixture(source)
        #expect(given.pictures.count == 40 && given.sounds.count > 20)
        let harness = try sink("clip.\(ending)")
        try push(given.packets, to: harness)
        try harness.end()
        #expect(warnings(harness) == [])
        let found = try film("clip.\(ending)")
        #expect(found.pictures.count == 40)
        #expect(found.sounds.allSatisfy { $0.format.coding == coding })
        let begin = try #require(given.pictures.first).captured
        let first = try #require(found.pictures.first).captured
        for (a, b) in zip(given.pictures, found.pictures) {
            #expect(abs(((a.captured - begin) - (b.captured - first)).seconds) < 0.003)
        }
        if isCopied {
            let kept = given.sounds.filter { $0.captured >= begin }
            #expect(kept.count - found.sounds.count <= 1)
            for (a, b) in zip(kept.suffix(found.sounds.count), found.sounds) {
                #expect(a.data == b.data)
                #expect(abs(((a.captured - begin) - (b.captured - first)).seconds) < 0.003)
            }
        } else {
            let times = found.sounds.map { ($0.captured - first).seconds }
            #expect(try #require(times.first) < 0.13)
            #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.128) < 0.003 })
            #expect(try #require(times.last) > 3.7)
        }
    }

    @Test("a camera that is expected to have sound and has none costs no picture", arguments: ["mp4", "mkv", "ts"])
    func silent(_ ending: String) throws {
        let given = try Film.fixture("h264-aac.ts")
        let harness = try sink("clip.\(ending)")
        try push(given.pictures, to: harness)
        try harness.end()
        let found = try film("clip.\(ending)")
        #expect(found.pictures.count == 40 && found.sounds.isEmpty)
        #expect(warnings(harness) == [])
    }

    @Test("sound that stops, or comes seconds late, costs no picture")
    func interrupted() throws {
        let given = try Film.fixture("h264-aac.ts")
        for (name, isLate) in [("stops.mp4", false), ("late.mp4", true)] {
            let harness = try sink(name)
            for (number, picture) in given.pictures.enumerated() {
                if isLate, number == 30 { try push(given.sounds, to: harness) }
                if !isLate, number == 10 { try push(Array(given.sounds.prefix(15)), to: harness) }
                try push([picture], to: harness)
                // Nothing is held back for long: what is read here was written.
                if number == 35 { #expect(try film(name).pictures.count >= 10) }
            }
            try harness.end()
            #expect(
                try folder.files.filter { $0.hasPrefix(name.prefix(4)) }.map { try film($0).pictures.count }
                    .reduce(0, +) == 40)
        }
    }

    @Test("sound of a coding that nothing reads is left out, with one warning")
    func unknown() throws {
        let given = try Film.fixture("h264-aac.ts")
        var format = PacketFormat(.other)
        format.codecName = "no_such_codec"
        format.sampleRate = 8000
        format.channels = 1
        let harness = try sink("clip-%f.mp4", ["segment": .text("1s")])
        try push(
            given.packets.map { $0.format.isAudio ? $0.replacing($0.data, format: format) : $0 }, to: harness)
        try harness.end()
        #expect(warnings(harness) == ["recorded without the sound"])
        #expect(try folder.files.map { try film($0).pictures.count } == [10, 10, 10, 10])
        #expect(try folder.files.allSatisfy { try film($0).sounds.isEmpty })
    }

    @Test("segments share the sound out: each packet is in one of them", arguments: ["mp4", "mkv"])
    func segments(_ ending: String) throws {
        let given = try Film.fixture("h264-aac.ts")
        let harness = try sink("clip-%f.\(ending)", ["segment": .text("1s")])
        try push(given.packets, to: harness)
        try harness.end()
        let films = try folder.files.map { try film($0) }
        #expect(films.map(\.pictures.count) == [10, 10, 10, 10])
        let found = films.flatMap(\.sounds).map(\.data)
        #expect(found == given.sounds.map(\.data).suffix(found.count) && given.sounds.count - found.count <= 1)
        #expect(films.allSatisfy { film in Self.milliseconds(film.sounds).first.map { $0 < 70 } == true })
    }

    @Test("a clip has the sound of what came before the event, in step")
    func preRoll() throws {
        let given = try Film.fixture("h264-pcmu.mkv")
        let harness = try sink("clip.mkv", ["pre_roll": .text("1s"), "post_roll": .text("500ms")], isGated: true)
        for packet in given.packets {
            let at = packet.captured - Instant.zero
            if !packet.format.isAudio, (Duration.milliseconds(2195)..<Duration.milliseconds(2295)).contains(at) {
                try harness.gate(GateChange(isOpen: true, at: packet.captured, event: nil))
            }
            if !packet.format.isAudio, (Duration.milliseconds(2495)..<Duration.milliseconds(2595)).contains(at) {
                try harness.gate(GateChange(isOpen: false, at: packet.captured, event: nil))
            }
            try push([packet], to: harness)
        }
        try harness.end()
        let found = try film("clip.mkv")
        #expect(found.pictures.count == 21)
        let sounds = given.sounds.filter { $0.captured >= .zero + .milliseconds(995) }
        let first = try #require(found.sounds.first)
        let place = try #require(sounds.firstIndex { $0.data == first.data })
        #expect(place <= 1)
        let offset = (sounds[place].captured - Instant.zero) - (first.captured - Instant.zero)
        #expect(abs(offset.seconds - 1) < 0.05)
        #expect(zip(sounds[place...], found.sounds).allSatisfy { $0.data == $1.data })
        #expect(abs((try #require(found.sounds.last).captured - Instant.zero).seconds - 2.0) < 0.1)
    }

    @Test("pictures alone take no sound")
    func pictures() throws {
        let harness = try sink("out.mjpeg")
        let jpeg = Pictures.packet([0xFF, 0xD8, 0xFF, 0xD9])
        try push([jpeg] + (try Film.fixture("h264-aac.ts")).sounds.prefix(3) + [jpeg], to: harness)
        try harness.end()
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/out.mjpeg")).count == 8)
    }

    @Test("JPEGs and sound become H.264 and AAC")
    func transcoded() throws {
        let harness = try sink("clip.mp4")
        var format = PacketFormat(.jpeg, size: Size(64, 48), rate: 10)
        format.timebase = .nanoseconds
        let frame = Pictures.frame(.yuv420, Size(64, 48))
        let jpeg = try JPEGEncoder().encode(frame, quality: 80, pool: .shared)
        var sound = PacketFormat(.pcma, timebase: Timebase(1, 8000))
        sound.sampleRate = 8000
        sound.channels = 1
        for number in 0..<30 {
            let time = Duration.milliseconds(number * 100)
            try harness.push(Packet(jpeg, format: format, captured: .zero + time, pts: MediaTime(time)))
            for part in 0..<5 {
                let ticks = Int64(number * 800 + part * 160)
                let pts = MediaTime(ticks: ticks, timebase: sound.timebase)
                try harness.push(
                    Packet(
                        Bytes([UInt8](repeating: 0xD5, count: 160)), format: sound, captured: .zero + pts.duration,
                        pts: pts, duration: .milliseconds(20)), on: FileSink.audio)
            }
        }
        try harness.end()
        let found = try film("clip.mp4")
        #expect(found.pictures.count == 30 && found.pictures[0].format.coding == .h264)
        #expect(found.sounds.count >= 22 && found.sounds[0].format.coding == .aac)
    }
}
