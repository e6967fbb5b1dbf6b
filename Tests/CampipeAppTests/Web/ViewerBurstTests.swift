import CampipeHTTP
import CampipeKit
import CampipeRuntime
import Testing

@testable import CampipeApp

@Suite("Viewers who connect and leave at once")
struct ViewerBurstTests {
    /// Connects, asks, and leaves without a look.
    private static func rush(_ port: UInt16, _ target: String, reset: Bool) throws {
        let client = try PartReader(port: port, target)
        if reset { client.resets() }
    }

    @Test(
        "hundreds of them leave the graph as it was, and who comes then gets every picture",
        arguments: [["/front/stream"], ["/front/stream?width=320&fps=5"], ["/front/snapshot?width=160"]])
    func burst(_ targets: [String]) throws {
        let camera = try CameraScript()
        let site = try WebSite(camera: camera)
        site.pass(.seconds(1))
        var most = 0
        for number in 1...400 {
            try Self.rush(site.port, targets[number % targets.count], reset: number % 2 == 0)
            // Some of them while the graph has a turn, so that it sees them come and go.
            if number % 4 == 0 {
                #expect(site.until { site.server.counters.accepted == number })
                site.pass(.milliseconds(5))
            }
            most = max(most, site.pipeline.plan.links.count)
        }
        #expect(most <= 8)
        let viewer = try site.get("/front/stream")
        _ = try viewer.next()
        #expect(site.until { site.openLinks() >= 1 })
        let shots = camera.shots
        for _ in 0..<5 {
            site.pass(.milliseconds(100))
            #expect(try viewer.next().field("X-Campipe-State") == nil)
        }
        #expect(camera.shots - shots == 5)
        site.pass(.seconds(5))
        #expect(site.openLinks() == 1)
        #expect(site.until { site.server.counters.connections == 1 })
        #expect(site.pipeline.snapshot.links.allSatisfy { $0.ledger.isBalanced && $0.ledger.offered < 200 })
    }

    @Test("of those who all want something else sixteen leave theirs for a moment")
    func various() throws {
        let site = try WebSite(camera: CameraScript())
        site.pass(.seconds(1))
        var most = 0
        for number in 0..<40 {
            let (width, rate) = ([160, 320, 480, 640][number % 4], [1, 2, 5, 10, 15, 25, 30][number / 4 % 7])
            do {
                let viewer = try site.get("/front/stream?width=\(width)&fps=\(rate)")
                _ = try viewer.next()
                site.settle()
                most = max(most, site.openLinks())
            }
            #expect(site.until { site.server.counters.connections == 0 })
        }
        #expect((10...17).contains(most))
        let viewer = try site.get("/front/stream")
        _ = try viewer.next()
        site.pass(.seconds(3))
        #expect(site.until { site.openLinks() == 1 })
        #expect(try viewer.next().status == 0)
    }
}
