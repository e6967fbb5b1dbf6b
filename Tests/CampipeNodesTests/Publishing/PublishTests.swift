import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeMedia
@testable import CampipeNodes

@Suite("The publish sink")
struct PublishTests {
    /// Pictures as H.264, ten a second, with a keyframe each second; the parameter sets stand in the format alone.
    static func film(_ size: Size = Size(64, 48), _ numbers: Range<Int> = 0..<25) throws -> [Packet] {
        let frames = numbers.map { number in
            Pictures.frame(.yuv420, size, at: .milliseconds(100 * number)) { plane, x, y in
                plane == 0 ? UInt8((x * 3 + y + number * 5) & 255) : 128
            }
        }
        let encoder = try VideoEncoder(frames[0].format)
        return try frames.flatMap { try encoder.encode($0, pool: .shared) } + encoder.drain()
    }

    private static func services(_ origins: PublishOrigins = PublishOrigins()) -> Services {
        var services = Services()
        services.add(origins)
        return services
    }

    private func sink(_ url: String, _ more: Value.ValueMap = [:], _ services: Services = services()) throws
        -> NodeHarness
    {
        var options = more
        options["url"] = .text(url)
        return try NodeHarness(
            Registration(sink: Publish.self), options: options, isLive: true, services: services)
    }

    @Test("a server is told the parameter sets, and gets each picture from a keyframe on")
    func record() throws {
        let server = try RecordingServer()
        defer { server.stop() }
        let harness = try sink("rtsp://127.0.0.1:\(server.port)/live/front")
        let film = try Self.film()
        // What cannot be decoded is not what a stream begins with.
        for packet in film.dropFirst(3) { try harness.push(packet) }
        let due = film.dropFirst(10)
        #expect(eventually { server.visits.first?.times.count == due.count })
        let visit = try #require(server.visits.first)
        #expect(visit.requests.map(\.method).suffix(3) == ["ANNOUNCE", "SETUP", "RECORD"])
        #expect(visit.description.contains("H264/90000") && visit.description.contains("sprop-parameter-sets="))
        #expect(visit.units.first == 5)
        #expect(visit.units.count { $0 == 5 } == due.count { $0.isKeyframe })
        #expect(zip(visit.times, visit.times.dropFirst()).allSatisfy { $1 &- $0 == 9000 })
        #expect(harness.logged.count { $0.message == "publishing" } == 1)
        try harness.end()
        #expect(eventually { server.visits[0].isOver })
        #expect(server.visits[0].requests.last?.method == "TEARDOWN")
        #expect(server.visits.count == 1)
    }

    @Test("one that goes away in mid-stream is an error; the next instance begins with a keyframe")
    func lost() throws {
        let server = try RecordingServer(.close(after: 8))
        defer { server.stop() }
        let services = Self.services()
        let url = "rtsp://u:pl4nted@127.0.0.1:\(server.port)/live"
        let film = try Self.film(Size(64, 48), 0..<60)
        var index = 0
        let first = try sink(url, [:], services)
        let failure = try #require(
            #expect(throws: CampipeError.self) {
                while index < film.count {
                    index += 1
                    try first.push(film[index - 1])
                    // Its word is on its way.
                    if index == 10 { #expect(eventually { server.visits.first?.isOver == true }) }
                }
            })
        #expect(!"\(first.logged)".contains("pl4nted"))
        try first.end()
        #expect(failure.kind == .unavailable && failure.message.hasPrefix("lost rtsp://127.0.0.1:"), "\(failure)")
        let harness = try sink(url, [:], services)
        for packet in film[index...] { try harness.push(packet) }
        let due = film[index...].drop { !$0.isKeyframe }
        #expect(!due.isEmpty && eventually { server.visits.last?.times.count == due.count })
        #expect(server.visits.count == 2 && server.visits[1].units.first == 5)
    }

    @Test("a stream that becomes another is announced anew, and not before its keyframe")
    func changed() throws {
        let server = try RecordingServer()
        defer { server.stop() }
        let harness = try sink("rtsp://127.0.0.1:\(server.port)/live")
        let first = try Self.film()
        let second = try Self.film(Size(96, 64), 25..<40)
        for packet in first + second { try harness.push(packet) }
        #expect(eventually { server.visits.count == 2 && server.visits[1].times.count == second.count })
        #expect(server.visits[0].isOver && server.visits[0].times.count == first.count)
        #expect(server.visits[0].description != server.visits[1].description)
        #expect(server.visits[1].units.first == 5)
        #expect(harness.logged.contains { $0.message == "the stream changed, connects again" })
    }

    @Test("a user and a password with signs in it are what the server gets")
    func basic() throws {
        let server = try RecordingServer(.basic)
        defer { server.stop() }
        let harness = try sink(
            "rtsp://127.0.0.1:\(server.port)/live", ["username": "operator", "password": "p#ss:w@rd/%41"])
        for packet in try Self.film() { try harness.push(packet) }
        let sent = server.visits.flatMap(\.requests).compactMap { $0.headers["authorization"] }
        let encoded = Data("operator:p#ss:w@rd/%41".utf8).base64EncodedString()
        #expect(!sent.isEmpty && sent.allSatisfy { $0 == "Basic \(encoded)" }, "\(sent)")
    }

    @Test(
        "what a server answers decides the kind of the error",
        arguments: [
            ("401 Unauthorized", CampipeError.Kind.unauthorized), ("403 Forbidden", .unauthorized),
            ("404 Not Found", .notFound), ("503 Service Unavailable", .unavailable),
        ])
    func refusals(_ answer: String, _ kind: CampipeError.Kind) throws {
        let server = try RecordingServer(.refuse(answer))
        defer { server.stop() }
        let harness = try sink("rtsp://u:pl4nted@127.0.0.1:\(server.port)/live")
        let packet = try Self.film()[0]
        let error = #expect(throws: CampipeError.self) { try harness.push(packet) }
        #expect(error?.kind == kind, "\(String(describing: error))")
        #expect(error.map { !"\($0)".contains("pl4nted") } == true)
    }

    @Test("nobody at the port is said without the stream's key", arguments: ["rtsp", "rtmp"])
    func refused(scheme: String) throws {
        let server = try RecordingServer()
        server.stop()
        let harness = try sink("\(scheme)://u:pl4nted@127.0.0.1:\(server.port)/live/s3cr3t?key=pl4nted")
        let packet = try Self.film()[0]
        let error = try #require(#expect(throws: CampipeError.self) { try harness.push(packet) })
        #expect(error.kind == .unavailable && "\(error)".contains("refused"), "\(error)")
        #expect(!"\(error) \(harness.logged)".contains("pl4nted"))
        #expect(scheme == "rtsp" || !"\(error)".contains("s3cr3t"))
    }

    @Test("one that reads no more is given up in time")
    func stalled() throws {
        let server = try RecordingServer(.stall(after: 3))
        defer { server.stop() }
        let film = try Self.film()
        let connection = try PublishConnection(
            PublishTarget(.rtsp, address: "rtsp://127.0.0.1:\(server.port)/live", shown: "rtsp://here"),
            streams: [film[0].format], origin: film[0].dts, limit: .milliseconds(300), clock: SystemClock(),
            stop: StopFlag())
        // Pictures of 300 KB, until nothing more fits in between.
        let padding = [UInt8](repeating: 7, count: 300_000)
        let error = #expect(throws: CampipeError.self) {
            for packet in film + film {
                try connection.write(packet.replacing(Bytes(packet.data.array + padding), format: packet.format))
            }
        }
        #expect(error?.kind == .timedOut && error?.message == "lost rtsp://here: no answer in 0.3 s")
    }

    @Test("another stream is one of other parameter sets, another size or another coding, seen at its keyframe")
    func streams() throws {
        let sets: [UInt8] = [0, 0, 0, 1, 0x67, 66, 0, 10, 0xF8, 0x41, 0xA2, 0, 0, 0, 1, 0x68, 0xCE, 0x38, 0x80]
        var format = PacketFormat(.h264, size: Size(16, 16), timebase: .rtpVideo)
        var stream = PublishedStream()
        func packet(_ bytes: [UInt8] = [0, 0, 0, 1, 0x65, 0x88], isKeyframe: Bool = true) -> Packet {
            Pictures.packet(bytes, format, isKeyframe: isKeyframe)
        }
        var answers: [Bool] = []
        func take(_ packet: Packet) { answers.append(stream.take(packet)) }
        // Without parameter sets there is nothing to announce.
        take(packet())
        #expect(stream.format == nil)
        format.parameterSets = Bytes(sets)
        take(packet())
        #expect(stream.format?.parameterSets == Bytes(sets))
        take(packet())
        format.rate = 12
        take(packet())
        #expect(answers == [false, false, false, false])
        answers = []
        format.parameterSets = Bytes([UInt8](sets.prefix(sets.count - 1)) + [0x81])
        take(packet(isKeyframe: false))
        take(packet())
        take(packet())
        format.size = Size(32, 16)
        take(packet())
        #expect(answers == [false, true, false, true])
        answers = []
        // In front of the picture, as transport streams have them.
        let inBand = [UInt8](sets.prefix(sets.count - 1)) + ([0x82, 0, 0, 0, 1, 0x65, 0x88] as [UInt8])
        take(packet(inBand))
        take(packet(inBand))
        #expect(answers == [true, false])
    }

    @Test("the times of a node count from its first packet ever")
    func origins() {
        let origins = PublishOrigins()
        #expect(origins.origin(of: "a", first: MediaTime(.seconds(5))) == MediaTime(.seconds(5)))
        #expect(origins.origin(of: "a", first: MediaTime(.seconds(9))) == MediaTime(.seconds(5)))
        #expect(origins.origin(of: "b", first: MediaTime(.seconds(9))) == MediaTime(.seconds(9)))
    }
}
