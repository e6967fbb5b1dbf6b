import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("What is pushed to a server: times and patience")
struct PublishValueTests {
    @Test("times count from the first packet ever, grow, and go on behind a new connection")
    func times() throws {
        let base = Timebase(1, 1000)
        func time(_ milliseconds: Int64) -> MediaTime { MediaTime(ticks: milliseconds * 90, timebase: .rtpVideo) }
        var first = PublishTimes(origin: time(5000), timebase: base)
        let placed = [(5000, 5000), (5080, 5040), (5040, 5040), (5040, 5050)].map {
            first.place(pts: time($0.0), dts: time($0.1))
        }
        #expect(placed.map { $0?.dts } == [0, 40, 41, 50])
        // Nothing is shown before it is decoded.
        #expect(placed.map { $0?.pts } == [0, 80, 41, 50])
        var second = PublishTimes(origin: time(5000), timebase: base)
        let after = second.place(pts: time(9000), dts: time(9000))
        #expect(after?.dts == 4000 && after?.pts == 4000)
        // What is before the beginning is sent at it.
        var early = PublishTimes(origin: time(5000), timebase: base)
        let clamped = early.place(pts: time(1000), dts: time(1000))
        #expect(clamped?.dts == 0)
    }

    @Test(
        "a call is given up at its deadline, and a grace after somebody asked to stop",
        arguments: [
            (10.0, 0.4, nil, 9.9, false), (10, 0.4, nil, 10, true), (10, 0.4, 2, 2.3, false), (10, 0.4, 2, 2.5, true),
            (10, 0, 2, 2, true), (1, 0.4, 0.8, 1, true), (0, 0.4, nil, 0, true),
        ] as [(Double, Double, Double?, Double, Bool)])
    func patience(limit: Double, grace: Double, stoppedAt: Double?, now: Double, isOver: Bool) {
        var patience = PublishPatience()
        let start = Instant.zero + .seconds(100)
        patience.begin(limit: .seconds(limit), grace: .seconds(grace), at: start)
        if let stoppedAt, stoppedAt < now { _ = patience.isOver(at: start + .seconds(stoppedAt), isStopping: true) }
        let answer = patience.isOver(at: start + .seconds(now), isStopping: stoppedAt != nil)
        #expect(answer == isOver)
    }

    @Test("a call that begins has all of its grace, though the one before was stopped")
    func again() {
        var patience = PublishPatience()
        patience.begin(limit: .seconds(1), grace: .seconds(0.4), at: .zero)
        _ = patience.isOver(at: .zero, isStopping: true)
        patience.begin(limit: .seconds(1), grace: .seconds(0.4), at: .zero + .seconds(0.5))
        let isOver = patience.isOver(at: .zero + .seconds(0.5), isStopping: true)
        #expect(!isOver)
    }
}
