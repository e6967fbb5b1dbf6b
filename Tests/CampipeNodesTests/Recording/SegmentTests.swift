import CampipeKit
import CampipeMedia
import CampipeStore
import Foundation
import Testing

@testable import CampipeNodes

@Suite("Segments of a recording")
struct SegmentTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test(
        "no packet is lost or twice, each file begins with a keyframe and is as long as its pictures", arguments: 1...8)
    func property(_ seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        let ending = ["mp4", "mkv", "ts", "mjpeg"][seed % 4]
        let rig = try RecordingRig("%H%M%S-%f.\(ending)") { settings in
            let length = Duration.milliseconds(Int.random(in: 300...3000, using: &generator))
            if seed % 3 != 0 { settings.segment = length }
            if seed % 3 != 1 {
                settings.segmentSize = ByteCount(bytes: Int.random(in: 4000...30_000, using: &generator))
            }
            settings.isAligned = seed % 2 == 0 && settings.segment != nil
        }
        let packets = try ["mp4", "ts"].contains(ending) ? RecordingRig.video(80) : RecordingRig.jpegs(80)
        for packet in packets { try rig.push(packet) }
        try rig.finish()
        let files = rig.folder.files
        #expect(files.count > 1)
        var count = 0
        for (index, file) in files.enumerated() {
            let reader = try MediaReader(path: "\(rig.folder.path)/\(file)")
            var number = 0
            while let packet = try reader.next() {
                if number == 0 { #expect(packet.isKeyframe, "\(file)") }
                // Its time within the file is its time since the file's first picture: neither gap nor overlap.
                let expected = packets[count].captured - packets[count - number].captured
                if ending != "mjpeg" { #expect(abs((packet.captured - .zero - expected).seconds) < 0.002, "\(file)") }
                if ending == "mkv" || ending == "mjpeg" { #expect(packet.data.array == packets[count].data.array) }
                number += 1
                count += 1
            }
            if ending == "mp4" || ending == "mkv" {
                let length = try #require(reader.duration)
                #expect(abs(length.seconds - Double(number) / 10) < 0.11, "\(file) \(index)")
            }
        }
        #expect(count == packets.count)
    }

    @Test("by the clock files end where it begins the next part, also over midnight and where an hour comes twice")
    func clock() throws {
        let ten = ClockGrid(.seconds(600), zone: .fixed(seconds: 3600))
        let start = WallTime(microseconds: 1_767_221_400_000_000)  // 2025-12-31 22:50:00 UTC, 23:50 there.
        #expect(ten.part(of: start) == ten.part(of: start + .seconds(599)))
        #expect(ten.part(of: start) != ten.part(of: start + .seconds(600)))
        #expect(ten.part(of: start + .microseconds(-1)) != ten.part(of: start))
        // 7 h do not divide a day: midnight begins a part too.
        let seven = ClockGrid(.seconds(7 * 3600), zone: .fixed(seconds: 3600))
        #expect(seven.part(of: start + .seconds(599)) != seven.part(of: start + .seconds(600)))
        let week = ClockGrid(.seconds(7 * 86_400), zone: .fixed(seconds: 0))
        let parts = (0..<14).map { week.part(of: start + .seconds($0 * 86_400)) }
        #expect(Set(parts).count == 3 || Set(parts).count == 2)

        var segmenter = Segmenter(length: .seconds(600), limit: nil, isAligned: true, zone: .fixed(seconds: 0))
        func isDue(_ captured: Int, _ wall: Int) -> Bool {
            segmenter.isDue(at: .zero + .seconds(captured), start + .seconds(wall), size: 0)
        }
        segmenter.begin(at: .zero, start + .seconds(30))
        let before = isDue(569, 599)
        let after = isDue(570, 600)
        // A clock that is set back by an hour cuts once, at the keyframe after it.
        segmenter.begin(at: .zero + .seconds(570), start + .seconds(600))
        let back = isDue(580, -2990)
        #expect(!before && after && back)
    }

    @Test("by size a file ends before the group that would be too much, and one group alone may be more")
    func size() {
        var segmenter = Segmenter(length: nil, limit: ByteCount(bytes: 1000))
        segmenter.begin(at: .zero, WallTime(microseconds: 0))
        func isDue(_ size: Int) -> Bool { segmenter.isDue(at: .zero, WallTime(microseconds: 0), size: size) }
        let due = [0, 300, 600, 700, 900].map(isDue)
        segmenter.begin(at: .zero, WallTime(microseconds: 0))
        #expect(due == [false, false, false, false, true])
        let alone = isDue(5000)
        #expect(alone)
    }

    @Test(
        "no file is over its size, though the muxer holds a fragment and the encoder some pictures",
        arguments: ["mp4", "mkv", "ts"], [false, true])
    func sizeOnDisk(_ ending: String, _ isJPEG: Bool) throws {
        let limit = 24_000
        let rig = try RecordingRig("%H%M%S-%f.\(ending)") {
            $0.segmentSize = ByteCount(bytes: limit)
            $0.fragment = .seconds(5)
        }
        for packet in try isJPEG ? RecordingRig.jpegs(300) : RecordingRig.video(300) { try rig.push(packet) }
        try rig.finish()
        let sizes = try rig.folder.files.map { name in
            try #require(
                try FileManager.default.attributesOfItem(atPath: "\(rig.folder.path)/\(name)")[.size] as? Int)
        }
        #expect(sizes.count > 1 && sizes.allSatisfy { $0 <= limit }, "\(sizes)")
        // Nor far below it, but for the last.
        #expect(sizes.dropLast().allSatisfy { $0 > limit / 3 }, "\(sizes)")
        #expect(try rig.folder.files.reduce(0) { try $0 + rig.pictures($1).count } == 300)
    }

    @Test("names never collide while the clock is set back and an hour comes twice")
    func clockSetBack() throws {
        let rig = try RecordingRig("%H%M%S.mjpeg") { $0.segment = .seconds(1) }
        for (number, packet) in try RecordingRig.jpegs(100).enumerated() {
            if number == 30 || number == 60 { rig.clock.setWallTime(rig.clock.wallTime + .seconds(-3)) }
            if number == 80 { rig.clock.setWallTime(rig.clock.wallTime + .seconds(-3600)) }
            try rig.push(packet)
        }
        try rig.finish()
        #expect(try rig.folder.files.reduce(0) { try $0 + rig.pictures($1).count } == 100)
        #expect(rig.folder.files.count == 10)
    }
}
