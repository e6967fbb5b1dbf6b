import CampipeKit
import Testing

@testable import CampipeRuntime

private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

/// Sources are supervised (design 4.5).
@Suite struct SourceSupervisorTests {
    typealias Settings = SourceSupervisor.Settings

    private func started(_ settings: Settings = Settings(), seed: UInt64 = 1) -> SourceSupervisor {
        var supervisor = SourceSupervisor(settings, seed: seed)
        _ = supervisor.start(at: at(0))
        return supervisor
    }

    /// Lets it fail and waits until it is opened again.
    ///
    /// - Returns: How many seconds it waited.
    private func wait(
        _ supervisor: inout SourceSupervisor, _ kind: CampipeError.Kind = .unavailable, retryAfter: Duration? = nil,
        at now: inout Instant
    ) throws -> Double {
        _ = supervisor.failed(kind, reason: "no answer", retryAfter: retryAfter, at: now)
        let retryAt = try #require(supervisor.status.retryAt)
        #expect(supervisor.nextTick == retryAt)
        #expect(supervisor.tick(at: retryAt - .nanoseconds(1)).isEmpty)
        #expect(supervisor.tick(at: retryAt).first == .open)
        defer { now = retryAt }
        return (retryAt - now).seconds
    }

    @Test("it is connecting until the first item comes, not until a socket is open")
    func connecting() {
        var supervisor = SourceSupervisor(Settings(), seed: 1)
        #expect(supervisor.start(at: at(0)) == [.open, .report(SourceStatus(.connecting))])
        #expect(supervisor.opened(at: at(1)).isEmpty)
        #expect(supervisor.status.state == .connecting)
        #expect(supervisor.item(at: at(2)) == [.report(SourceStatus(.running))])
        #expect(supervisor.item(at: at(3)).isEmpty)
    }

    @Test(
        "the first connect is retried too, with waits that double from 0.5 s to 30 s and differ by seed",
        arguments: 1..<20)
    func backoff(seed: UInt64) throws {
        var supervisor = started(seed: seed)
        var now = at(0)
        for longest in [1.0, 2, 4, 8, 16, 30, 30, 30] {
            let seconds = try wait(&supervisor, at: &now)
            #expect(seconds >= longest / 2 && seconds <= longest)
        }
        #expect(supervisor.status.retries == 8)
        #expect(supervisor.status.reason == "no answer")
        var other = started(seed: seed + 100)
        var same = started(seed: seed)
        var (first, second, third) = (at(0), at(0), at(0))
        var again = started(seed: seed)
        let wanted = try wait(&again, at: &first)
        #expect(try wait(&same, at: &second) == wanted)
        #expect(try wait(&other, at: &third) != wanted)
    }

    @Test("30 s of good items make the next wait short again; less does not")
    func reset() throws {
        for (good, longest) in [(29, 16.0), (30, 1.0)] {
            var supervisor = started()
            var now = at(0)
            for _ in 0..<4 { _ = try wait(&supervisor, at: &now) }
            for second in 0...good { _ = supervisor.item(at: now + .seconds(second)) }
            #expect(supervisor.status.retries == (good == 30 ? 0 : 4))
            now = now + .seconds(good)
            let seconds = try wait(&supervisor, at: &now)
            #expect(seconds >= longest / 2 && seconds <= longest)
        }
    }

    @Test(
        "a 404 and what is not supported wait longest at once", arguments: [CampipeError.Kind.notFound, .unsupported])
    func cap(kind: CampipeError.Kind) throws {
        var supervisor = started()
        var now = at(0)
        #expect(try wait(&supervisor, kind, at: &now) >= 15)
    }

    @Test("three refusals of the password in a row wait 5 min, 15 min, then an hour; a good item ends the row")
    func password() throws {
        var supervisor = started()
        var now = at(0)
        // The first ones too are not made within a few seconds.
        #expect((15...30).contains(try wait(&supervisor, .unauthorized, at: &now)))
        #expect((15...30).contains(try wait(&supervisor, .unauthorized, at: &now)))
        #expect(try wait(&supervisor, .unavailable, at: &now) <= 30)
        for seconds in [300.0, 900, 3600, 3600] { #expect(try wait(&supervisor, .unauthorized, at: &now) == seconds) }
        _ = supervisor.item(at: now)
        #expect(try wait(&supervisor, .unauthorized, at: &now) <= 30)
    }

    @Test("a try that waits is made at once when the file or a secret changes")
    func retryNow() throws {
        var supervisor = started()
        for _ in 0..<3 {
            _ = supervisor.failed(.unauthorized, reason: "401", at: at(1)); _ = supervisor.retryNow(at: at(1))
        }
        _ = supervisor.failed(.unauthorized, reason: "401", at: at(1))
        #expect(supervisor.retryNow(at: at(2)).first == .open)
        #expect(supervisor.retryNow(at: at(2)).isEmpty)
    }

    @Test("Retry-After is honoured, up to an hour")
    func retryAfter() throws {
        var supervisor = started()
        var now = at(0)
        #expect(try wait(&supervisor, retryAfter: .seconds(120), at: &now) == 120)
        #expect(try wait(&supervisor, retryAfter: .seconds(86_400), at: &now) == 3600)
        #expect(try wait(&supervisor, retryAfter: .zero, at: &now) > 0)
    }

    @Test("after the process stood still an item has all its time again, and only what came later is missed")
    func resumed() {
        var supervisor = started()
        _ = supervisor.opened(at: at(0))
        for tenth in 0...20 { _ = supervisor.item(at: at(Double(tenth) / 10)) }
        supervisor.resumed(at: at(42))
        #expect(supervisor.nextTick == at(47))
        #expect(supervisor.tick(at: at(42)).isEmpty)
        #expect(supervisor.tick(at: at(46.9)).isEmpty)
        #expect(
            supervisor.tick(at: at(47)).prefix(2) == [.close, .lost(since: at(2), reason: "no picture came for 5.0 s")])
    }

    @Test("no item for the larger of 5 s and three intervals is a stall: closed, lost, opened again")
    func stall() throws {
        var supervisor = started()
        _ = supervisor.opened(at: at(0))
        for tenth in 0...100 { _ = supervisor.item(at: at(Double(tenth) / 10)) }
        #expect(supervisor.nextTick == at(15))
        #expect(supervisor.tick(at: at(14.9)).isEmpty)
        let actions = supervisor.tick(at: at(15))
        #expect(actions.prefix(2) == [.close, .lost(since: at(10), reason: "no picture came for 5.0 s")])
        #expect(supervisor.status.state == .stalled)
        #expect(supervisor.status.reason == "no picture came for 5.0 s")
        let retryAt = try #require(supervisor.nextTick)
        #expect(supervisor.tick(at: retryAt).first == .open)
        #expect(supervisor.status.state == .connecting)
    }

    @Test(
        "when it is a stall: as the file says, three expected intervals, three observed ones",
        arguments: [
            (nil, nil, 0.1, 5), (2, nil, 0.1, 2), (nil, 10, 0.1, 30), (nil, nil, 4, 12), (60, 1, 4, 60),
        ] as [(Double?, Double?, Double, Double)])
    func stallAfter(file: Double?, expected: Double?, observed: Double, stall: Double) {
        var supervisor = started(
            Settings(stallAfter: file.map { .seconds($0) }, expectedInterval: expected.map { .seconds($0) }))
        for index in 0..<50 { _ = supervisor.item(at: at(Double(index) * observed)) }
        #expect(abs(supervisor.stallAfter.seconds - stall) < 0.001)
    }

    @Test("a source that says that nothing is due is not stalled before, and 5 s or `stall_after` later it is")
    func rests() {
        for (settings, stall) in [(Settings(), 65.0), (Settings(stallAfter: .seconds(2)), 62)] {
            var supervisor = started(settings)
            _ = supervisor.opened(at: at(0))
            _ = supervisor.item(at: at(0))
            #expect(supervisor.rests(until: at(60), at: at(0)).isEmpty)
            #expect(supervisor.nextTick == at(stall))
            // Asked again it said that nothing changed: a sign of life.
            #expect(supervisor.rests(until: at(120), at: at(60)).isEmpty)
            #expect(supervisor.tick(at: at(stall)).isEmpty)
            #expect(supervisor.tick(at: at(60 + stall)).first == .close)
            #expect(supervisor.status.state == .stalled)
            #expect(supervisor.status.reason == "no picture came for \(stall - 60) s")
        }
    }

    @Test("signs of life without an item count as good time")
    func restsReset() throws {
        var supervisor = started()
        var now = at(0)
        for _ in 0..<3 { _ = try wait(&supervisor, at: &now) }
        #expect(supervisor.rests(until: now + .seconds(10), at: now).isEmpty)
        #expect(supervisor.status.state == .connecting)
        for _ in 0...3 {
            _ = supervisor.item(at: now)
            _ = supervisor.rests(until: now + .seconds(10), at: now)
            now = now + .seconds(10)
        }
        #expect(supervisor.status == SourceStatus(.running))
    }

    @Test("an opened source has 10 s for its first item")
    func firstItem() {
        var supervisor = started()
        #expect(supervisor.nextTick == nil)
        _ = supervisor.opened(at: at(1))
        #expect(supervisor.nextTick == at(11))
        #expect(supervisor.tick(at: at(10.9)).isEmpty)
        #expect(supervisor.tick(at: at(11)).first == .close)
        #expect(supervisor.status.state == .stalled)
    }

    @Test("a camera is lost once, however often it fails before the next item")
    func lostOnce() throws {
        var supervisor = started()
        var lost: [SourceSupervisor.Action] = []
        for round in 0..<3 {
            let begin = Double(round) * 1000
            _ = supervisor.item(at: at(begin))
            for _ in 0..<5 {
                lost += supervisor.failed(.unavailable, reason: "x", at: at(begin + 1)).filter {
                    $0 == .lost(since: at(begin), reason: "x")
                }
                _ = supervisor.tick(at: supervisor.nextTick ?? at(0))
            }
        }
        #expect(lost == [0, 1000, 2000].map { .lost(since: at($0), reason: "x") })
    }

    @Test("what never came is lost too, so that viewers are told")
    func neverCame() {
        var supervisor = started()
        #expect(supervisor.failed(.unavailable, reason: "x", at: at(3)).contains(.lost(since: at(3), reason: "x")))
    }

    @Test("a live connection that fails is made again; with `reconnect: false` the source ends")
    func connectionEnds() {
        var supervisor = started()
        _ = supervisor.item(at: at(1))
        let actions = supervisor.failed(.unavailable, reason: "gone", at: at(2))
        #expect(actions.prefix(2) == [.close, .lost(since: at(1), reason: "gone")])
        #expect(supervisor.status.state == .waiting)
        var once = started(Settings(reconnects: false))
        _ = once.item(at: at(1))
        #expect(once.ended(at: at(2)) == [.close, .end(reason: nil), .report(SourceStatus(.stopped))])
        #expect(once.nextTick == nil)
        var closed = started(Settings(reconnects: false))
        _ = closed.item(at: at(1))
        #expect(
            closed.failed(.ended, reason: "the camera ended the stream", at: at(2))
                == [.close, .end(reason: nil), .report(SourceStatus(.stopped))])
        var comesBack = started()
        #expect(comesBack.failed(.ended, reason: "the camera ended the stream", at: at(2)).first == .close)
        #expect(comesBack.status.state == .waiting)
        var failing = started(Settings(reconnects: false))
        #expect(
            failing.failed(.unavailable, reason: "no answer", at: at(1))
                == [.close, .end(reason: "no answer"), .report(SourceStatus(.failed, reason: "no answer"))])
    }

    @Test("a live source that says it has nothing more has ended, and is not opened again")
    func livingEnd() {
        var supervisor = started()
        _ = supervisor.item(at: at(1))
        #expect(supervisor.ended(at: at(2)) == [.close, .end(reason: nil), .report(SourceStatus(.stopped))])
        #expect(supervisor.nextTick == nil)
    }

    @Test("what is not live ends at its end, never stalls, and fails for good")
    func notLive() {
        var file = started(Settings(isLive: false))
        _ = file.opened(at: at(0))
        _ = file.item(at: at(0))
        #expect(file.nextTick == nil)
        #expect(file.tick(at: at(1000)).isEmpty)
        #expect(file.ended(at: at(1000)).contains(.end(reason: nil)))
        var broken = started(Settings(isLive: false))
        #expect(broken.failed(.badData, reason: "cut", at: at(0)).contains(.end(reason: "cut")))
        #expect(broken.stop().isEmpty)
        #expect(broken.status.state == .failed)
    }

    @Test("on demand: closed 10 s after nobody wants it, opened when somebody does")
    func onDemand() {
        var supervisor = SourceSupervisor(Settings(onDemand: true), isWanted: false, seed: 1)
        #expect(supervisor.start(at: at(0)) == [.report(SourceStatus(.idle))])
        #expect(supervisor.demand(true, at: at(1)).first == .open)
        _ = supervisor.item(at: at(2))
        #expect(supervisor.demand(false, at: at(3)).isEmpty)
        #expect(supervisor.demand(true, at: at(12)).isEmpty)
        _ = supervisor.item(at: at(12.5))
        #expect(supervisor.tick(at: at(13)).isEmpty)
        for second in 13..<30 { _ = supervisor.item(at: at(Double(second))) }
        #expect(supervisor.tick(at: at(29)).isEmpty)
        #expect(supervisor.demand(false, at: at(29)).isEmpty)
        for second in 30..<39 { _ = supervisor.item(at: at(Double(second))) }
        #expect(supervisor.nextTick == at(39))
        #expect(supervisor.tick(at: at(39)) == [.close, .report(SourceStatus(.idle))])
        #expect(supervisor.nextTick == nil)
        #expect(supervisor.demand(true, at: at(40)).first == .open)
    }

    @Test("while nobody wants it, a source on demand that failed is not tried for long")
    func onDemandFailed() {
        var supervisor = SourceSupervisor(Settings(onDemand: true), seed: 1)
        _ = supervisor.start(at: at(0))
        _ = supervisor.failed(.notFound, reason: "404", at: at(0))
        _ = supervisor.demand(false, at: at(0))
        #expect(supervisor.nextTick == at(10))
        #expect(supervisor.tick(at: at(10)) == [.report(SourceStatus(.idle))])
    }

    @Test("a source that is not on demand does not care who wants it")
    func always() {
        var supervisor = started()
        #expect(supervisor.demand(false, at: at(1)).isEmpty)
        #expect(supervisor.nextTick == nil)
    }

    @Test("it can be stopped and switched off in any state, and what comes late changes nothing")
    func stop() {
        for state in [SourceStatus.State.stopped, .off] {
            var supervisor = started()
            _ = supervisor.item(at: at(1))
            #expect(supervisor.stop(state) == [.close, .report(SourceStatus(state))])
            #expect(supervisor.item(at: at(2)).isEmpty)
            #expect(supervisor.failed(.failed, reason: "late", at: at(2)).isEmpty)
            #expect(supervisor.ended(at: at(2)).isEmpty)
            #expect(supervisor.tick(at: at(100)).isEmpty)
            #expect(supervisor.nextTick == nil)
        }
    }

    @Test(
        "whatever happens, opens and closes alternate, and there is a next tick unless all is well or over",
        arguments: 0..<20)
    func random(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var random = SplitMix(seed: seed)
            let settings = Settings(
                reconnects: Int.random(in: 0..<5, using: &random) > 0, onDemand: Bool.random(using: &random))
            var supervisor = SourceSupervisor(settings, seed: seed)
            var isOpen = false
            var now = Instant.zero
            var hasEnded = false
            func check(_ actions: [SourceSupervisor.Action]) {
                for action in actions {
                    switch action {
                    case .open:
                        #expect(!isOpen && !hasEnded, "seed \(seed)")
                        isOpen = true
                    case .close:
                        #expect(isOpen, "seed \(seed)")
                        isOpen = false
                    case .end: hasEnded = true
                    case .report(let status): #expect(status == supervisor.status)
                    case .lost: break
                    }
                }
            }
            check(supervisor.start(at: now))
            for _ in 0..<60 {
                now = now + .milliseconds(Int.random(in: 1...4000, using: &random))
                switch Int.random(in: 0..<12, using: &random) {
                case 0..<4: check(supervisor.item(at: now))
                case 4..<6: check(supervisor.opened(at: now))
                case 6:
                    check(
                        supervisor.failed(
                            [.unavailable, .unauthorized, .notFound].randomElement(using: &random) ?? .failed,
                            reason: "r", at: now))
                case 7: check(supervisor.ended(at: now))
                case 8: check(supervisor.demand(Bool.random(using: &random), at: now))
                default:
                    if let next = supervisor.nextTick { now = max(now, next) }
                    check(supervisor.tick(at: now))
                }
                switch supervisor.status.state {
                case .waiting, .stalled: #expect(supervisor.nextTick != nil && !isOpen)
                case .running: #expect(supervisor.nextTick != nil && isOpen)
                case .connecting: #expect(isOpen)
                case .idle, .off, .stopped, .failed: #expect(!isOpen)
                }
            }
        }
    }
}
