import CampipeHTTP
import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Transports of RTSP")
struct RTSPTransportTests {
    /// What cameras with one working transport are asked for, session after session.
    @Test(
        "TCP, UDP and the tunnel come in this order; what worked comes first, what was silent last",
        arguments: [
            ("udp", false, ["tcp", "udp", "/", "udp"]), ("http", false, ["tcp", "udp", "http", "/", "http"]),
            ("tcp", false, ["tcp", "/", "tcp"]), ("none", false, ["tcp", "udp", "http", "/", "tcp", "udp", "http"]),
            ("none", true, ["tcp", "http", "/", "tcp", "http"]), ("http", true, ["tcp", "http", "/", "http"]),
        ])
    func order(_ working: String, _ isTLS: Bool, _ expected: [String]) {
        var order = RTSPTransportOrder(isTLS: isTLS)
        var asked: [String] = []
        for session in 0..<2 {
            if session > 0 { asked.append("/") }
            var tried: [RTSPRequest.Transport] = []
            while let next = order.next(after: tried) {
                asked.append(next.rawValue)
                if next.rawValue == working {
                    order.worked(next)
                    break
                }
                order.failed(next)
                tried.append(next)
            }
        }
        #expect(asked == expected)
    }

    @Test("a session that was cut short is gone on with, not begun anew")
    func cutShort() {
        var order = RTSPTransportOrder(isTLS: false)
        order.failed(.tcp)
        #expect(order.next(after: []) == .udp)
        order.worked(.udp)
        order.failed(.udp)
        #expect(order.known == nil && order.next(after: [.udp]) == .tcp)
    }

    private func site(_ change: (inout RTSPPlayback.Script) -> Void) throws -> RTSPSite {
        var script = try RTSPCase.named("rtsp-h264-plain").script()
        script.isSilentOverTCP = true
        script.then = .loop
        script.rate = 200_000
        change(&script)
        return try RTSPSite(script)
    }

    private func transports(_ site: RTSPSite) -> [String] {
        site.server.requests.filter { $0.method == "SETUP" }.map {
            $0.headers["transport"]?.contains("client_port") == true ? "udp" : "tcp"
        }
    }

    @Test("a camera that plays over TCP and sends nothing is read over UDP within seconds, and the next time at once")
    func silentOverTCP() throws {
        let site = try site { _ in }
        let harness = try site.source()
        #expect(site.run(harness) { harness.logged.contains { $0.message == "the camera plays" } } == nil)
        site.clock.advance(by: RTSPSession.trial + .milliseconds(100))
        func read(_ harness: NodeHarness) -> CampipeError? {
            site.run(harness) {
                site.clock.advance(by: .milliseconds(5))
                return harness.packets.count > 2
            }
        }
        #expect(read(harness) == nil)
        #expect(harness.packets.count > 2)
        let said = harness.logged.filter { $0.message.contains("tried by another transport") }
        #expect(said.map(\.level) == [.warning])
        #expect(transports(site) == ["tcp", "udp"])
        try harness.end()
        let again = try site.source()
        #expect(read(again) == nil)
        #expect(transports(site) == ["tcp", "udp", "udp"])
    }

    @Test("one that sends by none is lost, and the cause names all that were tried")
    func silent() throws {
        let site = try site {
            $0.refusesUDP = true
            $0.isSilentOverTCP = true
        }
        let harness = try site.source()
        #expect(site.run(harness) { harness.logged.contains { $0.message == "the camera plays" } } == nil)
        site.clock.advance(by: RTSPSession.trial + .milliseconds(100))
        let error = site.run(harness)
        #expect(error?.kind == .timedOut)
        #expect(error?.message.hasSuffix("it plays, and no picture comes over TCP, UDP, HTTP") == true)
    }
}
