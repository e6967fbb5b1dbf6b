import CampipeHTTP
import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeNodes

@Suite("Cameras")
struct CameraTests {
    private let registry = BuiltInNodes.registry

    @Test(
        "the URL says which node a camera is",
        arguments: [
            ("http://cam/video", Execution.pool, true), ("https://cam/video", .pool, true),
            ("demo://porch", .pool, true),
            ("file:clip.mp4", .ownThread, true), ("/srv/clip.mp4", .ownThread, true),
            ("FILE:///a.mp4", .ownThread, true),
        ])
    func resolution(_ url: String, _ execution: Execution, _ isLive: Bool) throws {
        let options: Value.ValueMap = ["url": .text(url)]
        let registration = try #require(registry.source("camera", for: options))
        let inspection = registration.inspect(options)
        #expect(inspection.faults.isEmpty)
        #expect(inspection.applies)
        #expect(registration.descriptor.execution == execution)
        #expect(inspection.isLive == isLive)
    }

    @Test(
        "what cannot be read is said, without the URL's password",
        arguments: [
            ("rtsp://u:pl4nted@cam/1", "come with a later release"),
            ("v4l2:///dev/video0", "come with a later release"),
            ("htp://u:pl4nted@cam", "there is no camera of the kind"), ("demo://poarch", "there is no demo scene"),
            ("demo://porch?fps=0", "out of range"), ("http://", "no http or https URL"),
        ])
    func faults(_ url: String, _ part: String) throws {
        let options: Value.ValueMap = ["url": .text(url)]
        let faults = try #require(registry.source("camera", for: options)).inspect(options).faults
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.sentence.contains(part) && $0.path == ["url"] })
        #expect(!"\(faults)".contains("pl4nted"))
    }

    @Test("the demo sends JPEGs of the size and rate asked for")
    func demo() throws {
        let options: Value.ValueMap = ["url": "demo://porch?width=160&height=96&fps=5"]
        let registration = try #require(registry.source("camera", for: options))
        let harness = try NodeHarness(registration, options: options, isLive: true)
        try harness.advance(by: .milliseconds(450))
        #expect(harness.packets.map { $0.captured - .zero } == [.zero, .milliseconds(200), .milliseconds(400)])
        let packet = try #require(harness.packets.first)
        #expect(try JPEGHeader(packet.data).size == Size(160, 96))
    }

    // MARK: Over HTTP

    /// A camera on loopback, and a source that reads it.
    private final class Site {
        let server: HTTPServer
        let fetcher: HTTPFetcher
        let address: ListenAddress
        let clock = ManualClock(now: .zero + .seconds(10))

        init() throws {
            server = try HTTPServer(clock: clock)
            fetcher = try HTTPFetcher()
            address = try server.listen(on: ListenAddress("127.0.0.1:0"))
        }

        deinit {
            fetcher.stop()
            server.stop()
        }

        func source(_ path: String, _ more: Value.ValueMap = [:]) throws -> NodeHarness {
            var services = Services()
            services.add(fetcher)
            var options = more
            options["url"] = .text("http://127.0.0.1:\(address.port)\(path)")
            return try NodeHarness(
                Registration(source: MJPEGSource.self), options: options, isLive: true, services: services, clock: clock
            )
        }
    }

    private static func jpeg(_ level: UInt8) throws -> Bytes {
        let frame = Pictures.frame(.yuv420, Size(64, 48)) { plane, _, _ in plane == 0 ? level : 128 }
        return try JPEGEncoder().encode(frame, quality: 80, pool: .shared)
    }

    @Test("pictures of an MJPEG stream come byte for byte, captured when they were there")
    func stream() throws {
        let site = try Site()
        let feed = site.server.makeFeed()
        try site.server.register("/video") { _, _ in .stream(feed) }
        let harness = try site.source("/video")
        let pictures = try [Self.jpeg(10), Self.jpeg(20)]
        #expect(
            eventually {
                feed.counters.viewersTotal > 0
                    || {
                        feed.publish(pictures[0], time: site.clock.wallTime); return false
                    }()
            })
        #expect(eventually { (try? harness.run(until: site.clock.now)) != nil && harness.packets.count >= 1 })
        site.clock.advance(by: .seconds(1))
        feed.publish(pictures[1], time: site.clock.wallTime)
        #expect(
            eventually { (try? harness.run(until: site.clock.now)) != nil && harness.packets.last?.data == pictures[1] }
        )
        let last = try #require(harness.packets.last)
        #expect(last.captured == site.clock.now)
        #expect(last.format.size == Size(64, 48))
        try harness.end()
    }

    @Test("a URL that answers with one JPEG is asked again and again")
    func still() throws {
        let site = try Site()
        let picture = try Self.jpeg(10)
        try site.server.register("/shot") { _, _ in .complete(.jpeg(picture)) }
        let harness = try site.source("/shot", ["every": "2s"])
        #expect(eventually { (try? harness.run(until: site.clock.now)) != nil && harness.packets.count == 1 })
        #expect(
            eventually {
                (try? harness.run(until: site.clock.now)) != nil && harness.next == .waitUntil(.zero + .seconds(12))
            })
        site.clock.advance(by: .seconds(2))
        #expect(eventually { (try? harness.run(until: site.clock.now)) != nil && harness.packets.count == 2 })
    }

    @Test(
        "what the camera refuses is thrown with its kind",
        arguments: [
            (404, CampipeError.Kind.notFound), (401, .unauthorized), (503, .unavailable),
        ])
    func refused(_ status: Int, _ kind: CampipeError.Kind) throws {
        let site = try Site()
        try site.server.register("/video") { _, _ in .complete(.text(status, "no")) }
        let harness = try site.source("/video")
        var thrown: CampipeError?
        _ = eventually {
            do { try harness.run(until: site.clock.now) } catch { thrown = error as? CampipeError }
            return thrown != nil
        }
        #expect(thrown?.kind == kind)
    }
}
