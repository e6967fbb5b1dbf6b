import CampipeKit
import CampipeMedia
import Foundation
import Testing

@testable import CampipeApp

/// The built program with a camera of the kernel's: a shim in front of the C library plays it.
@Suite("A camera of this machine, through the program", .serialized)
struct V4L2ProgramTests {
    private let folder: TemporaryFolder
    private static let device = "/dev/video9"

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path(percentEncoded: false) }

    /// The shim, and what it is to play.
    private func surroundings(_ pictures: [[UInt8]], _ more: [String: String] = [:]) throws -> [String: String] {
        let compiler = try #require(
            ["/opt/swift/usr/bin/clang", "/usr/bin/clang", "/usr/bin/cc"].first {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        let fixtures = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        let process = Process()
        process.executableURL = URL(filePath: compiler)
        process.arguments = [
            "-shared", "-fPIC", "-O1", "-o", path("fake.so"),
            fixtures.appending(path: "V4L2/fake-v4l2.c").path(percentEncoded: false),
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        try Data(pictures.joined()).write(to: URL(filePath: path("pictures")))
        return [
            "LD_PRELOAD": path("fake.so"), "FAKE_V4L2_DEVICE": Self.device, "FAKE_V4L2_FILE": path("pictures"),
            "FAKE_V4L2_BYTES": "\(pictures[0].count)", "FAKE_V4L2_SIZE": "64x48",
        ].merging(more) { $1 }
    }

    private func frame(_ luma: UInt8) -> Frame {
        let buffer = FramePool.shared.buffer(.yuv420, Size(64, 48))
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { base, plane in
                for at in 0..<(plane.stride * plane.height) { base[at] = index == 0 ? luma : 128 }
            }
        }
        return Frame(buffer, captured: .zero, pts: MediaTime(.zero))
    }

    private func file(_ source: String) throws -> String {
        try folder.file(
            "pipeline.yaml",
            """
            version: 1
            sources: {cam: \(source)}
            sinks:
              lines: {type: log, input: cam, format: json}
              clip:  {type: file, input: cam, path: "\(path("clip.mjpeg"))"}
            """)
    }

    private func lines(_ child: Child, _ text: String) -> Int {
        child.output.components(separatedBy: text).count - 1
    }

    @Test("its JPEGs come as they are, without the zeros behind them", arguments: ["camera", "v4l2"])
    func mjpeg(type: String) throws {
        let jpeg = try JPEGEncoder().encode(frame(90), quality: 80, pool: .shared).array
        let source =
            type == "camera"
            ? "{type: camera, url: \"v4l2://\(Self.device)\"}" : "{type: v4l2, device: \(Self.device), fps: 20}"
        let child = try Child(
            ["run", try file(source), "--no-screen"],
            environment: try surroundings([jpeg], ["FAKE_V4L2_PADDING": "1000"]))
        #expect(child.wait { self.lines($0, "\"coding\":\"jpeg\"") >= 20 }, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
        #expect(child.output.contains("\"size\":\"64x48\"") || child.output.contains("64"), "\(child.output)")
        let clip = Array(try Data(contentsOf: URL(filePath: path("clip.mjpeg"))))
        #expect(clip.count >= jpeg.count * 20 && clip.count % jpeg.count == 0)
        #expect(Array(clip.prefix(jpeg.count)) == jpeg)
    }

    @Test("its raw pictures become frames")
    func raw() throws {
        // Luma 200, no colour.
        let picture = [UInt8]((0..<(64 * 48 * 2)).map { $0 % 2 == 0 ? 200 : 128 })
        let child = try Child(
            ["run", try file("{type: v4l2, device: \(Self.device), format: yuyv}"), "--no-screen"],
            environment: try surroundings([picture], ["FAKE_V4L2_FORMAT": "YUYV"]))
        #expect(child.wait { self.lines($0, "\n") >= 10 }, "\(child.error)")
        child.signal(15)
        #expect(child.wait() == 0, "\(child.error)")
        let reader = try MediaReader(path: path("clip.mjpeg"))
        let packet = try #require(try reader.next())
        let decoded = try JPEGDecoder().decode(packet, maxWidth: nil, lumaOnly: true, pool: .shared)
        #expect(decoded.size == Size(64, 48))
        // 200 of limited range in full range.
        let luma = decoded.withPlane(0) { base, plane in base[plane.stride * 10 + 10] }
        #expect(abs(Int(luma) - 214) <= 3, "\(luma)")
    }

    @Test("one that is unplugged is lost, and found when it is there again")
    func unplugged() throws {
        let jpeg = try JPEGEncoder().encode(frame(90), quality: 80, pool: .shared).array
        let child = try Child(
            ["run", try file("{type: v4l2, device: \(Self.device)}"), "--no-screen", "--log-format", "json"],
            environment: try surroundings([jpeg], ["FAKE_V4L2_UNPLUG": "10"]))
        #expect(child.wait { self.lines($0, "\"coding\":\"jpeg\"") >= 15 }, "\(child.error)")
        child.signal(15)
        #expect(child.wait() != nil)
        #expect(child.error.contains("lost /dev/video9: it was unplugged"), "\(child.error)")
    }

    @Test("what cannot be had of it is said, with what it has", arguments: [true, false])
    func refused(isThere: Bool) throws {
        var environment = try surroundings([[UInt8](repeating: 0, count: 64 * 48 * 2)], ["FAKE_V4L2_FORMAT": "YUYV"])
        if !isThere { environment["FAKE_V4L2_DEVICE"] = "/dev/another" }
        let child = try Child(
            ["run", try file("{type: v4l2, device: \(Self.device)}"), "--no-screen", "--duration", "1s"],
            environment: environment)
        #expect(child.wait() == 1)
        #expect(
            child.error.contains(
                isThere
                    ? "/dev/video9 gives no MJPG; it has YUYV; write {type: v4l2, device: /dev/video9, format: yuyv}"
                    : "cannot open /dev/video9: there is no such camera"), "\(child.error)")
    }
}
