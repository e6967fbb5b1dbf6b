import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Where a stream is begun")
struct StartPointsTests {
    /// The pictures of a raw stream, each with what stands in front of it.
    private static func pictures(_ file: String) throws -> [[UInt8]] {
        let bytes = try Fixture.bytes("video/\(file)").array
        var pictures: [[UInt8]] = []
        var waiting: [UInt8] = []
        for unit in NALUnits.find(in: bytes) {
            waiting += NALUnits.startCode + bytes[unit]
            if VideoCoding.h264.unit(bytes[unit.lowerBound]) == .slice {
                pictures.append(waiting)
                waiting = []
            }
        }
        return pictures
    }

    private static func without(_ type: UInt8, _ picture: [UInt8]) -> [UInt8] {
        NALUnits.find(in: picture).filter { picture[$0.lowerBound] & 31 != type }.flatMap {
            NALUnits.startCode + picture[$0]
        }
    }

    /// What a stream makes of pictures that come ten a second: the numbers of those that are begun at, and all that comes.
    private static func take(_ pictures: [[UInt8]], _ stream: inout VideoStream) -> (keys: [Int], units: [Packet]) {
        var keys: [Int] = []
        var units: [Packet] = []
        for (number, picture) in pictures.enumerated() {
            let time = Duration.milliseconds(number * 100)
            guard case .unit(let unit) = stream.take(picture, isDamaged: false, at: .zero + time) else { continue }
            if unit.isKey { keys.append(number) }
            units.append(
                Packet(
                    unit.bytes, format: stream.format(of: .h264), captured: .zero + time, pts: MediaTime(time),
                    isKeyframe: unit.isKey))
        }
        return (keys, units)
    }

    @Test("a stream that is refreshed bit by bit begins where a refresh does, two seconds late, and is right after it")
    func refresh() throws {
        // Its only keyframe is left out, as for who comes later.
        let pictures = Array(try Self.pictures("refresh.h264").dropFirst())
        var stream = VideoStream(.h264, sets: [], rate: 10, clockRate: 90_000)
        let (keys, units) = Self.take(pictures, &stream)
        // Refreshes begin at 9, 19 and so on.
        #expect(keys == [29, 39])
        #expect(units.count == pictures.count - 29)
        #expect(stream.weakestStart == .recovery)
        let frames = try VideoDecoderTests.frames(units, units[0].format, pool: FramePool())
        // Nothing broken is shown: the first picture is one that is whole.
        #expect(!frames.isEmpty && frames.count < units.count && frames.allSatisfy { !$0.isDamaged })
        var whole = VideoStream(.h264, sets: [], rate: 10, clockRate: 90_000)
        let all = Self.take(try Self.pictures("refresh.h264"), &whole)
        // Its keyframe is the only one: later viewers begin where a refresh does.
        #expect(all.keys == [0, 20, 30, 40] && whole.weakestStart == .recovery)
        let reference = try VideoDecoderTests.frames(all.units, all.units[0].format, pool: FramePool())
        if let last = frames.last, let other = reference.last { #expect(FrameCompare.psnr(last, other) > 40) }
    }

    @Test("of whole pictures that are not marked each is a beginning, after four seconds")
    func intra() throws {
        // An open group's I pictures, without the word that one may begin there.
        let pictures = try Self.pictures("open.h264").dropFirst().map { Self.without(6, $0) }
        let intra = pictures.indices.filter { number in
            AccessUnitKind(
                pictures[number], units: NALUnits.find(in: pictures[number]), coding: .h264
            ).isIntra
        }
        var stream = VideoStream(.h264, sets: [], rate: 10, clockRate: 90_000)
        let (keys, units) = Self.take(Array((pictures + pictures + pictures)), &stream)
        let expected = (0..<3).flatMap { round in intra.map { $0 + round * pictures.count } }.filter {
            // Since the first that came with its parameter sets.
            $0 >= intra[0] + 40
        }
        #expect(!intra.isEmpty && keys == expected)
        #expect(stream.weakestStart == .intra)
        #expect(!units.isEmpty)
    }

    @Test("where nothing is marked and nothing whole comes it is any picture, one in ten seconds; it is doubtful")
    func any() throws {
        let pictures = try Self.pictures("refresh.h264")
        let sets = NALUnits.find(in: pictures[0]).prefix(2).map { Array(pictures[0][$0]) }
        let delta = Self.without(6, pictures[5])
        var stream = VideoStream(.h264, sets: sets, rate: 10, clockRate: 90_000)
        var doubtful: [Int] = []
        for number in 0..<250 {
            let answer = stream.take(delta, isDamaged: false, at: .zero + .milliseconds(number * 100))
            if case .unit(let unit) = answer, unit.isDoubtful { doubtful.append(number) }
        }
        #expect(doubtful == [100, 200])
        // One keyframe, and nothing weaker counts any more.
        guard case .unit(let key) = stream.take(pictures[0], isDamaged: false, at: .zero + .seconds(25)) else {
            Issue.record("the keyframe did not come")
            return
        }
        #expect(key.isKey && stream.weakestStart == nil)
        for number in 251..<500 {
            guard case .unit(let unit) = stream.take(delta, isDamaged: false, at: .zero + .milliseconds(number * 100))
            else { continue }
            #expect(!unit.isKey)
        }
    }

    @Test("of H.265 with temporal layers only the highest has pictures that nothing needs")
    func layers() {
        // A sequence parameter set of two layers says so in its third byte; all else is as of one of x265.
        func disposable(layers: UInt8, layer: UInt8) -> Bool? {
            var stream = VideoStream(
                .h265, sets: SampleAspectTests.h265Sets(layers: layers), rate: 25, clockRate: 90_000)
            _ = stream.take([0, 0, 1, 0x26, 1, 0x80, 5], isDamaged: false)
            guard case .unit(let unit) = stream.take([0, 0, 1, 0, layer + 1, 0x80, 5], isDamaged: false) else {
                return nil
            }
            return unit.isDisposable
        }
        #expect(disposable(layers: 0, layer: 0) == true)
        #expect(disposable(layers: 1, layer: 0) == false)
        #expect(disposable(layers: 1, layer: 1) == true)
    }

    @Test(
        "a recovery point is found in the supplemental information of both codings",
        arguments: [
            ("h264", [0, 0, 1, 6, 6, 1, 0x24, 0x80, 0, 0, 1, 0x41, 0x9A], true),
            ("h264", [0, 0, 1, 6, 5, 1, 0x24, 0x80, 0, 0, 1, 0x41, 0x9A], false),
            ("h265", [0, 0, 1, 0x4E, 1, 6, 1, 0x90, 0x80, 0, 0, 1, 2, 1, 0x80], true),
            ("h265", [0, 0, 1, 0x50, 1, 6, 1, 0x90, 0x80, 0, 0, 1, 2, 1, 0x80], false),
        ] as [(String, [UInt8], Bool)])
    func supplemental(_ coding: String, _ bytes: [UInt8], _ canRecover: Bool) {
        let kind = AccessUnitKind(bytes, units: NALUnits.find(in: bytes), coding: coding == "h264" ? .h264 : .h265)
        #expect(kind.canRecover == canRecover && !kind.isKey)
    }
}
