import CampipeKit
import Foundation
import Testing

@testable import CampipeApp

/// `clients_stat` of `/state` as the pages of KVMs read it: the key in the URL, the id in the cookie, the rate in the map.
@Suite("Viewers in /state")
struct ClientsTests {
    private func stats(_ site: WebSite) throws -> [String: [String: Any]] {
        let body = try site.get("/front/state").next().body
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let result = try #require(object?["result"] as? [String: Any])
        #expect(result["encoder"] is [String: Any] && result["source"] is [String: Any])
        let stream = try #require(result["stream"] as? [String: Any])
        let stats = try #require(stream["clients_stat"] as? [String: [String: Any]])
        #expect(stream["clients"] as? Int == stats.count)
        return stats
    }

    @Test("each viewer has an entry with its own rate; who gave a key learns its id by a cookie")
    func entries() throws {
        let site = try WebSite(camera: CameraScript())
        let keyed = try site.get("/front/stream?key=aB_3-x&fps=2")
        let plain = try site.get("/front/stream")
        let cookie = try #require(try keyed.next().field("Set-Cookie"))
        #expect(try plain.next().field("Set-Cookie") == nil)
        let match = try #require(
            cookie.wholeMatch(of: /stream_client=aB_3-x\/([0-9a-f]{16}); Path=\/; Max-Age=30; SameSite=Lax/))
        let id = String(match.1)
        #expect(site.until { site.openLinks() == 2 })
        // Pictures are read as they come: ten a second by one, two by the other.
        for _ in 0..<50 {
            site.pass(.milliseconds(100))
            usleep(2000)
        }
        var found: [String: [String: Any]] = [:]
        for _ in 0..<40 {
            found = try stats(site)
            if found[id]?["fps"] as? Int == 2, found.values.contains(where: { ($0["fps"] as? Int ?? 0) > 5 }) { break }
            for _ in 0..<10 {
                site.pass(.milliseconds(100))
                usleep(5000)
            }
        }
        #expect(found.count == 2)
        #expect(found[id]?["fps"] as? Int == 2, "\(found)")
        #expect(found[id]?["key"] as? String == "aB_3-x" && found[id]?["request"] as? String == "fps=2")
        let other = try #require(found.first { $0.key != id }?.value)
        #expect((6...14).contains(other["fps"] as? Int ?? 0) && other["key"] as? String == "", "\(found)")
        #expect(other["advance_headers"] as? Bool == false)
    }

    @Test("a key that could not stand in a cookie is none", arguments: ["a;b", "%0d%0aX:%201", "a%22b", ""])
    func keys(key: String) throws {
        let site = try WebSite(camera: CameraScript())
        let viewer = try site.get("/front/stream?key=\(key)")
        let head = try viewer.next()
        #expect(head.status == 200 && head.field("Set-Cookie") == nil && head.field("X") == nil)
        #expect(try stats(site).values.map { $0["key"] as? String } == [""])
    }
}
