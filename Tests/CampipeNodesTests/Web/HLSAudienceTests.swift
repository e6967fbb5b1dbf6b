import CampipeHTTP
import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Players of HLS")
struct HLSAudienceTests {
    private static func time(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    private struct Room {
        var audience = HLSAudience()
        var hasRoom = true
        mutating func ask(_ place: String, cookie: String? = nil, isList: Bool = true, at seconds: Int)
            -> HLSAudience.Answer
        {
            audience.came(
                cookies: cookie.map { ["a=b; campipe-player=\($0); c"] } ?? [], from: place, hasRoom: hasRoom,
                isList: isList, at: HLSAudienceTests.time(seconds))
        }
        mutating func join(_ place: String, at seconds: Int) -> String? {
            guard case .new(let mark) = ask(place, at: seconds) else { return nil }
            return mark.id
        }
        func count(_ seconds: Int) -> Int { audience.count(at: HLSAudienceTests.time(seconds)) }
    }

    @Test("one without cookies is one by its address and name, however often it asks, and is gone after a silence")
    func noCookies() {
        var room = Room()
        #expect(room.join("10.0.0.1 VLC", at: 0) != nil)
        for second in 1...30 { #expect(room.ask("10.0.0.1 VLC", isList: second % 2 == 0, at: second) == .known) }
        #expect(room.count(30) == 1 && room.audience.total == 1)
        #expect(room.join("10.0.0.1 ffmpeg", at: 30) != nil)
        #expect(room.count(30) == 2)
        #expect(room.count(41) == 2 && room.count(42) == 0)
        #expect(room.join("10.0.0.1 VLC", at: 50) != nil)
        #expect(room.audience.total == 3)
    }

    @Test("browsers behind one address are told apart by their cookies")
    func cookies() throws {
        var room = Room()
        let one = room.join("10.0.0.1 Safari", at: 0)
        let first = try #require(one)
        #expect(room.ask("10.0.0.1 Safari", cookie: first, at: 1) == .known)
        let two = room.join("10.0.0.1 Safari", at: 2)
        let second = try #require(two)
        #expect(room.ask("10.0.0.1 Safari", cookie: second, at: 3) == .known)
        #expect(room.ask("10.9.9.9 Safari", cookie: first, at: 4) == .known)
        #expect(room.count(4) == 2)
        // A cookie from long ago says nothing.
        #expect(room.join("10.0.0.1 Safari", at: 5) != nil)
        #expect(room.ask("10.0.0.7 Safari", cookie: "0123", at: 6) != .known)
    }

    @Test("where there is no room the next one is refused, and those that play go on; pieces make nobody a player")
    func room() {
        var room = Room()
        #expect(room.join("a", at: 0) != nil)
        room.hasRoom = false
        #expect(room.ask("a", at: 1) == .known)
        #expect(room.ask("b", at: 1) == .full)
        #expect(room.ask("b", isList: false, at: 1) == .known)
        #expect(room.count(1) == 1)
    }
}
