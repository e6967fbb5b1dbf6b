import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeApp

/// The built program, with a camera of H.264.
@Suite("H.264 through the program")
struct LiveProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Two seconds at ten a second, with a keyframe each second.
    private func film(_ name: String) throws -> String {
        let path = folder.url.appending(path: name).path(percentEncoded: false)
        let scene = DemoScene(.still, size: Size(160, 120))
        let first = scene.frame(at: .zero, rate: 10, captured: .zero, pool: .shared)
        let encoder = try VideoEncoder(first.format)
        var packets: [Packet] = []
        for index in 0..<20 {
            let time = Duration.milliseconds(index * 100)
            packets += try encoder.encode(
                scene.frame(at: time, rate: 10, captured: .zero + time, pool: .shared), pool: .shared)
        }
        packets += try encoder.drain()
        let muxer = try Muxer(.path(path), container: .mp4, streams: [encoder.format])
        for packet in packets { try muxer.write(packet) }
        try muxer.finish()
        return path
    }

    private func get(_ port: UInt16, _ path: String) throws -> [UInt8] {
        try #require(TestConnection(port, path)).read(1)
    }

    @Test("it goes to the browser as it is, and is decoded for nobody but who asks for pictures")
    func asItIs() throws {
        let file = try folder.file(
            "live.yaml",
            """
            version: 1
            sources: {cam: {type: file, path: "\(film("film.mp4"))", speed: realtime, loop: true}}
            sinks: {web: {type: http, input: cam, path: /cam}}
            """)
        let child = try Child(["run", file, "--listen", "127.0.0.1:0"])
        let port = try child.port()
        /// Packets that a decoder has taken.
        func decoded() throws -> Double {
            let metrics = try #require(TestConnection(port, "/metrics")).read(until: "campipe_process_open_fds ")
            let text = String(decoding: try #require(metrics), as: UTF8.self)
            let lines = text.split(separator: "\n").filter {
                $0.hasPrefix("campipe_link_taken_items_total") && $0.contains("decode")
            }
            return lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
        }
        let stream = try #require(TestConnection(port, "/cam/live.mp4"))
        let bytes = try #require(stream.read(until: "moof", times: 15))
        let head = try #require(TestConnection.starts(of: Array("\r\n\r\n".utf8), in: bytes).first)
        #expect(String(decoding: bytes[..<head], as: UTF8.self).contains("video/mp4; codecs=\"avc1."))
        let path = folder.url.appending(path: "live.mp4")
        // Up to the last fragment, which may have come in part.
        let last = try #require(TestConnection.starts(of: Array("moof".utf8), in: bytes).last) - 4
        try Data(bytes[(head + 4)..<last]).write(to: path)
        let reader = try MediaReader(path: path.path(percentEncoded: false))
        var packets: [Packet] = []
        while let packet = try reader.next() { packets.append(packet) }
        #expect(packets.count >= 14 && packets[0].isKeyframe && packets.count(where: \.isKeyframe) >= 2)
        #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.dts < $1.dts })
        #expect(try decoded() == 0)

        let list = try #require(TestConnection(port, "/cam/index.m3u8")).read(until: "#EXTINF")
        #expect(list != nil)
        #expect(try decoded() == 0)

        let pictures = try #require(TestConnection(port, "/cam/stream"))
        #expect(pictures.read(until: "image/jpeg", times: 3) != nil)
        #expect(try decoded() > 0)
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
    }
}
