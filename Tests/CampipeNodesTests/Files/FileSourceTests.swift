import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Files as sources")
struct FileSourceTests {
    private let registration = Registration(source: FileSource.self)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, levels: [UInt8]) throws {
        var bytes: [UInt8] = []
        for level in levels {
            let frame = Pictures.frame(.yuv420, Size(64, 48)) { plane, _, _ in plane == 0 ? level : 128 }
            bytes += try JPEGEncoder().encode(frame, quality: 80, pool: .shared).array
        }
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data(bytes)))
    }

    private func source(_ path: String, _ more: Value.ValueMap = [:], isLive: Bool = false) throws -> NodeHarness {
        var options = more
        options["path"] = .text("\(folder.path)/\(path)")
        return try NodeHarness(registration, options: options, isLive: isLive)
    }

    @Test("MJPEG is read picture by picture at the rate given")
    func mjpeg() throws {
        try write("a.mjpeg", levels: [10, 20, 30])
        let harness = try source("a.mjpeg", ["fps": "10"])
        try harness.run()
        #expect(harness.packets.count == 3)
        #expect(harness.packets.map { Int(($0.captured - .zero).seconds * 1000 + 0.5) } == [0, 100, 200])
        #expect(harness.packets.allSatisfy { $0.format.coding == .jpeg })
        #expect(harness.emissions().last == .end(nil))
    }

    @Test("a folder is read as people count, and so is a pattern", arguments: ["shots", "shots/*.jpg"])
    func folder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/shots", withIntermediateDirectories: true)
        for number in [10, 2, 1] { try write("shots/\(number).jpg", levels: [UInt8(number * 10)]) }
        try write("shots/notes.txt", levels: [])
        let harness = try source(path, ["fps": "5"])
        try harness.run()
        let levels = try harness.packets.map { packet in
            Int(Pictures.pixel(try JPEGDecoder().decode(packet, pool: .shared), 5, 5))
        }
        #expect(levels == [10, 20, 100])
        #expect(harness.packets.last?.captured == .zero + .milliseconds(400))
    }

    @Test("in real time each picture comes when it is due; without time at once")
    func realtime() throws {
        try write("a.mjpeg", levels: [10, 20, 30])
        let harness = try source("a.mjpeg", ["fps": "10", "speed": "realtime"], isLive: true)
        try harness.advance(by: .milliseconds(150))
        #expect(harness.packets.count == 2)
        try harness.run()
        #expect(harness.packets.count == 3)
        #expect(registration.inspect(["path": "a.mp4", "speed": "realtime"]).isLive)
        #expect(!registration.inspect(["path": "a.mp4"]).isLive)
    }

    @Test("a loop goes on where the round before ended, times never go back")
    func loop() throws {
        try write("a.mjpeg", levels: [10, 20])
        let harness = try source("a.mjpeg", ["fps": "10", "loop": "true"])
        try harness.run(turns: 2)
        let times = harness.packets.prefix(6).map { Int(($0.captured - .zero).seconds * 1000 + 0.5) }
        #expect(times == [0, 100, 200, 300, 400, 500])
        #expect(zip(harness.packets, harness.packets.dropFirst()).allSatisfy { $0.pts < $1.pts && $0.dts < $1.dts })
    }

    @Test("what is not there is said by its path")
    func missing() throws {
        #expect { try source("nothing.mp4") } throws: { "\($0)".contains("nothing.mp4") }
        for path in ["none/*.jpg", "nothing.jpg"] {
            #expect { try source(path) } throws: {
                ($0 as? CampipeError)?.kind == .notFound && "\($0)".contains(path)
            }
        }
    }

    private func put(_ name: String, _ bytes: [UInt8]) throws {
        #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data(bytes)))
    }

    @Test(
        "a file that gives nothing fails by its name, at whatever speed, and in a loop",
        arguments: ["x.jpg", "x.mjpeg", "x.mkv", "*.jpg"], [0, 3, 5000])
    func nothing(_ path: String, _ count: Int) throws {
        var state = UInt32(7)
        let noise = (0..<count).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        try put(path.replacing("*", with: "x"), noise)
        for (speed, loop) in [("max", "false"), ("max", "true"), ("realtime", "false")] {
            let error = #expect(throws: CampipeError.self) {
                let harness = try source(
                    path, ["speed": .plain(speed), "loop": .plain(loop)], isLive: speed == "realtime")
                try harness.run()
            }
            #expect(error?.kind == .badData)
            #expect(error?.message.contains("\(folder.path)/\(path)") == true, "\(error?.message ?? "")")
        }
    }

    @Test("a container without a packet fails by its name")
    func headOnly() throws {
        let muxer = try Muxer(
            .path("\(folder.path)/x.mkv"), container: .mkv, streams: [PacketFormat(.jpeg, size: Size(64, 48), rate: 10)]
        )
        try muxer.finish()
        let error = #expect(throws: CampipeError.self) { try source("x.mkv").run() }
        #expect(error?.message.contains("\(folder.path)/x.mkv") == true)
    }

    @Test("what is no JPEG among others is left out, counted, and told once by name and once in all")
    func refused() throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/shots", withIntermediateDirectories: true)
        for number in [1, 4] { try write("shots/\(number).jpg", levels: [UInt8(number * 10)]) }
        try put("shots/2.jpg", [1, 2, 3])
        try put("shots/3.jpg", [])
        let harness = try source("shots", ["fps": "10"])
        try harness.run()
        #expect(harness.packets.map(\.captured) == [.zero, .zero + .milliseconds(300)])
        let gaps = harness.emissions().compactMap { emission -> Gap? in
            guard case .gap(let gap) = emission else { return nil }
            return gap
        }
        #expect(gaps.reduce(0) { $0 + $1.count } == 2 && gaps.allSatisfy { $0.reasons == DropReasons(.notJPEG) })
        let told = harness.logged.filter { $0.level == .warning }
        #expect(told.map(\.message) == ["a picture was refused", "pictures refused"])
        #expect(told.first?.facts.contains { $0.key == "path" && $0.value.hasSuffix("/2.jpg") } == true)
    }

    @Test(
        "a picture that has lost its end is handed on marked as damaged, and told at the end; bytes behind an end are none"
    )
    func cutPictures() throws {
        let whole = try JPEGEncoder().encode(Pictures.frame(.yuv420, Size(64, 48)), quality: 80, pool: .shared).array
        try FileManager.default.createDirectory(atPath: "\(folder.path)/shots", withIntermediateDirectories: true)
        let pictures = [whole, Array(whole.dropLast(6)), whole + [0, 0, 0x41, 0x42], Array(whole.dropLast(2))]
        for (number, picture) in pictures.enumerated() { try put("shots/\(number).jpg", picture) }
        let harness = try source("shots", ["fps": "10"])
        try harness.run()
        #expect(harness.packets.map(\.isDamaged) == [false, true, false, true])
        let told = harness.logged.filter { $0.level == .warning }
        #expect(told.map(\.message) == ["damaged pictures"])
        #expect(told.first?.facts.first { $0.key == "count" }?.value == "2")
    }

    /// A transport stream of so many pictures of this size, a keyframe first.
    private func transportStream(_ size: Size, count: Int) throws -> [UInt8] {
        let encoder = try VideoEncoder(Pictures.frame(.yuv420, size).format)
        var bytes: [UInt8] = []
        let muxer = try Muxer(.bytes { bytes += $0.array }, container: .ts, streams: [encoder.format])
        for number in 0..<count {
            let frame = Pictures.frame(.yuv420, size, at: .milliseconds(number * 100)) { plane, x, _ in
                plane == 0 ? UInt8(number * 10 + x) : 128
            }
            for packet in try encoder.encode(frame, pool: .shared) { try muxer.write(packet) }
        }
        for packet in try encoder.drain() { try muxer.write(packet) }
        try muxer.finish()
        return bytes
    }

    @Test("new parameter sets in a stream are a new format, and so each clip is of one size")
    func parameterSets() throws {
        try put("a.ts", try transportStream(Size(64, 48), count: 10) + transportStream(Size(128, 96), count: 10))
        let harness = try source("a.ts")
        try harness.run()
        let formats = harness.packets.map(\.format)
        #expect(
            formats.map(\.size) == Array(repeating: Size(64, 48), count: 10)
                + Array(repeating: Size(128, 96), count: 10))
        #expect(Set(formats).count == 2)
        #expect(harness.emissions().count { if case .format = $0 { true } else { false } } == 2)

        let sink = try NodeHarness(
            Registration(sink: FileSink.self), options: ["path": .text("\(folder.path)/out.mkv")], id: "rec")
        for packet in harness.packets { try sink.push(packet) }
        try sink.end()
        for (name, size) in [("out.mkv", Size(64, 48)), ("out_2.mkv", Size(128, 96))] {
            let reader = try MediaReader(path: "\(folder.path)/\(name)")
            #expect(reader.video.format.size == size)
            let decoder = try VideoDecoder(reader.video.format)
            var sizes: [Size] = []
            while let packet = try reader.next() { sizes += try decoder.decode(packet, pool: .shared).map(\.size) }
            sizes += try decoder.drain(pool: .shared).map(\.size)
            #expect(sizes == Array(repeating: size, count: 10))
        }
    }

    @Test("each picture of MJPEG has the size that it says itself")
    func sizes() throws {
        var bytes: [UInt8] = []
        for size in [Size(64, 48), Size(64, 48), Size(32, 32)] {
            bytes += try JPEGEncoder().encode(Pictures.frame(.yuv420, size), quality: 80, pool: .shared).array
        }
        try put("a.mjpeg", bytes)
        let harness = try source("a.mjpeg")
        try harness.run()
        #expect(harness.packets.map(\.format.size) == [Size(64, 48), Size(64, 48), Size(32, 32)])
    }

    @Test(
        "pictures of a folder or a pattern begin when the first was written",
        arguments: ["shots", "shots/*.jpg", "shots/2.jpg"])
    func origin(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/shots", withIntermediateDirectories: true)
        for number in [2, 10] {
            try write("shots/\(number).jpg", levels: [10])
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_577_836_800 + Double(number))],
                ofItemAtPath: "\(folder.path)/shots/\(number).jpg")
        }
        var node = FileSource()
        node.path = "\(folder.path)/\(path)"
        let context = Context(id: "file", clock: ManualClock(), log: .silent)
        try node.open(context)
        try node.finish()
        #expect(context.origin.time?.unixSeconds == 1_577_836_802)
    }
}
