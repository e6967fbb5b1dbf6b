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

    @Test("a few requests, no two of which are alike in a row, are bounded too")
    func various() throws {
        let site = try WebSite(camera: CameraScript())
        site.pass(.seconds(1))
        var most = 0
        for number in 1...300 {
            let (width, rate) = ([160, 320, 640, 960, 1280][number % 5], [1, 2, 5, 10, 15, 25][number / 5 % 6])
            try Self.rush(site.port, "/front/stream?width=\(width)&fps=\(rate)", reset: false)
            if number % 2 == 0 { #expect(site.until { site.server.counters.accepted == number }) }
            site.settle()
            most = max(most, site.openLinks())
        }
        // Sixteen stay a moment, beside those who have not gone yet.
        #expect(most <= 24)
        let viewer = try site.get("/front/stream")
        _ = try viewer.next()
        site.pass(.seconds(3))
        #expect(site.until { site.openLinks() == 1 })
        #expect(try viewer.next().status == 0)
    }
}
