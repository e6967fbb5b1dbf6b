import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeNodes
@testable import CampipeStore

@Suite("Recordings and a disk that does not take them")
struct DiskFailureTests {
    private let folder: TemporaryFolder

    /// F_SETPIPE_SZ of fcntl(2), which Glibc's module does not show.
    private static let setPipeSize: Int32 = 1031

    init() throws { folder = try TemporaryFolder() }

    /// JPEGs of 160x96, ten a second, of noise, so that each takes some kilobytes in any coding.
    private static func jpeg(_ number: Int) throws -> Packet {
        var state = UInt32(number + 1)
        let frame = Pictures.frame(.yuv420, Size(160, 96)) { plane, _, _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return plane == 0 ? UInt8(state >> 24) : 128
        }
        let time = Duration.milliseconds(number * 100)
        return Packet(
            try JPEGEncoder().encode(frame, quality: 80, pool: .shared),
            format: PacketFormat(.jpeg, size: Size(160, 96), rate: 10), captured: .zero + time, pts: MediaTime(time))
    }

    /// A recording whose name is there and whose bytes go elsewhere.
    private func recording(_ ending: String, to descriptor: Int32) throws -> any Recording {
        let path = "\(folder.path)/clip.\(ending)"
        #expect(FileManager.default.createFile(atPath: path, contents: Data()))
        let file = OutputFile(path: path, descriptor: descriptor, durability: .none)
        guard let container = Container(path: path) else { return MJPEGRecording(file) }
        return ContainerRecording(
            file, container, fragment: .seconds(1), creationTime: WallTime(microseconds: 0),
            transcoder: container == .mkv
                ? nil : JPEGTranscoder(quality: 23, pool: .shared, clock: ManualClock(), log: .silent))
    }

    @Test("a disk that takes nothing leaves no file", arguments: ["mjpeg", "mp4", "mkv", "ts"])
    func full(_ ending: String) throws {
        let recording = try recording(ending, to: open("/dev/full", O_WRONLY))
        let error = #expect(throws: CampipeError.self) {
            for number in 0..<25 { try recording.write(try Self.jpeg(number)) }
        }
        #expect(error?.kind == .exhausted)
        #expect(!recording.isPlayable && recording.pending > 0)
        recording.abandon()
        #expect(folder.files.isEmpty)
    }

    @Test(
        "a file that holds something to play is kept, one that holds less is removed",
        arguments: [
            ("mjpeg", 4096, false), ("mp4", 4096, false), ("mkv", 4096, false), ("ts", 4096, false),
            ("mjpeg", 1 << 18, true), ("mp4", 1 << 18, true), ("mkv", 1 << 18, true), ("ts", 1 << 18, true),
        ])
    func partly(_ ending: String, _ room: Int32, _ isKept: Bool) throws {
        // A pipe that nobody reads takes so much and no more.
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        defer { close(ends[0]) }
        #expect(fcntl(ends[1], Self.setPipeSize, room) == room)
        let recording = try recording(ending, to: ends[1])
        #expect(throws: CampipeError.self) {
            for number in 0..<200 { try recording.write(try Self.jpeg(number)) }
        }
        #expect(recording.isPlayable == isKept)
        #expect(recording.pending > 0)
        recording.abandon()
        #expect(folder.files == (isKept ? ["clip.\(ending)"] : []))
    }

    private func sink(_ name: String) throws -> NodeHarness {
        try NodeHarness(
            Registration(sink: FileSink.self), options: ["path": .text("\(folder.path)/\(name)")], id: "rec",
            isLive: true)
    }

    private func said(_ harness: NodeHarness, _ message: String) -> [Log.Entry] {
        harness.logged.filter { $0.message == message }
    }

    @Test(
        "what is not recorded is an error, once a second, with count, path and cause, and goes on when it can",
        arguments: ["mjpeg", "mp4", "jpg"])
    func lost(_ ending: String) throws {
        let place = "\(folder.path)/there"
        #expect(FileManager.default.createFile(atPath: place, contents: Data()))
        let harness = try sink("there/%H%M%S-%f.\(ending)")
        for number in 0..<4 {
            #expect(throws: CampipeError.self) { try harness.push(try Self.jpeg(number)) }
        }
        harness.clock.advance(by: .seconds(1))
        #expect(throws: CampipeError.self) { try harness.push(try Self.jpeg(4)) }
        let entries = said(harness, "pictures were not recorded")
        #expect(entries.allSatisfy { $0.level == .error })
        #expect(entries.map { $0.facts.first { $0.key == "count" }?.value } == ["1", "4"])
        let facts = try #require(entries.first).facts
        #expect(facts.contains { $0.key == "path" && $0.value.hasPrefix(place) })
        #expect(facts.contains { $0.key == "cause" && $0.value.contains("cannot make the folder \(place)") })
        #expect(folder.files == ["there"])

        try FileManager.default.removeItem(atPath: place)
        for number in 5..<30 { try harness.push(try Self.jpeg(number)) }
        try harness.end()
        #expect(folder.files.count == (ending == "jpg" ? 26 : 2))
    }

    @Test(
        "a recording is announced when there is something to play, and once",
        arguments: [("mjpeg", 1), ("ts", 1), ("mp4", 11)])
    func announced(_ ending: String, _ count: Int) throws {
        let harness = try sink("clip.\(ending)")
        for number in 0..<25 {
            try harness.push(try Self.jpeg(number))
            #expect(said(harness, "recording").count == (number + 1 >= count ? 1 : 0), "after \(number + 1)")
        }
        try harness.end()
        #expect(said(harness, "recording").count == 1)
        #expect(said(harness, "a recording is complete").count == 1)
    }

    @Test("what a killed process leaves lacks one fragment at most", arguments: ["mp4", "mkv", "ts", "mjpeg"])
    func killed(_ ending: String) throws {
        let harness = try sink("clip.\(ending)")
        for number in 0..<35 { try harness.push(try Self.jpeg(number)) }
        // The file as it is now, with nothing ended.
        let reader = try MediaReader(path: "\(folder.path)/clip.\(ending)")
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count >= (["mp4", "mkv"].contains(ending) ? 25 : 34))
        try harness.end()
    }

    @Test(
        "a file that is deleted while it is recorded is noticed, told with all that was in it, and followed by another")
    func deleted() throws {
        for ending in ["mjpeg", "mp4", "mkv", "ts"] {
            let harness = try sink("clip.\(ending)")
            for number in 0..<15 { try harness.push(try Self.jpeg(number)) }
            try FileManager.default.removeItem(atPath: "\(folder.path)/clip.\(ending)")
            harness.clock.advance(by: .seconds(1))
            let error = #expect(throws: CampipeError.self) { try harness.push(try Self.jpeg(15)) }
            #expect(error?.lostItems == 16 && error?.message.contains("was deleted") == true)
            #expect(said(harness, "pictures were not recorded").last?.facts.first { $0.key == "count" }?.value == "16")
            for number in 16..<20 { try harness.push(try Self.jpeg(number)) }
            // At the end too, and then with its folder.
            try FileManager.default.removeItem(atPath: "\(folder.path)/clip.\(ending)")
            let last = #expect(throws: CampipeError.self) { try harness.end() }
            #expect(last?.lostItems == 4)
        }
    }

    @Test("pictures of an odd size lose a column or row in H.264, which is said once")
    func odd() throws {
        let size = Size(33, 17)
        let frame = Pictures.frame(.yuv420, size) { _, _, _ in 128 }
        let jpeg = try JPEGEncoder().encode(frame, quality: 80, pool: .shared)
        for (ending, count) in [("mp4", 1), ("ts", 1), ("mkv", 0)] {
            let harness = try sink("odd-%f.\(ending)")
            for number in 0..<30 {
                let time = Duration.milliseconds(number * 100)
                try harness.push(
                    Packet(
                        jpeg, format: PacketFormat(.jpeg, size: size, rate: 10), captured: .zero + time,
                        pts: MediaTime(time)))
            }
            try harness.end()
            let told = harness.logged.filter { $0.message.hasPrefix("H.264 has even sides only") }
            #expect(told.count == count)
            #expect(told.allSatisfy { $0.facts.contains { $0.key == "recorded" && $0.value == "32x16" } })
        }
    }

    @Test("what is no JPEG is left out of a clip, and said")
    func leftOut() throws {
        let harness = try sink("clip.mp4")
        for number in 0..<15 {
            try harness.push(try Self.jpeg(number))
            try harness.push(Pictures.packet([1, 2, 3], PacketFormat(.jpeg, size: Size(160, 96), rate: 10)))
        }
        try harness.end()
        #expect(counts(harness, "pictures left out of the recording") == ["1", "14"])
    }

    @Test("pictures that are damaged are recorded, and told: at once, and at the end what was not said yet")
    func damaged() throws {
        let harness = try sink("clip.mp4")
        for number in 0..<15 {
            let picture = try Self.jpeg(number)
            let cut = Pictures.packet(
                Array(picture.data.array.dropLast(40)), picture.format, at: .milliseconds(number * 100))
            try harness.push(number < 5 ? picture : cut)
        }
        try harness.end()
        #expect(counts(harness, "damaged pictures were recorded") == ["1", "9"])
    }

    private func counts(_ harness: NodeHarness, _ message: String) -> [String] {
        said(harness, message).compactMap { entry in entry.facts.first { $0.key == "count" }?.value }
    }
}
