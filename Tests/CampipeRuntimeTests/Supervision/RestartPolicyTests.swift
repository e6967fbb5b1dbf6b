import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct RestartPolicyTests {
    private func wait(_ policy: inout RestartPolicy, _ kind: CampipeError.Kind = .failed, at now: Instant = .zero)
        -> Double?
    {
        if case .restart(let instant) = policy.failed(kind, at: now) { (instant - now).seconds } else { nil }
    }

    @Test("on_error: restart waits like a source, and starts short again after 30 s of good items")
    func restart() {
        var policy = RestartPolicy(.restart, seed: 3)
        for longest in [1.0, 2, 4, 8, 16, 30, 30] {
            let seconds = wait(&policy) ?? 0
            #expect(seconds >= longest / 2 && seconds <= longest)
        }
        #expect(policy.restarts == 7)
        for second in 0...30 { policy.worked(at: Instant.zero + .seconds(second)) }
        #expect(policy.restarts == 0)
        #expect((wait(&policy) ?? 9) <= 1)
    }

    @Test("a failure starts the 30 s again")
    func notYet() {
        var policy = RestartPolicy(.restart, seed: 3)
        _ = wait(&policy)
        policy.worked(at: .zero)
        _ = wait(&policy)
        policy.worked(at: Instant.zero + .seconds(31))
        #expect(policy.restarts == 2)
    }

    @Test("what can never work waits longest at once")
    func configuration() {
        var policy = RestartPolicy(.restart, seed: 3)
        #expect((wait(&policy, .configuration) ?? 0) >= 15)
    }

    @Test("on_error: skip goes on with the next item, but an instance that cannot be opened is made again")
    func skip() {
        var policy = RestartPolicy(.skip, seed: 3)
        #expect(policy.failed(.badData, at: .zero) == .skip)
        guard case .restart = policy.failed(.exhausted, isOpening: true, at: .zero) else {
            Issue.record("expected a restart")
            return
        }
    }

    @Test("what is not live is started again so often, and not where it is useless; running well gives all tries back")
    func limited() {
        var policy = RestartPolicy(.restart, limit: 5, seed: 3)
        for _ in 0..<5 { #expect(wait(&policy) != nil) }
        #expect(policy.failed(.exhausted, at: .zero) == .giveUp)
        for second in 0...30 { policy.worked(at: Instant.zero + .seconds(second)) }
        #expect(wait(&policy) != nil)
        #expect(policy.failed(.configuration, at: .zero) == .giveUp)
        var skipping = RestartPolicy(.skip, limit: 0, seed: 3)
        #expect(skipping.failed(.badData, at: .zero) == .skip)
        #expect(skipping.failed(.exhausted, isOpening: true, at: .zero) == .giveUp)
    }

    @Test("on_error: stop stops the pipeline")
    func stop() {
        var policy = RestartPolicy(.stop, seed: 3)
        #expect(policy.failed(.badData, at: .zero) == .stop)
    }
}
