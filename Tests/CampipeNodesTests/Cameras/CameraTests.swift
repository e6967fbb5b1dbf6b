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
            ("demo://porch", .pool, true), ("rtsp://cam/1", .pool, true), ("RTSPS://u:p@cam:322/1?a=b", .pool, true),
            ("file:clip.mp4", .ownThread, true), ("/srv/clip.mp4", .ownThread, true),
            ("FILE:///a.mp4", .ownThread, true), ("clip.mp4", .ownThread, true), ("shots", .ownThread, true),
            ("clips.old/2026.01.01/a.MJPEG", .ownThread, true), ("./192.168.1.20", .ownThread, true),
            ("v4l2:///dev/video0", .ownThread, true), ("/dev/video0", .ownThread, true),
            ("shots/*.jpg", .ownThread, true), ("file:192.168.1.20", .ownThread, true),
            ("file:8080", .ownThread, true), ("nights@home/a.mp4", .ownThread, true),
            ("http://[fe80::1]:8080/video", .pool, true), ("http://cam:/video", .pool, true),
        ])
    func resolution(_ url: String, _ execution: Execution, _ isLive: Bool) throws {
        let options: Value.ValueMap = ["url": .text(url)]
        let registration = try #require(registry.source("camera", for: options))
        let inspection = registration.inspect(options)
        #expect(inspection.faults.allSatisfy { $0.code == .missingFile })
        #expect(inspection.applies)
        #expect(registration.descriptor.execution == execution)
        #expect(inspection.isLive == isLive)
    }

    @Test(
        "what cannot be read is said, without the URL's password",
        arguments: [
            ("rtsp://u:pl4nted@/1", "the URL has no host"), ("rtsp://u:pl4nted@cam:0/1", "the port of the URL is none"),
            ("rtsps://u:pl4nted@cam:x/1", "the port of the URL is none"),
            ("v4l2://video0", "the URL names no device"), ("v4l2:///dev/video0?size=3", "unknown setting \"size\""),
            ("v4l2:///dev/video0?fps=0", "out of range"), ("v4l2:///dev/video0?width=640", "go together"),
            ("htp://u:pl4nted@cam", "there is no camera of the kind"), ("demo://poarch", "there is no demo scene"),
            ("demo://porch?fps=0", "out of range"), ("http://", "no http or https URL"),
            ("192.168.1.20", "looks like a host"), ("192.168.1.20/video", "looks like a host"),
            ("192.168.1.20/snap.jpg", "looks like a host"), ("192.168.1.20:8080/video", "looks like a host"),
            ("u:pl4nted@cam/video", "\"cam\" looks like a host"), ("cam.local/video", "looks like a host"),
            ("cam.local/video?pw=pl4nted", "looks like a host"), ("localhost:8080/stream", "looks like a host"),
            ("http://u:pl4nted@", "the URL has no host"), ("http:///video", "the URL has no host"),
            ("http://u:pl4nted@:80/video", "the URL has no host"), ("http://cam:0/", "port 0 of the URL is out of"),
            ("http://u:pl4nted@cam:65536/video", "port 65536 of the URL is out of range"),
            ("http://[fe80::1]:70000/", "port 70000"), ("https://cam:http/", "the port of the URL is no number"),
        ])
    func faults(_ url: String, _ part: String) throws {
        let options: Value.ValueMap = ["url": .text(url)]
        let faults = try #require(registry.source("camera", for: options)).inspect(options).faults
        #expect(faults.count == 1)
        #expect(faults.allSatisfy { $0.sentence.contains(part) && $0.path == ["url"] })
        #expect(!"\(faults)".contains("pl4nted"))
    }

    @Test(
        "mjpeg too points at a URL without a scheme, a host or a port",
        arguments: [
            ("192.168.1.20/video", "write http://192.168.1.20/video, or file:PATH for a file"),
            ("u:pl4nted@cam.local", "write http://cam.local/, or file:PATH for a file"),
            ("http://cam:99999/", "accepted: 1…65535"), ("http://u:pl4nted@/", "write http://192.168.1.20/video"),
            ("clip.mp4", "write it as http://host/path"),
        ])
    func mjpegFaults(_ url: String, _ fix: String) {
        let faults = Registration(source: MJPEGSource.self).inspect(["url": .text(url)]).faults
        #expect(faults.map(\.fix) == [fix])
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
        try site.server.register("/video", access: .open) { _, _ in .stream(feed) }
        let harness = try site.source("/video")
        let pictures = try [Self.jpeg(10), Self.jpeg(20)]
        #expect(eventually { feed.counters.viewersTotal > 0 })
        feed.publish(pictures[0], time: site.clock.wallTime)
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

    @Test("the thread that reads a camera is lent to the source's turn")
    func lentThread() throws {
        let site = try Site()
        let picture = try Self.jpeg(10)
        try site.server.register("/shot", access: .open) { _, _ in .complete(.jpeg(picture)) }
        var services = Services()
        services.add(site.fetcher)
        let options: Value.ValueMap = ["url": .text("http://127.0.0.1:\(site.address.port)/shot")]
        let box = Registration(source: MJPEGSource.self).make(options)
        let lent = Lock(false)
        let waker = Waker({ Issue.record("woken without") }, here: { lent.withLock { $0 = true } })
        try box.open(
            Context(id: "cam", isLive: true, clock: site.clock, log: .silent, waker: waker, services: services))
        #expect(eventually { lent.withLock(\.self) })
        try box.finish()
    }

    @Test("refused pictures are counted gaps, and said at once and then once a second with their reasons")
    func refusedPictures() throws {
        let site = try Site()
        let picture = try Self.jpeg(10).array
        func part(_ body: [UInt8], type: String = "image/jpeg") -> [UInt8] {
            Array("--b\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
                + Array("\r\n".utf8)
        }
        let notJPEG = [UInt8](repeating: 7, count: 100)
        let body =
            part(picture) + part(notJPEG) + part(notJPEG) + part(notJPEG, type: "text/html") + part(picture)
        try site.server.register("/video", access: .open) { _, _ in
            .complete(
                HTTPResponse(200, headers: ["Content-Type": "multipart/x-mixed-replace; boundary=b"], body: Bytes(body))
            )
        }
        let harness = try site.source("/video")
        func gaps() -> Int {
            harness.emissions().reduce(0) { sum, emission in
                if case .gap(let gap) = emission { sum + gap.count } else { sum }
            }
        }
        _ = eventually {
            do { try harness.run(until: site.clock.now) } catch { return true }
            return false
        }
        #expect(harness.packets.count == 2)
        #expect(gaps() == 3)
        let said = harness.logged.filter { $0.message == "pictures refused" }
        #expect(said.map(\.level) == [.warning])
        #expect(said.first?.facts.map(\.value).suffix(2) == ["2", "not_jpeg"])
    }

    @Test("a part that is no picture is refused by the word that the metrics have")
    func refusedPart() throws {
        let site = try Site()
        let picture = try Self.jpeg(10).array
        let body =
            Array("--b\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nhtml\r\n".utf8)
            + Array("--b\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n".utf8) + picture
        try site.server.register("/video", access: .open) { _, _ in
            .complete(
                HTTPResponse(200, headers: ["Content-Type": "multipart/x-mixed-replace; boundary=b"], body: Bytes(body))
            )
        }
        let harness = try site.source("/video")
        _ = eventually {
            do { try harness.run(until: site.clock.now) } catch { return true }
            return false
        }
        let said = harness.logged.filter { $0.message == "pictures refused" }
        #expect(said.map { $0.facts.last?.value } == ["not_jpeg"])
    }

    @Test("a picture that the connection's end cuts is a counted gap, and told by the loss alone")
    func cutPicture() throws {
        let site = try Site()
        let picture = try Self.jpeg(10).array
        let head = Array("--b\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n".utf8)
        let body = head + picture + Array("\r\n".utf8) + head + picture.dropLast(100)
        try site.server.register("/video", access: .open) { _, _ in
            .complete(
                HTTPResponse(200, headers: ["Content-Type": "multipart/x-mixed-replace; boundary=b"], body: Bytes(body))
            )
        }
        let harness = try site.source("/video")
        _ = eventually {
            do { try harness.run(until: site.clock.now) } catch { return true }
            return false
        }
        #expect(harness.packets.count == 1)
        let gaps = harness.emissions().compactMap { emission -> Gap? in
            if case .gap(let gap) = emission { gap } else { nil }
        }
        #expect(gaps.map(\.reasons) == [DropReasons(.truncated)])
        #expect(!harness.logged.contains { $0.level >= .warning }, "\(harness.logged.map(\.message))")
    }

    @Test("a note of refusals gathers what happened since it was last said")
    func refusalNote() {
        var note = RefusalNote()
        #expect(note.happened("truncated", at: .zero)?.count == 1)
        #expect(note.happened("too_large", at: .zero + .milliseconds(10)) == nil)
        #expect(note.happened("not_jpeg", at: .zero + .milliseconds(999)) == nil)
        let said = note.happened("too_large", at: .zero + .seconds(1))
        #expect(said?.count == 3)
        #expect(said?.reasons == "not_jpeg, too_large")
    }

    @Test("a URL that answers with one JPEG is asked again and again")
    func still() throws {
        let site = try Site()
        let picture = try Self.jpeg(10)
        try site.server.register("/shot", access: .open) { _, _ in .complete(.jpeg(picture)) }
        let harness = try site.source("/shot", ["every": "2s"])
        #expect(eventually { (try? harness.run(until: site.clock.now)) != nil && harness.packets.count == 1 })
        let isAskedAgain = eventually {
            site.clock.advance(by: .milliseconds(100))
            return (try? harness.run(until: site.clock.now)) != nil && harness.packets.count == 2
        }
        #expect(isAskedAgain)
        let captured = harness.packets.map(\.captured)
        #expect(captured.count == 2 && captured[1] - captured[0] >= .milliseconds(1900), "\(captured)")
    }

    @Test(
        "what the camera refuses is thrown with its kind",
        arguments: [
            (404, CampipeError.Kind.notFound), (401, .unauthorized), (503, .unavailable),
        ])
    func refused(_ status: Int, _ kind: CampipeError.Kind) throws {
        let site = try Site()
        try site.server.register("/video", access: .open) { _, _ in .complete(.text(status, "no")) }
        let harness = try site.source("/video")
        var thrown: CampipeError?
        _ = eventually {
            do { try harness.run(until: site.clock.now) } catch { thrown = error as? CampipeError }
            return thrown != nil
        }
        #expect(thrown?.kind == kind)
    }
}
