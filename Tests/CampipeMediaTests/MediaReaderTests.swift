import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Reading files")
struct MediaReaderTests {
    static func packets(_ name: String, rate: Double? = nil) throws -> (MediaReader, [Packet]) {
        try packets(at: Fixture.url("video/\(name)").path, rate: rate)
    }

    static func packets(at path: String, rate: Double? = nil) throws -> (MediaReader, [Packet]) {
        let reader = try MediaReader(path: path, rate: rate)
        var packets: [Packet] = []
        while let packet = try reader.next() { packets.append(packet) }
        return (reader, packets)
    }

    @Test(
        "each kind of file gives its packets",
        arguments: [
            ("bframes.mp4", Coding.h264, 20, 2), ("h265-aac.mkv", .h265, 10, 1), ("ten-bit.mkv", .other, 10, 1),
            ("raw.h264", .h264, 10, 2), ("stream.ts", .h264, 10, 2), ("eight.mjpeg", .jpeg, 8, 8),
        ])
    func kinds(_ name: String, _ coding: Coding, _ count: Int, _ keys: Int) throws {
        let (reader, packets) = try Self.packets(name, rate: name.contains("raw") || name.contains("eight") ? 10 : nil)
        #expect(reader.video.format.coding == coding)
        #expect(reader.video.format.size == Size(160, 120))
        #expect(packets.count == count)
        #expect(packets.count(where: \.isKeyframe) == keys)
        #expect(packets.first?.isKeyframe == true)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.dts < $1.dts })
        let shown = packets.map(\.pts.duration.seconds).sorted()
        for (first, second) in zip(shown, shown.dropFirst()) { #expect(abs(second - first - 0.1) < 0.002) }
        #expect(abs(packets.map(\.captured.nanoseconds).min() ?? .max) < 250_000_000)
        #expect((reader.video.format.parameterSets != nil) == (coding == .h264 || coding == .h265))
        if coding == .other { #expect(reader.video.format.codecName == "ffv1") }
    }

    @Test("the container's creation time is known")
    func creationTime() throws {
        let (reader, _) = try Self.packets("bframes.mp4")
        #expect(
            reader.creationTime?.unixSeconds == 1_714_979_289.25 || reader.creationTime?.unixSeconds == 1_714_979_289)
        #expect(reader.duration == .seconds(2))
        let (bare, _) = try Self.packets("eight.mjpeg")
        #expect(bare.creationTime == nil)
    }

    @Test("disposable pictures are marked, with lengths and with start codes", arguments: ["bframes.mp4", "stream.ts"])
    func disposable(_ name: String) throws {
        let (_, packets) = try Self.packets(name)
        #expect(packets.contains { $0.isDisposable })
        #expect(!packets.contains { $0.isDisposable && $0.isKeyframe })
    }

    @Test("audio comes only when it is asked for")
    func audio() throws {
        let reader = try MediaReader(path: Fixture.url("video/h265-aac.mkv").path)
        #expect(reader.streams.map(\.kind) == [.video, .audio])
        let audio = try #require(reader.audio)
        #expect(audio.format.coding == .aac && audio.format.sampleRate == 44100 && audio.format.channels == 1)
        reader.select(audio: true)
        var kinds: [Coding: Int] = [:]
        while let packet = try reader.next() { kinds[packet.format.coding ?? .other, default: 0] += 1 }
        #expect(kinds[.h265] == 10)
        #expect((kinds[.aac] ?? 0) > 40)
    }

    @Test(
        "one picture is a file of one packet, whatever its name holds",
        arguments: ["one.jpg", "a%03d: b.JPG", "100%.jpeg"])
    func picture(_ name: String) throws {
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent(name).path
            let bytes = try Fixture.bytes("jpeg/exif-thumbnail.jpg")
            try Data(bytes.array).write(to: URL(fileURLWithPath: path))
            let (reader, packets) = try Self.packets(at: path)
            #expect(packets.map(\.data) == [bytes])
            #expect(reader.video.format.size == Size(160, 120))
        }
    }

    @Test(
        "what is no video is refused by name",
        arguments: [
            ("nothing.mp4", CampipeError.Kind.notFound), ("sound.m4a", .unsupported), ("garbage.mp4", .badData),
        ])
    func refused(_ name: String, _ kind: CampipeError.Kind) throws {
        try Fixture.withFolder { folder in
            let path: String
            if name == "garbage.mp4" {
                path = folder.appendingPathComponent(name).path
                try Data("this is no video at all, whatever its name says".utf8).write(to: URL(fileURLWithPath: path))
            } else {
                path = try Fixture.url("video/\(name)").path
            }
            let error = #expect(throws: CampipeError.self) { _ = try MediaReader(path: path) }
            #expect(error?.kind == kind)
            #expect(error?.message.hasPrefix("cannot open \(path): ") == true)
        }
    }

    @Test("an interrupt ends it")
    func interrupted() throws {
        let interrupt = StopFlag()
        interrupt.raise()
        let error = #expect(throws: CampipeError.self) {
            _ = try MediaReader(path: Fixture.url("video/bframes.mp4").path, interrupt: interrupt)
        }
        #expect(error?.kind == .timedOut)
    }

    @Test("bytes outlive the reader")
    func memory() throws {
        var kept: [Packet] = []
        do { kept = try Self.packets("bframes.mp4").1 }
        let again = try Self.packets("bframes.mp4").1
        #expect(kept.map(\.data) == again.map(\.data))
    }
}

@Suite("Times of a stream that lacks some")
struct StreamClockTests {
    @Test("what is missing is made up, and decoding times never go back")
    func mended() {
        var format = PacketFormat(.h264, rate: 10, timebase: Timebase(1, 1000))
        format.rate = 10
        var clock = StreamClock(format)
        #expect(clock.place(pts: nil, dts: nil, duration: 0) == (0, 0))
        #expect(clock.place(pts: nil, dts: nil, duration: 0) == (100, 100))
        #expect(clock.place(pts: nil, dts: nil, duration: 40) == (140, 140))
        #expect(clock.place(pts: 300, dts: 200, duration: 40) == (300, 200))
        #expect(clock.place(pts: 210, dts: 150, duration: 40) == (210, 201))
        // One came behind a later one: what has no decoding time may have to wait for such a one too.
        #expect(clock.place(pts: 500, dts: nil, duration: 40) == (500, 302))
        #expect(clock.place(pts: 540, dts: 500, duration: 40) == (540, 500))
    }
}

@Suite("Times of a stream that begins anew")
struct RestartedStreamTests {
    @Test("a stream put behind another goes on where that one ended")
    func again() {
        var clock = StreamClock(PacketFormat(.h264, rate: 10, timebase: Timebase(1, 1000)))
        for number in 0..<30 {
            _ = clock.place(pts: Int64(number) * 100 + 1600, dts: Int64(number) * 100 + 1400, duration: 100)
        }
        #expect(clock.place(pts: 1600, dts: 1400, duration: 100) == (4600, 4400))
        #expect(clock.place(pts: 1700, dts: 1500, duration: 100) == (4700, 4500))
        #expect(clock.place(pts: nil, dts: nil, duration: 100) == (4600, 4600))
        // What goes back by less is put behind the last one alone.
        #expect(clock.place(pts: 1800, dts: 1500, duration: 100) == (4800, 4601))
    }

    @Test("times at the ends of their range do no harm")
    func extremes() {
        var clock = StreamClock(PacketFormat(.h264, rate: 10, timebase: Timebase(1, 1000)))
        for time: Int64 in [.max, .min + 1, 0, .max - 1, .min + 1, 5] {
            _ = clock.place(pts: time, dts: time, duration: 100)
            _ = clock.place(pts: nil, dts: nil, duration: 100)
        }
    }
}

@Suite("Pictures that no other needs")
struct AccessUnitTests {
    static let startCode: [UInt8] = [0, 0, 0, 1]
    static let lengths: [UInt8] = [1, 66, 0, 30, 0xFF]

    /// Units of one head and three bytes each.
    private func unit(_ heads: [UInt8], withLengths: Bool) -> (Bytes, PacketFormat) {
        var format = PacketFormat(.h264)
        if withLengths { format.parameterSets = Bytes(Self.lengths) }
        return (Bytes(heads.flatMap { (withLengths ? [0, 0, 0, 4] : Self.startCode) + [$0, 9, 9, 9] }), format)
    }

    @Test(
        "are those all of whose slices say so",
        arguments: [
            ([0x01, 0x01], true), ([0x06, 0x01], true), ([0x21], false), ([0x41], false), ([0x61], false),
            ([0x65], false),
            ([0x01, 0x41], false), ([0x06], false), ([], false),
        ] as [([UInt8], Bool)], [true, false])
    func table(_ wanted: ([UInt8], Bool), _ withLengths: Bool) {
        let (bytes, format) = unit(wanted.0, withLengths: withLengths)
        #expect(AccessUnit.isDisposable(bytes, format) == wanted.1)
    }

    @Test("are unknown of other codings, and broken lengths do not run away")
    func odd() {
        #expect(!AccessUnit.isDisposable(unit([0x01], withLengths: false).0, PacketFormat(.h265)))
        var format = PacketFormat(.h264)
        format.parameterSets = Bytes(Self.lengths)
        for bytes in [[0xFF, 0xFF, 0xFF, 0xFF, 1], [0, 0, 0, 0, 1, 1], [0, 0], []] as [[UInt8]] {
            _ = AccessUnit.isDisposable(Bytes(bytes), format)
        }
    }
}
