import CampipeKit
import Testing

@testable import CampipeMedia
@testable import CampipeNodes

@Suite("HLS")
struct HLSWindowTests {
    /// A stream of ten pictures a second whose fragments say their own number.
    private struct Stream {
        var window: HLSWindow
        var time: Int64 = 0
        var count = 0

        init(first: Int = 100) {
            window = HLSWindow(first: first)
            window.begin(Bytes([0xAA]))
        }

        mutating func add(isKey: Bool, lasting ticks: Int64 = 9000) {
            window.append(
                Fragment(
                    head: Bytes([UInt8(truncatingIfNeeded: count)]), body: .empty, isKey: isKey, time: time,
                    duration: ticks, captured: .zero))
            time += ticks
            count += 1
        }

        mutating func add(groups: Int, of size: Int) {
            for _ in 0..<groups { for index in 0..<size { add(isKey: index == 0) } }
        }

        var lines: [String] {
            guard case .text(let text) = window.answer(.playlist(segment: nil, part: nil)) else { return [] }
            return text.split(separator: "\n").map(String.init)
        }

        func bytes(_ piece: HLSWindow.Piece) -> [UInt8]? {
            guard case .ready(let parts) = window.answer(piece) else { return nil }
            return parts.flatMap(\.array)
        }

        func isLater(_ piece: HLSWindow.Piece) -> Bool {
            if case .later = window.answer(piece) { true } else { false }
        }
    }

    @Test("a list comes when a segment is whole, word for word")
    func list() {
        var stream = Stream()
        stream.add(groups: 1, of: 10)
        #expect(stream.lines.isEmpty)
        stream.add(groups: 1, of: 10)
        stream.add(isKey: true)
        #expect(
            stream.lines == [
                "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:1",
                "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3.30000,HOLD-BACK=3",
                "#EXT-X-PART-INF:PART-TARGET=1.10000", "#EXT-X-MEDIA-SEQUENCE:100", "#EXT-X-DISCONTINUITY-SEQUENCE:0",
                "#EXT-X-MAP:URI=\"init-100.mp4\"",
                "#EXT-X-PART:DURATION=1.00000,URI=\"part-100-0.m4s\",INDEPENDENT=YES", "#EXTINF:1.00000,",
                "seg-100.m4s", "#EXT-X-PART:DURATION=1.00000,URI=\"part-101-0.m4s\",INDEPENDENT=YES",
                "#EXTINF:1.00000,", "seg-101.m4s", "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"part-102-0.m4s\"",
            ])
        #expect(stream.bytes(.segment(100)) == Array(0..<10) && stream.bytes(.part(101, 0)) == Array(10..<20))
        #expect(stream.bytes(.initialization(100)) == [0xAA] && stream.bytes(.initialization(nil)) == [0xAA])
    }

    @Test("long groups have parts of a second; short ones make segments of one")
    func parts() {
        var stream = Stream()
        stream.add(groups: 2, of: 25)
        let lines = stream.lines
        #expect(lines.contains("#EXT-X-TARGETDURATION:3") && lines.contains("#EXTINF:2.50000,"))
        #expect(
            lines.filter { $0.hasPrefix("#EXT-X-PART:") }.prefix(3) == [
                "#EXT-X-PART:DURATION=1.00000,URI=\"part-100-0.m4s\",INDEPENDENT=YES",
                "#EXT-X-PART:DURATION=1.00000,URI=\"part-100-1.m4s\"",
                "#EXT-X-PART:DURATION=0.50000,URI=\"part-100-2.m4s\"",
            ])
        var short = Stream()
        short.add(groups: 9, of: 5)
        #expect(short.lines.filter { $0.hasPrefix("#EXTINF") } == Array(repeating: "#EXTINF:1.00000,", count: 4))
    }

    @Test("no segment is longer than the list says, and no part longer than it says, whatever the keyframes do")
    func bounds() {
        var stream = Stream()
        stream.add(groups: 2, of: 10)
        stream.add(groups: 3, of: 47)
        stream.add(groups: 40, of: 3)
        #expect(stream.lines.contains("#EXT-X-TARGETDURATION:1"))
        for line in stream.lines where line.hasPrefix("#EXTINF:") {
            let seconds = Double(line.dropFirst(8).dropLast()) ?? 9
            #expect(seconds.rounded() <= 1)
        }
        for line in stream.lines where line.hasPrefix("#EXT-X-PART:DURATION=") {
            #expect(Double(line.dropFirst(21).prefix(7)) ?? 9 <= 1.1)
        }
    }

    @Test("six segments are listed, eight can be had, and numbers go on")
    func window() {
        var stream = Stream()
        stream.add(groups: 20, of: 10)
        let lines = stream.lines
        #expect(lines.contains("#EXT-X-MEDIA-SEQUENCE:113"))
        #expect(lines.filter { $0.hasSuffix(".m4s") } == (113...118).map { "seg-\($0).m4s" })
        #expect(stream.bytes(.segment(112)) != nil && stream.bytes(.segment(100)) == nil)
        #expect(!stream.isLater(.segment(100)) && stream.isLater(.segment(119)) && stream.isLater(.segment(120)))
        #expect(!stream.isLater(.segment(121)))
        #expect(stream.window.nextNumber == 120)
    }

    @Test("a list that is asked for ahead of time waits for its part or segment, but not for one far ahead")
    func blocking() {
        var stream = Stream()
        stream.add(groups: 1, of: 25)
        for index in 0..<15 { stream.add(isKey: index == 0) }
        func isLater(_ segment: Int, _ part: Int?) -> Bool { stream.isLater(.playlist(segment: segment, part: part)) }
        #expect(!isLater(100, nil) && !isLater(100, 3) && !isLater(101, 0) && isLater(101, 1) && isLater(101, nil))
        #expect(isLater(102, 0))
        if case .none = stream.window.answer(.playlist(segment: 103, part: nil)) {} else { Issue.record("far ahead") }
        #expect(stream.isLater(.part(101, 1)) && stream.isLater(.part(101, 2)) && !stream.isLater(.part(101, 4)))
        stream.add(groups: 1, of: 10)
        #expect(!isLater(101, nil) && !isLater(101, 9))
    }

    @Test("new parameter sets and an interruption are told as breaks, each counted when it has left the list")
    func breaks() {
        var stream = Stream()
        stream.add(groups: 2, of: 10)
        stream.window.begin(Bytes([0xBB]))
        stream.add(groups: 2, of: 10)
        stream.window.interrupt()
        stream.time += 900_000
        stream.add(isKey: false)
        stream.add(groups: 2, of: 10)
        let lines = stream.lines
        #expect(lines.filter { $0 == "#EXT-X-DISCONTINUITY" }.count == 2)
        #expect(lines.filter { $0.hasPrefix("#EXT-X-MAP") } == [100, 102].map { "#EXT-X-MAP:URI=\"init-\($0).mp4\"" })
        #expect(stream.bytes(.initialization(102)) == [0xBB] && stream.bytes(.initialization(100)) == [0xAA])
        #expect(lines.filter { $0.hasPrefix("#EXTINF") }.allSatisfy { $0 == "#EXTINF:1.00000," })
        // A pause in the stream itself is a break too.
        stream.time += 900_000
        stream.add(groups: 6, of: 10)
        #expect(stream.lines.contains("#EXT-X-DISCONTINUITY-SEQUENCE:2"))
        #expect(stream.lines.filter { $0 == "#EXT-X-DISCONTINUITY" }.count == 1)
        stream.add(groups: 30, of: 10)
        #expect(stream.lines.contains("#EXT-X-DISCONTINUITY-SEQUENCE:3"))
        #expect(stream.bytes(.initialization(100)) == nil)
    }

    @Test(
        "names below the path",
        arguments: [
            ("index.m3u8", HLSWindow.Piece.playlist(segment: nil, part: nil)), ("init.mp4", .initialization(nil)),
            ("init-7.mp4", .initialization(7)), ("seg-12.m4s", .segment(12)), ("part-12-3.m4s", .part(12, 3)),
            ("part-12.m4s", nil), ("seg-.m4s", nil), ("seg-1-2.m4s", nil), ("seg-99999999999999999999.m4s", nil),
            ("", nil), ("live.mp4", nil), ("index.m3u8/x", nil),
        ])
    func names(_ name: String, _ piece: HLSWindow.Piece?) {
        #expect(HLSWindow.Piece(name) { _ in nil } == piece)
    }
}
