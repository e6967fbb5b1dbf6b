import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct NodeRestartsTests {
    private func restarts(isLive: Bool, limit: Int = 3) -> NodeRestarts {
        let assignment = NodeAssignment(
            key: .explicit("n"), id: "n", registration: Registration(sink: CollectingSink.self),
            options: Value.ValueMap(), source: "a", isLive: isLive)
        var environment = NodeEnvironment(pipeline: "p", clock: ManualClock(), log: .silent)
        environment.restartLimit = limit
        return NodeRestarts(assignment, environment)
    }

    private func failed(_ restarts: inout NodeRestarts, isOpening: Bool = false, isStopping: Bool = false) -> Instant? {
        restarts.failed(
            CampipeError(.failed, "broken"), isOpening: isOpening, isFinal: false, isStopping: isStopping, at: .zero)
    }

    @Test("The next instance waits for its time; at a stop what is not live is opened at once, what is live is let go")
    func opening() throws {
        for isLive in [true, false] {
            var restarts = restarts(isLive: isLive)
            let instant = try #require(failed(&restarts))
            #expect(restarts.opening(isStopping: false, hasAll: true, at: .zero) == .notBefore(instant))
            #expect(restarts.opening(isStopping: false, hasAll: true, at: instant) == .now)
            #expect(restarts.opening(isStopping: true, hasAll: true, at: .zero) == (isLive ? .never : .now))
            let more = restarts.opening(isStopping: true, hasAll: false, at: .zero)
            #expect(more == (isLive ? .notBefore(instant) : .now))
        }
    }

    @Test(
        "Nothing that is live is opened again while the pipeline stops, and what is not live and cannot be opened never"
    )
    func over() {
        var live = restarts(isLive: true)
        #expect(failed(&live, isStopping: true) == nil)
        #expect(live.lastFailure?.message == "broken")
        var other = restarts(isLive: false)
        #expect(failed(&other, isStopping: true) != nil)
        #expect(failed(&other, isOpening: true) == nil)
    }

    @Test("It waits with cause and time, is connecting until it has run well, and then forgets the cause")
    func states() throws {
        var restarts = restarts(isLive: true)
        #expect(restarts.opened == SourceStatus(.running))
        let instant = try #require(failed(&restarts))
        let waiting = restarts.status(.waiting)
        #expect(waiting.retryAt == instant && waiting.reason == "broken" && waiting.retries == 1)
        #expect(restarts.opened == SourceStatus(.connecting, reason: "broken", retries: 1))
        for second in 0...30 { restarts.worked(at: Instant.zero + .seconds(second)) }
        #expect(restarts.opened == SourceStatus(.running))
    }
}
