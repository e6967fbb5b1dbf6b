import CampipeHTTP
import CampipeKit
import CampipeRuntime
import Testing

@testable import CampipeApp

@Suite("A stream whose camera falls silent")
struct StalledStreamTests {
    /// A site with a viewer who has seen a live picture.
    private func watched(_ camera: CameraScript, _ target: String = "/front/stream") throws -> (WebSite, PartReader) {
        let site = try WebSite(camera: camera)
        let viewer = try site.get(target)
        #expect(try viewer.next().status == 200)
        #expect(site.until { site.openLinks() == 1 })
        site.pass(.milliseconds(200))
        #expect(try viewer.next().picture().luma > 190)
        return (site, viewer)
    }

    @Test("the last picture comes dimmed with its age, then NO SIGNAL at its size, then the picture: one connection")
    func stallAndBack() throws {
        let camera = try CameraScript()
        let (site, viewer) = try watched(camera)
        camera.isSending = false
        let silence = site.clock.now
        site.pass(.seconds(2))
        let dimmed = try viewer.next { $0.field("X-Campipe-State") != nil }
        #expect(dimmed.field("X-Campipe-State") == "stale")
        let age = try #require(dimmed.field("X-Age-Seconds").flatMap { Double($0) })
        #expect(age >= 2 && age < 2.2)
        let (size, luma) = try dimmed.picture()
        #expect(size == camera.size)
        #expect(luma > 60 && luma < 110)

        // Once a second, each with its own age, and decoded once.
        site.pass(.seconds(1))
        let second = try viewer.next()
        #expect(second.field("X-Age-Seconds").flatMap { Double($0) }.map { $0 >= 3 && $0 < 3.2 } == true)
        #expect(second.body != dimmed.body)
        site.pass(.seconds(1))
        #expect(try viewer.next().field("X-Campipe-State") == "stale")
        #expect(site.painter.decodeCount == 1)

        // A stall is 5 s; from then on there is no signal.
        site.pass(.seconds(2))
        let lost = try viewer.next { $0.field("X-Campipe-State") == "lost" }
        #expect(site.clock.now - silence <= .seconds(7))
        let absent = try lost.picture()
        #expect(absent.size == camera.size)
        #expect(absent.luma < 60)
        site.pass(.seconds(1))
        #expect(try viewer.next().field("X-Campipe-State") == "lost")

        camera.isSending = true
        site.pass(.seconds(12))
        let back = try viewer.next { $0.field("X-Campipe-State") == nil }
        #expect(back.body == camera.jpeg.array)
        #expect(site.server.counters.connections == 1)
        #expect(site.server.counters.accepted == 1)
    }

    @Test("a slow camera has three of its own intervals before its picture is dimmed")
    func slowCamera() throws {
        let camera = try CameraScript(interval: .seconds(2))
        let site = try WebSite(camera: camera)
        let viewer = try site.get("/front/stream")
        _ = try viewer.next()
        #expect(site.until { site.openLinks() == 1 })
        site.pass(.seconds(9))
        let before = site.painter.decodeCount
        camera.isSending = false
        site.pass(.seconds(2))
        camera.isSending = true
        site.pass(.seconds(2))
        // Four seconds without a picture, where a fast camera has two.
        #expect(site.painter.decodeCount == before)
        _ = viewer
    }

    @Test("a picture that stalls for less than two seconds is never dimmed")
    func shortStall() throws {
        let camera = try CameraScript()
        let (site, viewer) = try watched(camera)
        camera.isSending = false
        site.pass(.milliseconds(1700))
        camera.isSending = true
        site.pass(.milliseconds(300))
        #expect(try viewer.next().field("X-Campipe-State") == nil)
        #expect(site.painter.decodeCount == 0)
    }

    @Test("nothing is painted while nobody looks, and a viewer who comes to a lost camera is told at once")
    func nobody() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera)
        site.pass(.seconds(1))
        camera.isSending = false
        site.pass(.seconds(20))
        #expect(site.painter.decodeCount == 0)
        let viewer = try site.get("/front/stream")
        _ = try viewer.next()
        #expect(site.until { site.openLinks() == 1 })
        site.pass(.milliseconds(100))
        let part = try viewer.next()
        #expect(part.field("X-Campipe-State") == "lost")
    }

    @Test("a snapshot of a stalled camera is dimmed and says its age; of a lost one it is NO SIGNAL and a 503")
    func snapshots() throws {
        let camera = try CameraScript()
        let (site, viewer) = try watched(camera)
        camera.isSending = false
        site.pass(.seconds(3))
        let stale = try site.get("/front/snapshot?width=160")
        #expect(site.until { site.openLinks() == 2 })
        let asked = site.clock.now
        site.pass(.milliseconds(900))
        #expect(site.clock.now - asked < .seconds(1))
        let old = try stale.next()
        #expect(old.status == 200)
        #expect(old.field("X-Campipe-State") == "stale")
        #expect(old.field("Age") == "3")
        #expect(try old.picture().luma < 110)

        site.pass(.seconds(5))
        #expect(site.openLinks() == 1)
        let lost = try site.get("/front/snapshot?width=160")
        #expect(site.until { site.openLinks() == 2 })
        site.pass(.milliseconds(900))
        let none = try lost.next()
        #expect(none.status == 503)
        #expect(try none.picture().size == Size(160, 90))
        _ = viewer
    }

    @Test("a snapshot opens demand while nobody looks, and is fresh")
    func freshSnapshot() throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera)
        site.pass(.seconds(5))
        #expect(site.openLinks() == 0)
        let snapshot = try site.get("/front/snapshot")
        #expect(site.until { site.openLinks() == 1 })
        site.pass(.milliseconds(300))
        let answer = try snapshot.next()
        #expect(answer.status == 200)
        #expect(answer.field("Age") == "0")
        #expect(answer.body == camera.jpeg.array)
        site.pass(.seconds(3))
        #expect(site.openLinks() == 0)
    }
}
