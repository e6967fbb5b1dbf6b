import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Encode")
struct EncodeTests {
    private func encode(_ options: Value.ValueMap, _ frames: [Frame]) throws -> [Packet] {
        let harness = try NodeHarness(Registration(transform: Encode<Frame>.self), options: options)
        for frame in frames { try harness.push(frame) }
        try harness.end()
        return harness.packets
    }

    private func decode(_ packets: [Packet], _ format: PacketFormat? = nil) throws -> [Frame] {
        let harness = try NodeHarness(Registration(transform: Decode.self))
        for packet in packets { try harness.push(packet) }
        try harness.end()
        return harness.frames
    }

    /// Every level of the range from left to right, two columns each.
    private func ramp(_ pixel: PixelFormat, _ range: ColorRange, _ matrix: ColorMatrix, at time: Duration) -> Frame {
        let levels = range == .full ? 0...255 : 16...235
        let width = levels.count * 2
        let picture = Pictures.frame(pixel, Size(width, 64), at: time) { plane, x, _ in
            plane == 0 ? UInt8(levels.lowerBound + x / 2) : 128
        }
        return Frame(
            picture.pixels, range: range, matrix: matrix, rate: 25, captured: picture.captured, pts: picture.pts)
    }

    @Test(
        "a grey ramp stays within two levels through H.264 and JPEG and back", arguments: ["h264", "jpeg"],
        [ColorRange.full, .limited])
    func ramp(codec: String, range: ColorRange) throws {
        for matrix in [ColorMatrix.bt601, .bt709] {
            for (sampling, pixel) in [("4:2:0", PixelFormat.yuv420), ("4:4:4", .yuv444), ("4:2:0", .gray8)] {
                let frames = (0..<3).map { ramp(pixel, range, matrix, at: .milliseconds($0 * 40)) }
                let packets = try encode(
                    ["codec": .plain(codec), "quality": "95", "sampling": .plain(sampling)], frames)
                #expect(packets.count == 3)
                let decoded = try decode(packets)
                #expect(decoded.count == 3)
                let back = try #require(decoded.last)
                if codec == "h264" { #expect(back.format.range == range && back.format.matrix == matrix) }
                let expected = try Scaler().scale(
                    frames[2], pixel: .gray8, range: back.format.range, matrix: back.format.matrix, pool: .shared)
                var worst = 0
                for y in 0..<64 {
                    for x in 0..<frames[2].size.width {
                        let (a, b) = (Pictures.pixel(back, x, y), Pictures.pixel(expected, x, y))
                        worst = max(worst, abs(Int(a) - Int(b)))
                    }
                }
                #expect(worst <= 2, "\(codec) \(range) \(matrix) \(pixel): \(worst)")
                guard back.pixels.planes.count > 1 else { continue }
                for x in 0..<back.pixels.planes[1].width {
                    #expect(abs(Int(Pictures.pixel(back, x, 8, plane: 1)) - 128) <= 2)
                }
            }
        }
    }

    @Test("all colour is kept where it is asked for", arguments: ["jpeg", "h264"])
    func sampling(codec: String) throws {
        // Columns of red and blue in turn, which 4:2:0 makes into one.
        let frame = Pictures.frame(.yuv444, Size(64, 64)) { plane, x, _ in
            plane == 0 ? 100 : plane == 1 ? (x % 2 == 0 ? 60 : 200) : (x % 2 == 0 ? 200 : 60)
        }
        for (sampling, isKept) in [("4:4:4", true), ("4:2:0", false)] {
            let packets = try encode(
                ["codec": .plain(codec), "quality": "95", "sampling": .plain(sampling)], [frame])
            let back = try #require(try decode(packets).first)
            #expect(back.pixel == (isKept ? .yuv444 : .yuv420))
            if isKept {
                let (left, right) = (Pictures.pixel(back, 10, 9, plane: 1), Pictures.pixel(back, 11, 9, plane: 1))
                #expect(left < 85 && right > 175, "\(codec): \(left) \(right)")
            }
        }
    }

    @Test("JPEGs fit into max_bytes, and the next one begins with what fitted")
    func maxBytes() throws {
        let noise = (0..<6).map { number in
            Pictures.frame(.yuv420, Size(320, 240), at: .milliseconds(number * 40)) { plane, x, y in
                plane == 0 ? UInt8((x * 31 + y * 17 + x * y + number * 7) % 200) : 128
            }
        }
        let free = try encode([:], noise)
        let limit = free.map(\.data.count).reduce(0, max) / 3
        let bound = try encode(["max_bytes": .plain("\(limit)B")], noise)
        #expect(bound.count == 6)
        #expect(bound.allSatisfy { $0.data.count <= limit })
        #expect(bound.allSatisfy { $0.data.count > limit / 4 })
        #expect(try encode(["max_bytes": "10MiB"], noise).map(\.data) == free.map(\.data))
    }

    @Test("a picture that does not fit at any quality fails alone and says what would help")
    func hopeless() throws {
        let harness = try NodeHarness(Registration(transform: Encode<Frame>.self), options: ["max_bytes": "1000B"])
        #expect {
            try harness.push(
                Pictures.frame(.yuv420, Size(640, 480)) { _, x, y in UInt8((x * y) % 251) })
        } throws: {
            ($0 as? CampipeError)?.kind == .badData && "\($0)".contains("640x480") && "\($0)".contains("1000B")
        }
        try harness.push(Pictures.frame(.yuv420, Size(16, 16)))
        #expect(harness.packets.count == 1)
    }

    @Test(
        "a search ends after a few tries, remembers, and rises while there is room",
        arguments: [100, 1000, 10_000, 40_000, 90_000])
    func search(limit: Int) {
        var search = QualitySearch(limit: limit, ceiling: 90)
        // What a picture takes at a quality, roughly as JPEG does.
        func bytes(_ quality: Int, _ detail: Double) -> Int { Int(300 + detail * Double(quality * quality) * 8) }
        var most = 0
        var qualities: [Int] = []
        for picture in 0..<60 {
            let detail = picture < 30 ? 1.0 : 0.4
            var tries = 0
            while true {
                tries += 1
                let verdict = search.tried(bytes(search.quality, detail))
                if verdict == .fits { #expect(bytes(qualities.last ?? 1, 0) <= max(limit, 300)) }
                if case .again = verdict { continue }
                if limit >= 1000 { #expect(verdict == .fits) } else { #expect(verdict == .hopeless) }
                break
            }
            qualities.append(search.quality)
            most = max(most, tries)
        }
        #expect(most <= QualitySearch.maxTries)
        if limit >= 10_000 { #expect(qualities[59] > qualities[20] || qualities[20] == 90, "\(qualities)") }
    }

    @Test("a bit rate is kept, and a keyframe comes each second")
    func bitrate() throws {
        let frames = (0..<75).map { number in
            let made = Pictures.frame(.yuv420, Size(320, 240), at: .milliseconds(number * 40)) { plane, x, y in
                plane == 0 ? UInt8((x * 13 + y * 29 + (x + number) * (y + number)) % 220) : 128
            }
            return Frame(made.pixels, rate: 25, captured: made.captured, pts: made.pts)
        }
        func run(_ rate: String) throws -> Int {
            let packets = try encode(["codec": "h264", "bitrate": .plain(rate)], frames)
            #expect(packets.indices.filter { packets[$0].isKeyframe } == [0, 25, 50])
            return packets.map(\.data.count).reduce(0, +) * 8 / 3
        }
        // A stream that does not say its rate has the bits all the same.
        let unknown = try encode(
            ["codec": "h264", "bitrate": "3.2Mbps"],
            frames.map { Frame($0.pixels, captured: $0.captured, pts: $0.pts) })
        #expect((unknown.first?.data.count ?? 0) > 8000, "\(unknown.first?.data.count ?? 0)")
        let (low, high) = (try run("400kbps"), try run("3.2Mbps"))
        #expect(low < 800_000 && high > low * 3, "\(low) \(high)")
    }

    @Test("a JPEG that nobody painted on passes as it came, unless something else is asked for")
    func passes() throws {
        let bytes = try JPEGEncoder().encode(
            Pictures.frame(.yuv420, Size(64, 48)) { plane, x, y in plane == 0 ? UInt8(x * 3 + y) : 128 }, quality: 97,
            pool: .shared)
        let packet = Packet(bytes, format: PacketFormat(.jpeg), captured: .zero, pts: MediaTime(.zero))
        let frame = try #require(try decode([packet]).first)
        #expect(try encode([:], [frame]).first?.data == bytes)
        #expect(try encode(["max_bytes": "1MiB"], [frame]).first?.data == bytes)
        let others: [Value.ValueMap] = [
            ["quality": "50"], ["sampling": "4:4:4"], ["max_bytes": .plain("\(bytes.count - 1)B")],
        ]
        for options in others {
            #expect(try encode(options, [frame]).first?.data != bytes)
        }
        var painted = frame
        painted.mapLuma { $0 }
        #expect(try encode([:], [painted]).first?.data != bytes)
        var damaged = frame
        damaged.isDamaged = true
        #expect(try encode([:], [damaged]).first?.data != bytes)
        let small = try NodeHarness(Registration(transform: Decode.self), options: ["max_width": "32"])
        try small.push(packet)
        #expect(try encode([:], small.frames).first?.format.size == Size(32, 24))
        // Where packets come that are coded so already, nothing is decoded.
        let packets = try NodeHarness(Registration(transform: Encode<Packet>.self))
        try packets.push(packet)
        #expect(packets.packets.first?.data == bytes)
        #expect(throws: CampipeError.self) { try Encode<Packet>().output(for: .packets(.h264)) }
    }

    private static let faulty: [(Value.ValueMap, [String])] = [
        (["codec": "h264", "max_bytes": "100KiB"], ["max_bytes is for JPEGs"]),
        (["bitrate": "2Mbps"], ["bitrate is for H.264"]),
        (["codec": "h264", "bitrate": "2Mbps", "quality": "80"], ["bitrate does not go with quality"]),
        (["codec": "h264", "bitrate": "2000000"], ["2000000 has no unit"]),
        (["codec": "h264", "bitrate": "2Mbit"], ["\"2Mbit\" has an unknown unit"]),
        (["codec": "h264", "bitrate": "1kbps"], ["\"1kbps\" is out of range"]),
        (["codec": "h264", "bitrate": "fast"], ["\"fast\" is not a rate such as 2Mbps"]),
        (["sampling": "4:1:1"], ["\"4:1:1\" is not known here"]),
    ]

    @Test("what does not go together is said", arguments: faulty)
    func faults(_ options: Value.ValueMap, _ sentences: [String]) {
        let faults = Registration(transform: Encode<Frame>.self).inspect(options).faults
        #expect(faults.map(\.sentence) == sentences)
        #expect(faults.allSatisfy { !$0.fix.isEmpty })
    }
}
