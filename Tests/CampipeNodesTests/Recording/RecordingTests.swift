import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Recordings")
struct RecordingTests {
    private let folder: TemporaryFolder
    private let registration = Registration(sink: FileSink.self)

    init() throws { folder = try TemporaryFolder() }

    /// JPEGs of 64x48, ten a second, of different greys.
    private static func jpeg(_ number: Int) throws -> Packet {
        let frame = Pictures.frame(.yuv420, Size(64, 48)) { plane, _, _ in plane == 0 ? UInt8(number % 200) : 128 }
        var format = PacketFormat(.jpeg, size: Size(64, 48), rate: 10)
        format.timebase = .nanoseconds
        let time = Duration.milliseconds(number * 100)
        return Packet(
            try JPEGEncoder().encode(frame, quality: 80, pool: .shared), format: format, captured: .zero + time,
            pts: MediaTime(time))
    }

    private func sink(_ name: String, _ more: Value.ValueMap = [:], isGated: Bool = false) throws -> NodeHarness {
        var options = more
        options["path"] = .text("\(folder.path)/\(name)")
        return try NodeHarness(registration, options: options, id: "rec", isLive: true, isGated: isGated)
    }

    private func packets(_ file: String) throws -> [Packet] {
        let reader = try MediaReader(path: "\(folder.path)/\(file)")
        var packets: [Packet] = []
        while let packet = try reader.next() { packets.append(packet) }
        return packets
    }

    @Test("mjpeg is JPEGs back to back, byte for byte")
    func mjpeg() throws {
        let harness = try sink("out.mjpeg")
        let pictures = try (0..<5).map(Self.jpeg)
        for picture in pictures { try harness.push(picture) }
        try harness.end()
        let written = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/out.mjpeg")))
        #expect(written == pictures.flatMap(\.data.array))
    }

    @Test(
        "JPEGs become H.264 in mp4 and ts, and stay JPEGs in mkv",
        arguments: [
            ("mp4", Coding.h264), ("ts", .h264), ("mkv", .other),
        ])
    func containers(_ ending: String, _ coding: Coding) throws {
        let harness = try sink("{id}-%Y.\(ending)")
        for number in 0..<25 { try harness.push(try Self.jpeg(number)) }
        try harness.end()
        let file = try #require(folder.files.first)
        #expect(file == "rec-2026.\(ending)")
        let read = try packets(file)
        #expect(read.count == 25)
        #expect(read.first?.isKeyframe == true)
        if coding == .h264 { #expect(read.allSatisfy { $0.format.coding == .h264 }) }
        let last = try #require(read.last)
        #expect(abs((last.captured - .zero).seconds - 2.4) < 0.02)
    }

    @Test("with video: copy an mp4 has the JPEGs as they came, and nobody warns of a second coding")
    func copiedVideo() throws {
        let harness = try sink("clip.mp4", ["video": "copy"])
        let pictures = try (0..<25).map(Self.jpeg)
        for picture in pictures { try harness.push(picture) }
        try harness.end()
        #expect(try packets("clip.mp4").map(\.data.array) == pictures.map(\.data.array))
        #expect(try packets("clip.mp4").first?.format.coding == .jpeg)
        #expect(registration.inspect(["path": "clip.mp4", "video": "copy"]).recodes == [:])
        #expect(registration.inspect(["path": "clip.ts", "video": "copy"]).faults.map(\.path) == [["video"]])
        #expect(registration.inspect(["path": "clip.mkv", "video": "copy"]).faults.map(\.code) == [.noEffect])
    }

    @Test("a recording whose pictures come out of order is as long as they are")
    func reordered() throws {
        let harness = try sink("clip.mp4")
        // Every other picture comes after the one that follows it.
        let clip = try MediaReader(path: fixture("pictures/bframes.mp4"))
        var count = 0
        while let packet = try clip.next() {
            guard !packet.format.isAudio else { continue }
            try harness.push(packet)
            count += 1
        }
        try harness.end()
        let rate = try #require(clip.video.format.rate)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let list = try String(
            contentsOfFile: "\(folder.path)/" + (try #require(names.first { $0.hasPrefix(".campipe-") })),
            encoding: .utf8)
        let line = try #require(list.split(separator: "\n").last { $0.hasSuffix(" clip.mp4") })
        let length = try #require(Int(line.split(separator: " ")[1].split(separator: ",")[2]))
        #expect(abs(Double(length) / 1_000_000 - Double(count) / rate) < 0.005, "\(line)")
    }

    private func fixture(_ name: String) throws -> String {
        try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil)).appending(path: name).path
    }

    @Test("an mkv that ended in order says how long it is")
    func duration() throws {
        let harness = try sink("clip.mkv")
        for number in 0..<25 { try harness.push(try Self.jpeg(number)) }
        try harness.end()
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/clip.mkv")))
        // Duration (0x4489) of the segment's info: a float of 8 bytes, in milliseconds (RFC 9559, 5.1.2.10).
        let place = try #require(bytes.indices.dropLast(11).first { Array(bytes[$0..<$0 + 3]) == [0x44, 0x89, 0x88] })
        let bits = bytes[(place + 3)..<(place + 11)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(abs(Double(bitPattern: bits) - 2500) <= 100)
    }

    @Test("a clip begins its pre-roll before the event, and ends its post-roll after it")
    func preRoll() throws {
        let harness = try sink(
            "%H%M%S-%f.mjpeg", ["pre_roll": "1s", "post_roll": "500ms"], isGated: true)
        for number in 0..<100 {
            let time = Instant.zero + .milliseconds(number * 100)
            if number == 40 { try harness.gate(GateChange(isOpen: true, at: time, event: nil)) }
            if number == 50 { try harness.gate(GateChange(isOpen: false, at: time, event: nil)) }
            try harness.push(try Self.jpeg(number))
        }
        try harness.end()
        #expect(folder.files.count == 1)
        // From 3.0 s, a second before the event, to 5.5 s.
        #expect(try packets(try #require(folder.files.first)).count == 26)
    }

    @Test("events that follow one another within the post-roll are one clip, later ones are another")
    func clips() throws {
        let harness = try sink("%H%M%S-%f.mjpeg", ["pre_roll": "0s", "post_roll": "1s"], isGated: true)
        for number in 0..<100 {
            let time = Instant.zero + .milliseconds(number * 100)
            if [10, 25, 60].contains(number) { try harness.gate(GateChange(isOpen: true, at: time, event: nil)) }
            if [20, 30, 70].contains(number) { try harness.gate(GateChange(isOpen: false, at: time, event: nil)) }
            try harness.push(try Self.jpeg(number))
        }
        try harness.end()
        #expect(folder.files.count == 2)
    }

    @Test("segments begin at keyframes and leave nothing out")
    func segments() throws {
        let harness = try sink("%H%M%S-%f.mjpeg", ["segment": "1s"])
        for number in 0..<35 { try harness.push(try Self.jpeg(number)) }
        try harness.end()
        #expect(try folder.files.map { try packets($0).count } == [10, 10, 10, 5])
    }

    @Test("pictures come one file each, so often")
    func pictures() throws {
        let harness = try sink("shot.jpg", ["every": "1s"])
        for number in 0..<35 { try harness.push(try Self.jpeg(number)) }
        try harness.end()
        #expect(folder.files == ["shot.jpg", "shot_2.jpg", "shot_3.jpg", "shot_4.jpg"])
    }

    @Test("a stream of another size begins another file")
    func sizeChange() throws {
        let harness = try sink("%H%M%S-%f.mjpeg")
        try harness.push(try Self.jpeg(1))
        var other = try Self.jpeg(2)
        other = other.replacing(other.data, format: PacketFormat(.jpeg, size: Size(32, 32)))
        try harness.push(other)
        try harness.end()
        #expect(folder.files.count == 2)
    }

    private func said(_ harness: NodeHarness, _ message: String) -> Int {
        harness.logged.count { $0.message == message }
    }

    @Test("what an earlier run recorded is deleted in its time, and nothing else")
    func retention() throws {
        let first = try sink("%Y%m%d.mjpeg")
        try first.push(try Self.jpeg(1))
        try first.end()
        let own = try #require(folder.files.first)
        for name in ["20200101.mjpeg", "notes.txt"] {
            #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data([1])))
        }
        for name in ["20200101.mjpeg", "notes.txt"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_577_836_800)], ofItemAtPath: "\(folder.path)/\(name)")
        }
        let harness = try sink("%Y%m%d.mjpeg", ["retention": ["max_total": "1B"]])
        try harness.push(try Self.jpeg(1))
        try harness.end()
        let second = own.replacing(".mjpeg", with: "_2.mjpeg")
        #expect(folder.files == ["20200101.mjpeg", second, "notes.txt"])
        #expect(said(harness, "deleted a recording") == 1)
        let strangers = "files that this node did not write have the names of its recordings; they are never deleted"
        #expect(said(harness, strangers) == 1)
    }

    @Test("a limit below one clip keeps the newest, and is said once", arguments: ["mjpeg", "mp4", "jpg"])
    func smallLimit(_ ending: String) throws {
        var options: Value.ValueMap = ["retention": ["max_total": "1B"]]
        if ending != "jpg" { options["segment"] = "1s" }
        let harness = try sink("%H%M%S-%f.\(ending)", options)
        for number in 0..<35 { try harness.push(try Self.jpeg(number)) }
        try harness.end()
        #expect(folder.files.count == (ending == "jpg" ? 35 : 1))
        if ending != "jpg" { #expect(said(harness, "deleted a recording") == 3) }
        #expect(said(harness, "the newest recording alone is over the limit, and is kept") == 1)
    }

    @Test(
        "JPEGs of another size begin another clip of that size, whatever their format says", arguments: ["mp4", "mkv"])
    func sizes(_ ending: String) throws {
        let harness = try sink("clip.\(ending)")
        for number in 0..<30 {
            let size = (10..<20).contains(number) ? Size(32, 32) : Size(64, 48)
            let frame = Pictures.frame(.yuv420, size)
            let like = try Self.jpeg(number)
            try harness.push(
                like.replacing(try JPEGEncoder().encode(frame, quality: 80, pool: .shared), format: like.format))
        }
        try harness.end()
        #expect(folder.files == ["clip.\(ending)", "clip_2.\(ending)", "clip_3.\(ending)"])
        let clips = try folder.files.map { name in
            let reader = try MediaReader(path: "\(folder.path)/\(name)")
            return "\(reader.video.format.size.map { "\($0)" } ?? "") \(try packets(name).count)"
        }
        #expect(clips == ["64x48 10", "32x32 10", "64x48 10"])
    }

    @Test(
        "faults in a name and its neighbours are pointed at",
        arguments: [
            ("path", "clip", FaultCode.invalidValue), ("path", "%Q.mp4", .invalidValue),
            ("path", "{node}.mp4", .unknownField),
            ("segment", "0s", .outOfRange), ("every", "5s", .invalidValue),
        ])
    func faults(_ key: String, _ value: String, _ code: FaultCode) {
        var options: Value.ValueMap = ["path": "a.mp4"]
        options[key] = .text(value)
        let faults = registration.inspect(options).faults
        #expect(faults.contains { $0.code == code && $0.path == FaultPath([.key(key)]) })
    }

    @Test(
        "a format that is not the one the path ends with is pointed at",
        arguments: [
            ("x.mp4", "mjpeg", false), ("x.jpg", "mp4", false), ("x.mkv", "ts", false), ("x.mp4", "mp4", true),
            ("x.MOV", "mp4", true), ("x.mjpg", "mjpeg", true), ("x.bin", "mjpeg", true), ("x", "jpg", true),
        ])
    func format(_ name: String, _ format: String, _ isFine: Bool) {
        let faults = registration.inspect(["path": .text(name), "format": .plain(format)]).faults
        #expect(faults.map(\.path) == (isFine ? [] : [["format"]]))
        #expect(faults.allSatisfy { $0.fix == "leave format out, or end the path with .\(format)" })
    }
}

@Suite("The packets kept for a clip")
struct PreRollTests {
    private func packet(_ number: Int, bytes: Int = 10, isKeyframe: Bool = true) -> Packet {
        Pictures.packet(
            [UInt8](repeating: 0, count: bytes), .h264, at: .milliseconds(number * 100), isKeyframe: isKeyframe)
    }

    @Test("whole groups are kept that reach back far enough, and no more")
    func groups() {
        var history = PreRoll(.seconds(1), limit: .mebibytes(1))
        for number in 0..<100 { history.append(packet(number, isKeyframe: number % 5 == 0)) }
        let taken = history.take(before: .zero + .milliseconds(9900))
        #expect(taken.first?.isKeyframe == true)
        #expect(taken.first?.captured == .zero + .milliseconds(8500))
        #expect(taken.count == 15)
        #expect(history.count == 0 && history.byteCount == 0)
    }

    @Test("bytes are bounded, however long the pre-roll is")
    func bytes() {
        var history = PreRoll(.seconds(1000), limit: ByteCount(bytes: 1000))
        for number in 0..<500 {
            history.append(packet(number, bytes: 90, isKeyframe: number % 4 == 0))
            #expect(history.byteCount <= 1000)
        }
        #expect(history.count > 0)
    }
}
