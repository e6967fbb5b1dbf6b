import CampipeKit
import CampipeMedia
import CampipeRuntime
import Foundation
import Testing

@testable import CampipeApp

/// Real pipelines from bright pictures into every output there is: what `privacy` covers is in none of them.
@Suite("What privacy covers is nowhere", .serialized)
struct PrivacyOutputTests {
    enum Camera: String, CaseIterable, Sendable {
        /// Frames.
        case generated
        /// JPEGs, which would pass unchanged.
        case jpeg
        /// H.264, played as a camera would send it.
        case interCoded
    }

    /// What a camera might write beside the picture, such as the thumbnail of an EXIF header.
    private static let planted = "PLANTED THUMBNAIL"
    private static let size = Size(320, 240)
    private static let endOfImage: [UInt8] = [0xFF, 0xD9]

    private let folder: TemporaryFolder
    private var root: String { folder.url.path(percentEncoded: false) + "/" }

    init() throws { folder = try TemporaryFolder() }

    @Test("no output shows a covered pixel", arguments: Camera.allCases)
    func outputs(camera: Camera) throws {
        let source = try source(camera)
        let running = try run(
            """
            version: 1
            server: {listen: "127.0.0.1:0"}
            sources:
              front: {\(source), privacy: [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]}
            transforms:
              coded: {type: encode, input: front}
              watch: {type: motion, input: front, sensitivity: high, event_gap: 1s}
              stamp: {type: overlay, input: front, text: "{source}", position: bottom_right, events: [watch], draw: [boxes]}
              same: {type: identity, input: front}
              turn: {type: rotate, input: front, flip: vertical}
              some: {type: sample, input: front, max_fps: 10}
            sinks:
              web: {type: http, input: front, path: /front}
              seen: {type: http, input: watch, path: /watch}
              small: {type: http, input: same, path: /small, width: 160}
              stamped: {type: http, input: stamp, path: /stamp}
              back: {type: file, input: front, path: "\(root)out/back.mjpeg"}
              each: {type: file, input: front, path: "\(root)out/each-%f.jpg", every: 500ms}
              clip: {type: file, input: front, path: "\(root)out/clip.mp4"}
              rolled: {type: file, input: front, path: "\(root)out/rolled-%f.mjpeg", when: watch, pre_roll: 3s}
              items: {type: log, input: front, format: json}
              turned: {type: http, input: turn, path: /turn}
              few: {type: file, input: some, path: "\(root)out/some.mjpeg"}
              view: {type: http, input: watch.debug, path: /debug}
              packets: {type: log, input: coded, format: json}
              events: {type: log, input: watch.events, format: json}
              screen: {type: terminal, input: front, graphics: ascii}
            """)

        let port = try running.port()
        for path in ["front", "watch", "small", "stamp", "turn"] {
            try expectCovered(jpegs: live(port, "/\(path)/stream", 4), path, atLeast: 4)
            try expectCovered(jpegs: live(port, "/\(path)/snapshot", 1), "snapshot of \(path)", atLeast: 1)
        }
        try expectCovered(jpegs: live(port, "/stream/all?path=/front", 4), "the index", atLeast: 4)
        // The debug view has the picture and the background above, in both of which the left half is covered.
        try expectCovered(
            jpegs: live(port, "/debug/stream", 3), "motion's debug view", atLeast: 3, tiles: 2)
        if camera != .generated {
            #expect(RunningPipeline.wait { running.lines.withLock { $0.contains { $0.contains("motion_started") } } })
        }
        #expect(RunningPipeline.wait { names("each-").count >= 2 && running.screen.withLock { !$0.isEmpty } })
        let front = try #require(running.pipeline.snapshot.nodes.first { $0.id == "front" })
        #expect(front.contract == .source && front.state.state == .running)
        expectCovered(screen: running.screen.withLock { $0 })
        #expect(try #require(running.end()).isClean)

        try expectCovered(jpegs: bytes("back.mjpeg"), "back.mjpeg", atLeast: 4)
        try expectCovered(jpegs: bytes("some.mjpeg"), "some.mjpeg", atLeast: 2)
        for name in names("each-") { try expectCovered(jpegs: bytes(name), name, atLeast: 1) }
        if camera != .generated { #expect(!names("rolled-").isEmpty) }
        for name in names("rolled-") { try expectCovered(jpegs: bytes(name), name, atLeast: 1) }
        try expectCovered(video: "\(root)out/clip.mp4")
        let lines = running.lines.withLock { $0 }
        #expect(lines.contains { $0.contains("\"source\":\"front\"") })
        #expect(!lines.contains { $0.contains("mask(") || $0.contains(Self.planted) })
    }

    // MARK: - Sources

    /// The keys of a source of bright pictures.
    private func source(_ camera: Camera) throws -> String {
        if camera == .generated {
            return "type: test_pattern, scene: bars, width: \(Self.size.width), height: \(Self.size.height), fps: 20"
        }
        let pictures = folder.url.appending(path: "in")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        for number in 0..<40 {
            let name = String(number + 100) + ".jpg"
            try Data(jpeg(number)).write(to: pictures.appending(path: name))
        }
        if camera == .jpeg { return "type: file, path: \"\(root)in\", fps: 20, speed: realtime, loop: true" }
        let making = try run(
            """
            version: 1
            sources: {made: {type: file, path: "\(root)in", fps: 20}}
            sinks: {out: {type: file, input: made, path: "\(root)in.mp4"}}
            """)
        #expect(try #require(making.end(stopping: false)).isClean)
        return "type: file, path: \"\(root)in.mp4\", speed: realtime, loop: true"
    }

    /// White, with a dark square that walks over the right half, and a text that is no part of the picture.
    private func jpeg(_ number: Int) throws -> [UInt8] {
        let buffer = FramePool.shared.buffer(.yuv420, Self.size)
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { base, plane in
                for y in 0..<plane.height {
                    for x in 0..<plane.width { base[y * plane.stride + x] = index == 0 ? 255 : 128 }
                }
                guard index == 0, number >= 10 else { return }
                for y in 80..<160 { for x in 0..<60 { base[y * plane.stride + 180 + number * 2 + x] = 20 } }
            }
        }
        let frame = Frame(buffer, captured: .zero, pts: MediaTime(.zero))
        let plain = try JPEGEncoder().encode(frame, quality: 90, pool: .shared).array
        let comment = Array(Self.planted.utf8)
        return plain[..<2] + [0xFF, 0xFE, 0, UInt8(comment.count + 2)] + comment + plain[2...]
    }

    private func run(_ text: String) throws -> RunningPipeline {
        try RunningPipeline(folder.file("\(UUID().uuidString).yaml", text))
    }

    // MARK: - What came out

    /// So many pictures of a stream, or a snapshot, each with its head; what is painted while no picture comes in time
    /// on a busy machine is passed over.
    private func live(_ port: UInt16, _ path: String, _ count: Int) throws -> [UInt8] {
        var found: [[UInt8]] = []
        for _ in 0..<100 where found.count < count {
            let connection = try #require(TestConnection(port, path))
            var bytes: [UInt8] = []
            for _ in 0..<(path.hasSuffix("/snapshot") ? 1 : 100) where found.count < count {
                guard let more = connection.read(until: Self.endOfImage) else { break }
                bytes += more
                var starts = TestConnection.starts(of: Array("Content-Type: image/jpeg".utf8), in: bytes)
                starts.append(bytes.count)
                let parts = zip(starts, starts.dropFirst()).map { Array(bytes[$0..<$1]) }
                found = parts.filter { part in
                    let head = Array(part.prefix(400))
                    let isLive = TestConnection.count("X-Campipe-State: live", in: head) > 0
                    return TestConnection.starts(of: Self.endOfImage, in: part).count > 0
                        && (isLive || TestConnection.count("X-Campipe-State", in: head) == 0)
                }
            }
        }
        return found.flatMap { $0 }
    }

    private func names(_ prefix: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)out")) ?? []
        return all.filter { $0.hasPrefix(prefix) }
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.url.appending(path: "out/\(name)")))
    }

    /// Decodes what stands between starts and ends of images, the first and the last dozen of them.
    private func expectCovered(jpegs bytes: [UInt8], _ name: String, atLeast: Int, tiles: Int = 1) throws {
        var starts: [Int] = []
        var pictures: [[UInt8]] = []
        bytes.withUnsafeBufferPointer { bytes in
            for index in 0..<max(0, bytes.count - 1) where bytes[index] == 0xFF {
                if bytes[index + 1] == 0xD8 { starts.append(index) }
                if bytes[index + 1] == 0xD9, let start = starts.last, pictures.count < starts.count {
                    pictures.append(Array(bytes[start..<(index + 2)]))
                }
            }
        }
        #expect(pictures.count >= atLeast, "\(name)")
        #expect(pictures.allSatisfy { TestConnection.count(Self.planted, in: Array($0.prefix(1000))) == 0 }, "\(name)")
        let looked = pictures.count <= 24 ? pictures : pictures.prefix(12) + pictures.suffix(12)
        let pixels = try looked.map { try JPEGDecoder().decode(Bytes($0), pool: .shared).pixels }
        expectCovered(pixels, name, tiles: tiles)
    }

    private func expectCovered(video path: String) throws {
        let reader = try MediaReader(path: path)
        var decoder: VideoDecoder?
        var frames: [Frame] = []
        while let packet = try reader.next(), frames.count < 40 {
            let made = try decoder ?? VideoDecoder(packet.format)
            decoder = made
            frames += try made.decode(packet, pool: .shared)
        }
        frames += try decoder?.drain(pool: .shared) ?? []
        #expect(frames.count >= 4)
        expectCovered(frames.map(\.pixels), path)
    }

    /// The left half is dark but for what coding smears over its edge; the right one is there, and bright.
    ///
    /// - Parameter tiles: How many pictures there are beside one another, and below one another others that are not
    ///   looked at.
    private func expectCovered(_ pictures: [PixelBuffer], _ name: String, tiles: Int = 1) {
        var (left, right) = (UInt8.min, UInt8.max)
        for pixels in pictures {
            var brightest = UInt8.min
            pixels.withPlane(0) { base, plane in
                let width = plane.width / tiles
                let (middle, edge) = (width / 2, width / 20)
                for y in 0..<plane.height / tiles {
                    for start in stride(from: 0, to: width * tiles, by: width) {
                        let row = y * plane.stride + start
                        for x in 0..<(middle - edge) { left = max(left, base[row + x]) }
                        for x in (middle + edge)..<width { brightest = max(brightest, base[row + x]) }
                    }
                }
            }
            right = min(right, brightest)
        }
        #expect(left < 40 && right > 70, "\(name): \(left) on the left, \(right) on the right")
    }

    /// Blanks on the left, and letters on the right.
    private func expectCovered(screen bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self).replacing(/\u{1b}\[[0-9;?]*[A-Za-z]/, with: "")
        let rows = text.split(whereSeparator: \.isNewline).map(Array.init).filter { $0.count > 8 }
        #expect(rows.count > 4)
        #expect(rows.allSatisfy { row in row.prefix(row.count / 2 - 1).allSatisfy { $0 == " " } }, "\(text)")
        #expect(rows.contains { $0.suffix($0.count / 2 - 1).contains { $0 != " " } }, "\(text)")
    }
}
