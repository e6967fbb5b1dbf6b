import CampipeHTTP
import CampipeKit

/// Who plays a stream piece by piece: players of HLS, which have no connection that stays and are known by asking again.
/// A value without clock.
///
/// A player is told from others by a cookie, and where it keeps none by its address and what it calls itself; two of that
/// kind behind one address count as one. Who has not asked for a while is gone.
struct HLSAudience: Sendable {
    /// The cookie's name; it holds the mark's id.
    static let cookie = "campipe-player"
    /// Players ask once in a segment's length at least, which is four seconds at most.
    static let silence = Duration.seconds(12)

    private struct Player {
        var mark: ViewerMark
        var place: String
        /// Whether it sent the cookie back: whoever comes from the same place without it is somebody else.
        var isProven = false
        var asked: Instant
    }

    enum Answer: Hashable, Sendable {
        case known
        /// It came just now, and is to be given a cookie with the mark's id.
        case new(ViewerMark)
        case full
    }

    private var players: [String: Player] = [:]
    /// Players ever.
    private(set) var total = 0

    /// Somebody asks.
    ///
    /// - Parameters:
    ///   - cookies: The fields of that name.
    ///   - place: Its address and what it calls itself.
    ///   - key: What a page calls itself.
    ///   - hasRoom: Whether one more may come.
    ///   - isList: Whether it asks for the list: only that makes it a player.
    mutating func came(
        cookies: [String], from place: String, key: String = "", hasRoom: Bool, isList: Bool, at now: Instant
    ) -> Answer {
        players = players.filter { now - $0.value.asked < Self.silence }
        let proven = cookies.lazy.compactMap { Self.id(in: $0) }.first { players[$0] != nil }
        let known = proven ?? players.first { !$0.value.isProven && $0.value.place == place }?.key
        if let known {
            players[known]?.asked = now
            if proven != nil { players[known]?.isProven = true }
            return .known
        }
        guard isList else { return .known }
        guard hasRoom else { return .full }
        let mark = ViewerMark(key: key, request: "index.m3u8")
        players[mark.id] = Player(mark: mark, place: place, asked: now)
        total += 1
        return .new(mark)
    }

    /// Those who are there now.
    func marks(at now: Instant) -> [ViewerMark] {
        players.values.filter { now - $0.asked < Self.silence }.map(\.mark)
    }

    func count(at now: Instant) -> Int { players.values.count { now - $0.asked < Self.silence } }

    mutating func leave() { players = [:] }

    private static func id(in field: String) -> String? {
        for part in field.split(separator: ";") {
            let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if pair.count == 2, pair[0] == cookie { return String(pair[1]) }
        }
        return nil
    }
}
