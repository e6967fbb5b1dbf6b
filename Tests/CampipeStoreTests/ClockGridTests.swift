import CampipeKit
import Testing

@testable import CampipeStore

@Suite("Parts of the day")
struct ClockGridTests {
    @Test("an hour that comes twice begins a part the second time, also of whole hours", arguments: [600, 3600, 7200])
    func autumn(_ seconds: Int) {
        let grid = ClockGrid(.seconds(seconds))
        // 2026-10-25 00:30 UTC: 02:30 in Berlin, and an hour later 02:30 again.
        let first = WallTime(microseconds: 1_792_888_200_000_000)
        let summer = grid.part(of: first, offset: 7200)
        let winter = grid.part(of: first + .seconds(3600), offset: 3600)
        #expect(summer != winter)
        #expect(winter == grid.part(of: first + .seconds(3601), offset: 3600))
    }
}
