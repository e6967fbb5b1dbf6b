import CampipeKit
import Foundation
import Testing

@testable import CampipeMedia

@Suite("Sound into a container's form")
struct SoundCoderTests {
    private static func format(_ coding: Coding, rate: Int? = 8000, channels: Int? = 1) -> PacketFormat {
        var format = PacketFormat(coding, timebase: Timebase(1, Int32(rate ?? 8000)))
        format.sampleRate = rate
        format.channels = channels
        return format
    }

    /// Twenty milliseconds of A-law: a loud square, or silence.
    private static func packet(_ number: Int, isLoud: Bool, at ticks: Int64? = nil) -> Packet {
        let bytes = (0..<160).map { index -> UInt8 in isLoud ? (index / 8 % 2 == 0 ? 0xAA : 0x2A) : 0xD5 }
        let pts = MediaTime(ticks: ticks ?? Int64(number * 160), timebase: Timebase(1, 8000))
        return Packet(
            Bytes(bytes), format: format(.pcma), captured: .zero + .seconds(3) + pts.duration, pts: pts,
            duration: .milliseconds(20))
    }

    /// The loudest sample of each 1024 that a decoder makes of the packets, by the time of the packet.
    private static func loudness(_ packets: [Packet]) throws -> [(time: Int64, loudest: Float)] {
        let decoder = try SoundDecoder(try #require(packets.first).format)
        return try packets.map { packet in
            let samples = try decoder.decode(packet.data).first ?? []
            return (packet.pts.ticks, samples.map(abs).max() ?? 0)
        }
    }

    @Test("what is held passes as it is")
    func passes() throws {
        let coder = try SoundCoder(Self.format(.pcma), holds: Container.mkv.holds)
        let packet = Self.packet(0, isLoud: true)
        #expect(!coder.isEncoding && coder.format == packet.format)
        #expect(try coder.take(packet).map(\.data) == [packet.data])
        #expect(try coder.drain().isEmpty)
    }

    @Test(
        "G.711 becomes AAC whose packets follow one another, each where it was heard", arguments: [Coding.pcmu, .pcma])
    func encodes(_ coding: Coding) throws {
        let coder = try SoundCoder(Self.format(coding), holds: Container.mp4.holds)
        #expect(coder.format.coding == .aac && coder.format.sampleRate == 8000 && coder.format.parameterSets != nil)
        var made: [Packet] = []
        // A second of silence, and then one of noise.
        for number in 0..<100 { made += try coder.take(Self.packet(number, isLoud: number >= 50)) }
        made += try coder.drain()
        #expect(made.first?.pts.ticks == -1024)
        #expect(zip(made, made.dropFirst()).allSatisfy { $1.pts.ticks - $0.pts.ticks == 1024 })
        #expect(made.allSatisfy { $0.captured == .zero + .seconds(3) + $0.pts.duration })
        #expect(try #require(made.last).pts.ticks + 1024 >= 16_000)
        guard coding == .pcma else { return }
        let heard = try Self.loudness(made)
        // The packet that holds sample 8000 is the first loud one.
        #expect(heard.filter { $0.time + 1024 <= 7168 }.allSatisfy { $0.loudest < 0.1 })
        #expect(heard.filter { $0.time > 8192 && $0.time < 15_000 }.allSatisfy { $0.loudest > 0.1 })
    }

    @Test("it begins when it is told, with silence before the first sound", arguments: [0, 100, 3000])
    func begins(_ late: Int) throws {
        let coder = try SoundCoder(Self.format(.pcma), holds: { _ in false })
        coder.begin(at: MediaTime(.seconds(1)))
        var made: [Packet] = []
        for number in 0..<20 {
            made += try coder.take(Self.packet(0, isLoud: true, at: 8000 + Int64(late + number * 160)))
        }
        made += try coder.drain()
        #expect(try #require(made.first).pts.ticks == 6976)
        #expect(zip(made, made.dropFirst()).allSatisfy { $1.pts.ticks - $0.pts.ticks == 1024 })
        #expect(try #require(made.last).pts.ticks + 1024 >= 8000 + Int64(late) + 3200)
    }

    @Test("a hole becomes silence, a jump a new beginning")
    func holes() throws {
        let coder = try SoundCoder(Self.format(.pcma), holds: { _ in false })
        var made: [Packet] = []
        for number in 0..<20 { made += try coder.take(Self.packet(number, isLoud: true)) }
        for number in 50..<70 { made += try coder.take(Self.packet(number, isLoud: true)) }
        for number in 0..<20 { made += try coder.take(Self.packet(0, isLoud: true, at: 800_000 + Int64(number) * 160)) }
        made += try coder.drain()
        let before = made.prefix { $0.pts.ticks < 100_000 }
        #expect(zip(before, before.dropFirst()).allSatisfy { $1.pts.ticks - $0.pts.ticks == 1024 })
        let after = made[before.count...].map(\.pts.ticks)
        #expect(after.first.map { $0 >= 798_976 && $0 <= 800_000 } == true)
        #expect(zip(after, after.dropFirst()).allSatisfy { $1 - $0 == 1024 })
        let heard = try Self.loudness(Array(before))
        #expect(heard.filter { $0.time > 4200 && $0.time + 1024 < 7800 }.allSatisfy { $0.loudest < 0.1 })
    }

    @Test("what cannot be coded is refused by name")
    func refused() throws {
        for format in [
            Self.format(.pcmu, rate: nil), Self.format(.aac), Self.format(.pcmu, rate: 1000), Self.format(.other),
        ] {
            var format = format
            if format.coding == .pcmu, format.sampleRate == nil { format = PacketFormat(.pcmu) }
            let error = #expect(throws: CampipeError.self) { try SoundCoder(format, holds: Container.mp4.holds) }
            #expect(error?.kind == .unsupported)
        }
    }

    @Test(
        "what containers hold",
        arguments: [
            (Container.mp4, Coding.aac, true), (.mkv, .aac, true), (.ts, .aac, true), (.mp4, .pcmu, false),
            (.ts, .pcma, false), (.mkv, .pcmu, true), (.mkv, .pcma, true), (.mp4, .opus, false),
        ])
    func held(_ container: Container, _ coding: Coding, _ isHeld: Bool) {
        var format = Self.format(coding)
        if coding == .aac {
            #expect(!container.holds(format))
            format.parameterSets = Bytes([0x15, 0x88])
        }
        #expect(container.holds(format) == isHeld)
    }

    @Test("AAC of a transport stream comes bare, and is the same in an MP4")
    func bare() throws {
        let reader = try MediaReader(path: Fixture.url("video/sound.ts").path)
        reader.select(audio: true)
        var adts = ADTS()
        var count = 0
        while let packet = try reader.next() {
            guard packet.format.isAudio else {
                let same = adts.bare(packet)
                #expect(same?.data == packet.data)
                continue
            }
            #expect(packet.data[0] == 0xFF)
            let found = adts.bare(packet)
            let bare = try #require(found)
            #expect(bare.data.count == packet.data.count - 7 && bare.captured == packet.captured)
            #expect(bare.format.parameterSets?.array == [0x14, 0x08] && bare.format.sampleRate == 16_000)
            let again = adts.bare(bare)
            #expect(again?.data == bare.data)
            count += 1
        }
        #expect(count > 10)
        var broken = PacketFormat(.aac)
        broken.sampleRate = 16_000
        for bytes: [UInt8] in [
            [], [0xFF, 0xF1], [UInt8](repeating: 0xFF, count: 20), [0xFF, 0xF1, 0x60, 0, 0, 0, 0, 1],
        ] {
            let found = adts.bare(Packet(Bytes(bytes), format: broken, captured: .zero, pts: MediaTime(.zero)))
            #expect(found == nil)
        }
    }
}
