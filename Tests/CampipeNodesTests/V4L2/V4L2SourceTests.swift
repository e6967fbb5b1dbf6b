import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

/// A camera of this machine that gives what it was given, and is gone then.
private final class PlayedCamera: CaptureDevice {
    let facts: CaptureFacts
    private var pictures: [CapturedPicture]

    init(_ facts: CaptureFacts, _ pictures: [CapturedPicture]) {
        self.facts = facts
        self.pictures = pictures.reversed()
    }

    func next(within limit: Duration) throws(CampipeError) -> CapturedPicture? {
        guard let picture = pictures.popLast() else { throw CampipeError(.unavailable, "it was unplugged") }
        return picture
    }
}

@Suite("Cameras of this machine")
struct V4L2SourceTests {
    private static func facts(_ layout: CaptureLayout, _ size: Size = Size(4, 2), row: Int? = nil) -> CaptureFacts {
        CaptureFacts(
            name: "played", layout: layout, size: size, bytesPerRow: row ?? layout.bytesPerRow(size.width), rate: 10)
    }

    private func play(
        _ options: Value.ValueMap, _ facts: CaptureFacts, _ pictures: [CapturedPicture]
    ) throws -> (harness: NodeHarness, asked: CaptureRequest?) {
        let asked = Lock<CaptureRequest?>(nil)
        var services = Services()
        services.add(
            CaptureDevices { request throws(CampipeError) in
                asked.withLock { $0 = request }
                return PlayedCamera(facts, pictures)
            })
        let registration = try #require(BuiltInNodes.registry.source("v4l2", for: options))
        let harness = try NodeHarness(
            registration, options: options, isLive: true, services: services,
            clock: ManualClock(now: .zero + .seconds(100)))
        #expect(throws: CampipeError.self) { try harness.run(until: harness.clock.now) }
        return (harness, asked.withLock { $0 })
    }

    private static func jpeg(_ size: Size = Size(16, 16)) throws -> [UInt8] {
        try JPEGEncoder().encode(Pictures.frame(.yuv420, size), quality: 80, pool: .shared).array
    }

    @Test("JPEGs come as they are; zeros behind them go, and what lacks its end is marked")
    func mjpeg() throws {
        let jpeg = try Self.jpeg()
        let cut = Array(jpeg.dropLast(2))
        let (harness, asked) = try play(
            ["device": "/dev/video3", "width": "640", "height": "480", "fps": "12.5"], Self.facts(.mjpeg),
            [
                CapturedPicture(Bytes(jpeg), sequence: 0),
                CapturedPicture(Bytes(jpeg + [UInt8](repeating: 0, count: 500)), sequence: 1),
                CapturedPicture(Bytes(cut), sequence: 2), CapturedPicture(Bytes(jpeg), sequence: 3, isDamaged: true),
                CapturedPicture(Bytes([1, 2, 3, 4, 5]), sequence: 4), CapturedPicture(Bytes([]), sequence: 5),
            ])
        #expect(harness.packets.map(\.data.array) == [jpeg, jpeg, cut, jpeg])
        #expect(harness.packets.map(\.isDamaged) == [false, false, true, true])
        #expect(harness.packets.allSatisfy { $0.format.size == Size(16, 16) && $0.format.rate == 10 })
        #expect(harness.missing == [.notJPEG: 1, .truncated: 1])
        #expect(
            asked
                == CaptureRequest(path: "/dev/video3", layout: .mjpeg, size: Size(640, 480), rate: 12.5))
        #expect(harness.logged.contains { $0.message == "the camera has no pictures of this size" })
    }

    @Test("what the driver counted and nobody got is counted as lost")
    func overrun() throws {
        let jpeg = Bytes(try Self.jpeg())
        let numbers: [UInt32] = [.max, 0, 4, 5, 3, 1_000_000]
        let (harness, _) = try play([:], Self.facts(.mjpeg), numbers.map { CapturedPicture(jpeg, sequence: $0) })
        #expect(harness.packets.count == numbers.count)
        #expect(harness.missing == [.overrun: 3])
    }

    @Test(
        "the driver's time counts where it is one of this clock, and never goes back",
        arguments: [
            ([99.0, 99.5], [99.0, 99.5]), ([99.5, 99.0], [99.5, 99.5]), ([nil, 97], [100, 100]), ([101], [100]),
        ] as [([Double?], [Double])])
    func times(said: [Double?], taken: [Double]) throws {
        let jpeg = Bytes(try Self.jpeg())
        let (harness, _) = try play(
            [:], Self.facts(.mjpeg),
            said.enumerated().map { index, time in
                CapturedPicture(jpeg, time: time.map { Int64($0 * 1e9) }, sequence: UInt32(index))
            })
        #expect(harness.packets.map(\.captured) == taken.map { .zero + .seconds($0) })
        #expect(harness.packets.map(\.pts.duration) == taken.map { .seconds($0) })
    }

    @Test("raw pictures become frames of their layout, whatever stands behind each row")
    func raw() throws {
        // Two rows of four pixels, and two bytes of padding behind each row.
        let yuyv: [UInt8] = [1, 51, 2, 91, 3, 52, 4, 92, 0, 0, 5, 53, 6, 93, 7, 54, 8, 94, 0, 0]
        let (packed, _) = try play(
            ["format": "yuyv"], Self.facts(.yuyv, row: 10),
            [CapturedPicture(Bytes(yuyv), sequence: 0), CapturedPicture(Bytes(yuyv.dropLast()), sequence: 1)])
        let frame = try #require(packed.frames.first)
        #expect(frame.pixel == .yuv422 && frame.format.range == .limited && frame.format.rate == 10)
        #expect(Self.plane(frame, 0) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(Self.plane(frame, 1) == [51, 52, 53, 54] && Self.plane(frame, 2) == [91, 92, 93, 94])
        #expect(packed.frames.count == 1 && packed.missing == [.truncated: 1])

        let nv12: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 51, 91, 52, 92]
        let (pairs, _) = try play(
            ["format": "nv12"], Self.facts(.nv12), [CapturedPicture(Bytes(nv12), sequence: 0)])
        #expect(pairs.frames.first.map { Self.plane($0, 1) } == [51, 91, 52, 92])

        let planar: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 51, 52, 91, 92]
        let (planes, _) = try play(
            ["format": "yuv420"], Self.facts(.yuv420), [CapturedPicture(Bytes(planar), sequence: 0)])
        #expect(planes.frames.first.map { [Self.plane($0, 1), Self.plane($0, 2)] } == [[51, 52], [91, 92]])

        let (grey, _) = try play(
            ["format": "gray"], Self.facts(.gray), [CapturedPicture(Bytes([1, 2, 3, 4, 5, 6, 7, 8]), sequence: 0)])
        #expect(grey.frames.first.map { Self.plane($0, 0) } == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("an odd width has the colour of the pair before at its last pixel")
    func odd() throws {
        let (harness, _) = try play(
            ["format": "yuyv"], Self.facts(.yuyv, Size(3, 1)),
            [CapturedPicture(Bytes([1, 51, 2, 91, 3, 52] as [UInt8]), sequence: 0)])
        let frame = try #require(harness.frames.first)
        #expect(Self.plane(frame, 0) == [1, 2, 3])
        #expect(Self.plane(frame, 1) == [51, 51] && Self.plane(frame, 2) == [91, 91])
    }

    private static func plane(_ frame: Frame, _ index: Int) -> [UInt8] {
        frame.withPlane(index) { base, plane in
            (0..<plane.height).flatMap { y in
                (0..<plane.width * plane.bytesPerPixel).map { base[y * plane.stride + $0] }
            }
        }
    }

    @Test(
        "a device's path, or a URL, says which camera and how",
        arguments: [
            ("v4l2:///dev/video0", "/dev/video0", nil, nil),
            ("V4L2:///dev/video2?width=1280&height=720&fps=30", "/dev/video2", Size(1280, 720), 30),
            ("/dev/video1", "/dev/video1", nil, nil), ("file:/dev/video1", "/dev/video1", nil, nil),
            ("v4l2:///dev/v4l/by-id/usb-x-index0?fps=5", "/dev/v4l/by-id/usb-x-index0", nil, 5),
        ] as [(String, String, Size?, Double?)])
    func address(_ url: String, _ device: String, _ size: Size?, _ fps: Double?) throws {
        let address = try V4L2Address(url)
        #expect(address.device == device && address.size == size && address.fps == fps)
        #expect(CameraScheme.scheme(of: url) == "v4l2")
        let options: Value.ValueMap = ["url": .text(url)]
        let registration = try #require(BuiltInNodes.registry.source("camera", for: options))
        #expect(registration.inspect(options).faults.isEmpty)
        #expect(registration.descriptor.execution == .ownThread && registration.inspect(options).isLive)
    }

    @Test(
        "what is wrong with the options is said",
        arguments: [
            (["width": "640"], "width does not go without height"),
            (["height": "480"], "height does not go without width"),
            (["device": "video0"], "this is no device's path"),
        ] as [(Value.ValueMap, String)])
    func faults(_ options: Value.ValueMap, _ sentence: String) throws {
        let registration = try #require(BuiltInNodes.registry.source("v4l2", for: options))
        #expect(registration.inspect(options).faults.map(\.sentence) == [sentence])
    }
}
