import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Sound for players that stop at a hole")
struct SoundLineTests {
    private static let silence = Bytes([0])
    private static let sound = Bytes([1])

    /// 16 kHz, so that a frame is 64 ms.
    private func line() throws -> SoundLine {
        var format = PacketFormat(.aac)
        format.parameterSets = Bytes([0x14, 0x08])
        let configuration = try #require(SoundConfiguration(format))
        #expect(configuration.sampleRate == 16_000 && configuration.channels == 1)
        return SoundLine(configuration, silence: Self.silence)
    }

    private func text(_ pieces: [SoundLine.Piece]) -> [String] {
        pieces.map { ($0.data == Self.silence ? "-" : "s") + "\($0.time)" }
    }

    @Test("frames follow one another, whatever their times jitter")
    func contiguous() throws {
        var line = try line()
        var found: [String] = []
        for (number, jitter) in [0, 20, -10, 30, 0, -20].enumerated() {
            found += text(line.add(Self.sound, at: .milliseconds(640 + number * 64 + jitter)))
        }
        #expect(found == (0..<6).map { "s\(10_240 + $0 * 1024)" })
    }

    @Test("a hole becomes silence, what lies over what was played is left out")
    func hole() throws {
        var line = try line()
        func add(_ milliseconds: Int) -> [String] { text(line.add(Self.sound, at: .milliseconds(milliseconds))) }
        #expect(add(0) == ["s0"])
        #expect(add(256) == ["-1024", "-2048", "-3072", "s4096"])
        #expect(add(128) == [] && add(-100) == [])
        #expect(add(320) == ["s5120"])
        // As the pictures' own.
        #expect(add(3_600_000) == ["s57600000"])
    }

    @Test("silence goes along with the pictures when sound stops, and ends when it comes again")
    func silence() throws {
        var line = try line()
        func add(_ milliseconds: Int) -> [String] { text(line.add(Self.sound, at: .milliseconds(milliseconds))) }
        func cover(_ milliseconds: Int) -> [String] { text(line.cover(upTo: .milliseconds(milliseconds))) }
        #expect(cover(5000) == [])
        #expect(add(0) == ["s0"])
        #expect(cover(1000) == [])
        #expect(cover(1100) == (1...14).map { "-\($0 * 1024)" })
        #expect(cover(1140) == ["-15360"])
        // A little late: it is left out until its time has come.
        #expect(add(900) == [] && cover(1500) == [])
        #expect(add(1024) == ["s16384"])
    }

    @Test("a second track has what libavformat reads: sound beside pictures, each at its time")
    func tracks() throws {
        let reader = try MediaReader(path: Fixture.url("video/sound.ts").path)
        reader.select(audio: true)
        var (muxer, adts, placement) = (FragmentMuxer(), ADTS(), SoundPlacement())
        var sets = InBandSets(reader.video.format)
        var (line, begin): (SoundLine?, Initialization?)
        var body: [UInt8] = []
        var (pictures, sounds) = (0, 0)
        var shown: [Duration] = []
        while let packet = try reader.next() {
            if packet.format.isAudio {
                guard begin != nil, let bare = adts.bare(packet), let placed = placement.place(bare),
                    let time = muxer.time(of: placed.pts), let configuration = SoundConfiguration(bare.format)
                else { continue }
                var own = try line ?? SoundLine(configuration, silence: configuration.silence())
                for piece in own.add(bare.data, at: time) {
                    let fragment = muxer.take(piece, of: configuration, captured: bare.captured)
                    #expect(fragment.isSound && !fragment.isKey)
                    body += fragment.head.array + fragment.body.array
                    sounds += 1
                    shown.append(time)
                }
                line = own
                continue
            }
            sets?.learn(packet.data)
            let described = packet.replacing(packet.data, format: sets?.format ?? packet.format)
            placement.look(at: described)
            switch muxer.take(described) {
            case .none: continue
            case .begin(let initialization, let fragment):
                begin = initialization
                body += fragment.head.array + fragment.body.array
            case .fragment(let fragment): body += fragment.head.array + fragment.body.array
            }
            pictures += 1
        }
        let configuration = try #require(line).configuration
        let start = try #require(begin).with(configuration)
        #expect(start.codecs.hasSuffix(",mp4a.40.2"))
        try Fixture.withFolder { folder in
            let path = folder.appendingPathComponent("live.mp4").path
            #expect(FileManager.default.createFile(atPath: path, contents: Data(start.bytes.array + body)))
            let read = try MediaReader(path: path)
            read.select(audio: true)
            let found = try #require(read.audio).format
            #expect(found.coding == .aac && found.sampleRate == 16_000 && found.channels == 1)
            #expect(found.parameterSets?.array == [0x14, 0x08])
            var (seen, heard): (Int, [Packet]) = (0, [])
            while let packet = try read.next() { if packet.format.isAudio { heard.append(packet) } else { seen += 1 } }
            #expect(seen == pictures && heard.count == sounds && sounds > 10)
            for (packet, time) in zip(heard, shown) { #expect(abs((packet.pts.duration - time).seconds) < 0.035) }
            let decoder = try SoundDecoder(found)
            #expect(try heard.map { try decoder.decode($0.data).first?.count ?? 0 }.reduce(0, +) >= (sounds - 1) * 1024)
        }
    }

    @Test("AAC of another kind than the plainest has no line")
    func plain() {
        for bytes: [UInt8] in [[], [0x14], [0x2B, 0x92, 0x08, 0], [0x14, 0x0C], [0x17, 0x88], [0x14, 0x00]] {
            var format = PacketFormat(.aac)
            format.parameterSets = Bytes(bytes)
            #expect(SoundConfiguration(format) == nil)
        }
    }
}
