import CampipeKit
import Testing

@testable import CampipeApp

@Suite("How often a camera gives pictures")
struct CadenceTests {
    private func cadence(_ milliseconds: [Int]) -> Cadence {
        var cadence = Cadence()
        for (index, time) in milliseconds.enumerated() {
            cadence.came(index + 1, at: .zero + .milliseconds(time))
        }
        return cadence
    }

    @Test(
        "the first picture, which a camera may have ready, says nothing, and neither do some that come at once",
        arguments: [
            ([], nil), ([0], nil), ([0, 450], nil), ([0, 450, 4450], 0.25), ([0, 4000, 8000, 12_000], 0.25),
            ([0, 0, 1, 1], nil), ([0, 100, 200, 300, 400, 500], 10), ([0, 0, 0, 0, 1000], 0.0 + 3),
        ] as [([Int], Double?)])
    func rate(_ milliseconds: [Int], _ fps: Double?) {
        let found = cadence(milliseconds).fps
        #expect(found.map { ($0 * 1000).rounded() } == fps.map { ($0 * 1000).rounded() })
    }

    @Test("two seconds are enough where pictures come as they should; a slow camera is waited for")
    func enough() {
        let quick = cadence((0..<20).map { $0 * 100 })
        #expect(!quick.isEnough(.zero + .milliseconds(1999)) && quick.isEnough(.zero + .seconds(2)))
        #expect(
            !cadence([0, 450]).isEnough(.zero + .seconds(9)) && cadence([0, 450, 4450]).isEnough(.zero + .seconds(5)))
        #expect(cadence([]).due == nil)
    }
}
