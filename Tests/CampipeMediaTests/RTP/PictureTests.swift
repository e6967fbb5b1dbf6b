import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Pictures of RTP")
struct PictureTests {
    private static func header(_ timestamp: UInt32, mark: Bool = false) throws -> RTPHeader {
        let bytes: [UInt8] =
            [0x80, mark ? 0xE0 : 96, 0, 1] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: timestamp >> $0) }
            + [0, 0, 0, 1, 0]
        return try #require(RTPHeader(bytes))
    }
    /// An IDR slice that begins a picture, one that goes on with it, a P slice, parameter sets.
    private static let first: [UInt8] = [0, 0, 0, 1, 0x65, 0x88, 1]
    private static let second: [UInt8] = [0, 0, 0, 1, 0x65, 0x08, 2]
    private static let inter: [UInt8] = [0, 0, 0, 1, 0x41, 0x9A, 3]
    private static let set: [UInt8] = [0, 0, 0, 1, 0x67, 0x42, 0]

    /// Feeds packets, each with its time, mark, pieces and how many are missing before it.
    private static func pictures(
        _ packets: [(UInt32, Bool, [[UInt8]], Int)], _ assembler: inout PictureAssembler
    ) throws -> [PictureAssembler.Picture] {
        try packets.flatMap { try assembler.add($0.2, header($0.0, mark: $0.1), missing: $0.3, at: .zero) }
    }

    @Test("a picture ends with its mark, at once")
    func mark() throws {
        var assembler = PictureAssembler(.h264)
        let found = try Self.pictures(
            [(1, false, [Self.set], 0), (1, false, [Self.first], 0), (1, true, [Self.second], 0)], &assembler)
        #expect(found.map(\.bytes) == [Self.set + Self.first + Self.second])
        #expect(found.map(\.isDamaged) == [false])
    }

    @Test("without a mark it ends with the next one's time, or with its first slice")
    func noMark() throws {
        var assembler = PictureAssembler(.h264)
        var found = try Self.pictures([(1, false, [Self.first], 0), (2, false, [Self.inter], 0)], &assembler)
        #expect(found.map(\.bytes) == [Self.first])
        found = try Self.pictures([(2, false, [Self.inter], 0)], &assembler)
        #expect(found.map(\.bytes) == [Self.inter])
    }

    @Test("a mark on each slice is not believed once it was wrong")
    func wrongMark() throws {
        var assembler = PictureAssembler(.h264)
        let packets: [(UInt32, Bool, [[UInt8]], Int)] = (1...4).flatMap { time in
            [(UInt32(time), true, [Self.first], 0), (UInt32(time), true, [Self.second], 0)]
        }
        let found = try Self.pictures(packets, &assembler)
        // The first comes in two; from then on they are whole, but for the last, which nothing ends yet.
        #expect(found.map(\.bytes) == [Self.first, Self.second, Self.first + Self.second, Self.first + Self.second])
    }

    @Test("parameter sets that come alone, marked or earlier, stay for the next picture")
    func loneSets() throws {
        var assembler = PictureAssembler(.h264)
        let found = try Self.pictures([(1, true, [Self.set], 0), (2, true, [Self.first], 0)], &assembler)
        #expect(found.map(\.bytes) == [Self.set + Self.first])
    }

    @Test("after a hole the rest of a unit is left out, and the picture is damaged; the next is not")
    func hole() throws {
        var assembler = PictureAssembler(.h264)
        let found = try Self.pictures(
            [
                (1, false, [Self.first], 0), (1, false, [[9, 9, 9]], 0), (1, false, [[8, 8, 8]], 1),
                (1, true, [Self.second], 0), (2, true, [Self.inter], 0),
            ], &assembler)
        #expect(found.map(\.bytes) == [Self.first + [9, 9, 9] + Self.second, Self.inter])
        #expect(found.map(\.isDamaged) == [true, false])
    }

    @Test("where a hole lies between two pictures both may have lost something")
    func holeBetween() throws {
        var assembler = PictureAssembler(.h264)
        let found = try Self.pictures([(1, false, [Self.first], 0), (2, true, [Self.inter], 2)], &assembler)
        #expect(found.map(\.isDamaged) == [true, true])
    }

    @Test("a picture beyond the limit is left out and counted")
    func tooLarge() throws {
        var assembler = PictureAssembler(.h264)
        let piece = [UInt8](repeating: 1, count: 8 << 20)
        var found = try Self.pictures([(1, false, [Self.first], 0)], &assembler)
        for _ in 0..<5 { found += try Self.pictures([(1, false, [piece], 0)], &assembler) }
        found += try Self.pictures([(2, true, [Self.inter], 0)], &assembler)
        #expect(assembler.tooLarge == 1)
        #expect(found.map(\.bytes) == [Self.inter])
    }

    // MARK: NAL units

    @Test(
        "units are found between start codes of three and four bytes",
        arguments: [
            ([], []), ([0, 0, 1], []), ([0, 0, 1, 5], [[5]]), ([0, 0, 0, 1, 5, 6, 0, 0, 1, 7], [[5, 6], [7]]),
            ([9, 9, 0, 0, 1, 5, 0, 0, 0, 0, 0, 1, 7, 0, 0], [[5], [7]]), ([0, 0, 1, 0, 0, 1, 5], [[5]]),
            ([0, 0, 2, 0, 0, 3, 0, 0, 1, 4, 0, 0, 3, 1], [[4, 0, 0, 3, 1]]),
        ] as [([UInt8], [[UInt8]])])
    func units(_ bytes: [UInt8], _ expected: [[UInt8]]) {
        #expect(NALUnits.find(in: bytes).map { Array(bytes[$0]) } == expected)
    }

    struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var coding: String
        var bytes: [UInt8]
        var key = false
        var disposable = false
        var leading = false
    }

    static let kinds = [
        Kind(testDescription: "H.264 IDR", coding: "h264", bytes: [0, 0, 1, 0x65, 0x88], key: true),
        Kind(testDescription: "H.264 P", coding: "h264", bytes: [0, 0, 1, 0x41, 0x9A]),
        Kind(
            testDescription: "H.264 P that nobody refers to", coding: "h264", bytes: [0, 0, 1, 1, 0x9A],
            disposable: true),
        Kind(
            testDescription: "H.264 I with a recovery point", coding: "h264",
            bytes: [0, 0, 1, 6, 6, 1, 0x84, 0x80, 0, 0, 1, 0x41, 0x88, 0x80], key: true),
        Kind(
            testDescription: "H.264 I with a recovery point later", coding: "h264",
            bytes: [0, 0, 1, 6, 6, 1, 0x24, 0x80, 0, 0, 1, 0x41, 0x88, 0x80]),
        Kind(
            testDescription: "H.264 P with a recovery point", coding: "h264",
            bytes: [0, 0, 1, 6, 6, 1, 0x84, 0x80, 0, 0, 1, 0x41, 0x9A, 0x80]),
        Kind(testDescription: "H.265 IDR", coding: "h265", bytes: [0, 0, 1, 0x26, 1, 0x80], key: true),
        Kind(testDescription: "H.265 CRA", coding: "h265", bytes: [0, 0, 1, 0x2A, 1, 0x80], key: true),
        Kind(testDescription: "H.265 TRAIL_R", coding: "h265", bytes: [0, 0, 1, 2, 1, 0x80]),
        Kind(testDescription: "H.265 TRAIL_N", coding: "h265", bytes: [0, 0, 1, 0, 1, 0x80], disposable: true),
        Kind(
            testDescription: "H.265 RASL_N", coding: "h265", bytes: [0, 0, 1, 0x10, 1, 0x80], disposable: true,
            leading: true),
        Kind(testDescription: "H.265 RASL_R", coding: "h265", bytes: [0, 0, 1, 0x12, 1, 0x80], leading: true),
    ]

    @Test("key, delta and disposable are told from the heads of units", arguments: kinds)
    func marks(_ kind: Kind) {
        let found = AccessUnitKind(
            kind.bytes, units: NALUnits.find(in: kind.bytes), coding: kind.coding == "h264" ? .h264 : .h265)
        #expect(found.hasPicture && found.hasBeginning)
        #expect([found.isKey, found.isDisposable, found.isLeading] == [kind.key, kind.disposable, kind.leading])
    }

    // MARK: Parameter sets

    @Test(
        "a sequence parameter set says the size, the profile and how far pictures are reordered",
        arguments: [
            ("6742c00ad9", 0, 0, 0, nil),
            // x264, 1920x1080 cropped from 1088, High, two pictures reordered.
            ("67640028acd940780227e5c05a808080a000000300200000079 1e30632c0", 1920, 1080, 100, 2),
            // A camera of Hikvision, 1280x720, Baseline.
            ("674d001f9a6602802dff35010101400000fa000030d401", 1280, 720, 77, nil),
        ] as [(String, Int, Int, Int, Int?)])
    func sequence(_ text: String, _ width: Int, _ height: Int, _ profile: Int, _ reordering: Int?) {
        let digits = Array(text.filter { $0 != " " })
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let found = SequenceParameters(h264: bytes[...])
        guard width > 0 else { return #expect(found == nil) }
        #expect(found?.size == Size(width, height))
        #expect(found?.profile == profile)
        #expect(found?.reordering == reordering)
    }

    @Test("each prefix of a set is refused or read, and never traps")
    func prefixes() throws {
        for (name, coding) in [("h264", VideoCoding.h264), ("h265", .h265)] {
            let made = try Self.sets(name)
            for set in made {
                for count in 0...set.count {
                    var sets = ParameterSets(coding)
                    _ = sets.keep(set[..<count])
                }
            }
        }
    }

    /// The parameter sets of the kept streams.
    private static func sets(_ coding: String) throws -> [[UInt8]] {
        let (reader, packets) = try MediaReaderTests.packets(coding == "h264" ? "bframes.mp4" : "h265-aac.mkv")
        let decoder = try VideoDecoder(reader.video.format)
        withExtendedLifetime((decoder, packets)) {}
        let bytes = try #require(reader.video.format.parameterSets).array
        // The container's own shape: lengths of two bytes in front of each.
        var found: [[UInt8]] = []
        for start in 0..<bytes.count - 2 {
            let length = Int(bytes[start]) << 8 | Int(bytes[start + 1])
            guard length > 3, start + 2 + length <= bytes.count else { continue }
            let unit = bytes[(start + 2)..<(start + 2 + length)]
            if case .set = (coding == "h264" ? VideoCoding.h264 : .h265).unit(unit.first ?? 0) {
                found.append(Array(unit))
            }
        }
        return found
    }

    @Test("sizes of streams by x264 and x265 are read, and so is how far they reorder")
    func made() throws {
        for (name, coding) in [("h264", VideoCoding.h264), ("h265", .h265)] {
            var sets = ParameterSets(coding)
            for set in try Self.sets(name) { _ = sets.keep(set[...]) }
            #expect(sets.isComplete)
            #expect(sets.sequence?.size == Size(160, 120))
            #expect((sets.sequence?.reordering ?? 0) > 0, "\(name)")
        }
    }

    @Test("nothing comes before the first keyframe, and each keyframe brings its parameter sets")
    func stream() throws {
        let sets = try Self.sets("h264")
        var stream = VideoStream(.h264, sets: sets, rate: 25, clockRate: 90_000)
        guard case .refused(.brokenReference) = stream.take(Self.inter, isDamaged: false) else {
            Issue.record("a delta came first")
            return
        }
        guard case .unit(let key) = stream.take(Self.first, isDamaged: false) else {
            Issue.record("the keyframe did not come")
            return
        }
        #expect(key.isKey)
        let units = NALUnits.find(in: key.bytes.array)
        #expect(units.map { key.bytes.array[$0.lowerBound] & 31 } == [7, 8, 5])
        let format = stream.format(of: PacketFormat(.h264))
        #expect(format.size == Size(160, 120))
        #expect(format.parameterSets?.array == sets.flatMap { NALUnits.startCode + $0 })
        guard case .unit(let delta) = stream.take(Self.inter, isDamaged: false) else { return }
        #expect(!delta.isKey && delta.bytes.array == Self.inter)
    }

    @Test("a delimiter stays in front of the sets that are put in")
    func delimiter() throws {
        var stream = VideoStream(.h264, sets: try Self.sets("h264"), rate: 25, clockRate: 90_000)
        guard case .unit(let key) = stream.take([0, 0, 0, 1, 9, 0xF0] + Self.first, isDamaged: false) else { return }
        #expect(NALUnits.find(in: key.bytes.array).map { key.bytes.array[$0.lowerBound] & 31 } == [9, 7, 8, 5])
    }

    @Test("other parameter sets in mid-stream are another format")
    func change() throws {
        let sets = try Self.sets("h264")
        var stream = VideoStream(.h264, sets: sets, rate: 25, clockRate: 90_000)
        _ = stream.take(Self.first, isDamaged: false)
        let before = stream.format(of: PacketFormat(.h264))
        let other: [UInt8] =
            [0x67, 0x4d, 0x00, 0x1f, 0x9a, 0x66, 0x02, 0x80, 0x2d, 0xff, 0x35, 0x01, 0x01, 0x01, 0x40]
            + [0x00, 0x00, 0xfa, 0x00, 0x00, 0x30, 0xd4, 0x01]
        // Cut off by a hole they are not believed.
        _ = stream.take(Self.first + NALUnits.startCode + other, isDamaged: true)
        #expect(stream.format(of: PacketFormat(.h264)) == before)
        _ = stream.take(NALUnits.startCode + other + Self.first, isDamaged: false)
        let after = stream.format(of: PacketFormat(.h264))
        #expect(after != before)
        #expect(after.size == Size(1280, 720))
    }

    @Test("pictures that lead a random access point go with what was before it")
    func leading() throws {
        var stream = VideoStream(.h265, sets: try Self.sets("h265"), rate: 25, clockRate: 90_000)
        let (cra, rasl, trail): ([UInt8], [UInt8], [UInt8]) = (
            [0, 0, 1, 0x2A, 1, 0x80, 5], [0, 0, 1, 0x12, 1, 0x80, 5], [0, 0, 1, 2, 1, 0x80, 5]
        )
        func comes(_ bytes: [UInt8]) -> Bool {
            if case .unit = stream.take(bytes, isDamaged: false) { true } else { false }
        }
        #expect([cra, rasl, rasl, trail, cra, rasl].map(comes) == [true, false, false, true, true, true])
    }
}
