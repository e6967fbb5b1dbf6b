import CampipeHTTP
import CampipeKit
import CampipeRuntime
import Testing

@testable import CampipeApp

@Suite("Viewers who ask for other pictures")
struct VariantTests {
    @Test("a camera's JPEG passes unchanged, and a rate alone only thins it: nothing is decoded")
    func untouched() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera)
        let plain = try site.get("/front/stream")
        let thin = try site.get("/front/stream?fps=2")
        _ = try (plain.next(), thin.next())
        #expect(site.until { site.openLinks() == 2 })
        #expect(site.converters(.decode) == 0)
        site.pass(.seconds(5))
        #expect(try plain.next().body == camera.jpeg.array)
        #expect(try thin.next().body == camera.jpeg.array)
        let rates = site.pipeline.plan.links.filter { $0.key.to == .explicit("web0") }.map(\.maxRate)
        #expect(Set(rates) == [nil, 2])
    }

    @Test("equal requests share one encode, whatever their spelling; it goes when the last of them has gone")
    func shared() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera)
        do {
            let viewers = try ["width=300", "width=320&quality=90", "fps=30&width=310"].map {
                try site.get("/front/stream?\($0)")
            }
            for viewer in viewers { _ = try viewer.next() }
            #expect(site.until { site.openLinks() == 2 })
            #expect(site.converters(.encode) == 1)
            site.pass(.seconds(1))
            for viewer in viewers { #expect(try viewer.next().picture().size == Size(320, 180)) }
        }
        #expect(site.until { site.server.counters.connections == 0 })
        site.pass(.seconds(3))
        #expect(site.converters(.encode) == 0)
        #expect(site.openLinks() == 0)
    }

    @Test("a quality below the sink's makes a smaller JPEG of a camera's; one above changes nothing")
    func quality() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera)
        let coarse = try site.get("/front/stream?quality=20")
        let fine = try site.get("/front/stream?quality=95")
        _ = try (coarse.next(), fine.next())
        #expect(site.until { site.openLinks() == 2 })
        site.pass(.seconds(1))
        #expect(try fine.next().body == camera.jpeg.array)
        #expect(try coarse.next().body.count < camera.jpeg.count)
        #expect(site.converters(.encode) == 1)
    }

    @Test("the sink's own options are the limits of what viewers may ask")
    func limits() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera, sinks: [["path": "/front", "width": "320", "fps": "5"]])
        let viewer = try site.get("/front/stream?width=1920&fps=30")
        _ = try viewer.next()
        #expect(site.until { site.openLinks() == 1 })
        site.pass(.seconds(1))
        #expect(try viewer.next().picture().size == Size(320, 180))
        #expect(site.pipeline.plan.links.compactMap(\.maxRate) == [5])
    }

    @Test("beyond max_variants the next viewer gets the nearest picture there is")
    func variants() throws {
        let camera = try CameraScript(size: Size(1280, 720))
        let site = try WebSite(camera: camera, sinks: [["path": "/front", "max_variants": "2"]])
        var viewers: [PartReader] = []
        for width in [160, 640, 320] {
            viewers.append(try site.get("/front/stream?width=\(width)"))
            #expect(site.until { site.openLinks() == viewers.count })
        }
        for viewer in viewers { #expect(try viewer.next().status == 200) }
        #expect(site.converters(.encode) == 2)
        site.pass(.seconds(1))
        #expect(try viewers.map { try $0.next().picture().size.width } == [160, 640, 640])
    }

    @Test(
        "what cannot be asked for is refused with what can",
        arguments: ["stream", "snapshot"],
        [
            ("width=wide", "width cannot be \"wide\": it takes a whole number of pixels from 16 to 16384"),
            ("width=0", "from 16 to 16384"), ("fps=-1", "pictures a second from 0.1 to 1000"), ("fps=nan", "0.1 to"),
            ("quality=101", "a whole number from 1 to 100"), ("quality=", "a whole number from 1 to 100"),
        ])
    func refusals(_ name: String, _ query: (String, String)) throws {
        let site = try WebSite(camera: try CameraScript())
        let answer = try site.get("/front/\(name)?\(query.0)").next()
        #expect(answer.status == 400)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(query.1))
    }

    @Test("all streams come over one connection, each part with its stream's name, small if asked for")
    func multiplexed() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera, sinks: (0..<16).map { ["path": .plain("/cam\($0)")] })
        let viewer = try site.get("/stream/all?width=320&fps=5")
        #expect(try viewer.next().status == 200)
        #expect(site.until { (0..<16).allSatisfy { site.openLinks(to: "web\($0)") == 1 } })
        #expect(site.converters(.encode) == 1)
        site.pass(.milliseconds(300))
        var seen: Set<String> = []
        while seen.count < 16 {
            let part = try viewer.next()
            seen.insert(try #require(part.field("X-Stream")))
            #expect(try part.picture().size == Size(320, 180))
        }
        let one = try site.get("/stream/all?path=/cam3")
        _ = try one.next()
        #expect(site.until { site.openLinks(to: "web3") == 2 })
        site.pass(.milliseconds(300))
        #expect(try one.next().field("X-Stream") == "/cam3")
    }

    @Test("a sink takes so many viewers as it says, and tells the next to come back")
    func maxViewers() throws {
        let site = try WebSite(camera: try CameraScript(), sinks: [["path": "/front", "max_viewers": "2"]])
        let viewers = try ["", "?width=160"].map { try site.get("/front/stream\($0)") }
        for viewer in viewers { #expect(try viewer.next().status == 200) }
        let third = try site.get("/front/stream").next()
        #expect(third.status == 503)
        #expect(third.field("Retry-After") == "5")
    }
}
