import CampipeKit
import Synchronization

/// Runs a source: opens it, asks it for items while there is room, and opens it again as its supervisor decides.
package final class SourceRunner: NodeRunner, @unchecked Sendable {
    // As its superclass: touched in turns only.

    private var supervisor: SourceSupervisor
    private var losses: LossEvents
    private var pause: Next = .more
    private var hasStarted = false
    private var hasBeenOpened = false
    private var menders: [TimeMender]
    private var mendedNote = RecurringNote()
    private var failure: CampipeError?
    private var story = SourceStory()
    private var isWanted: Bool?
    /// What the supervisor decided and was not done yet; doing one thing may bring more.
    private var actions: [SourceSupervisor.Action] = []
    private var isActing = false
    /// In nanoseconds, 0 for none: any thread may ask for them.
    private let newest = Atomic<Int64>(0)
    private let interval = Atomic<Int64>(0)

    package override init(
        _ assignment: NodeAssignment, environment: NodeEnvironment, executor: any RunnerExecutor,
        report: @escaping @Sendable (RunnerReport) -> Void
    ) {
        let settings = SourceSupervisor.Settings(
            isLive: assignment.isLive, reconnects: assignment.reconnects, onDemand: assignment.onDemand,
            stallAfter: assignment.stallAfter)
        supervisor = SourceSupervisor(
            settings, seed: assignment.id.utf8.reduce(environment.seed) { $0 &* 31 &+ UInt64($1) })
        losses = LossEvents(node: assignment.id)
        menders = assignment.registration.descriptor.outputs.map { _ in TimeMender() }
        super.init(assignment, environment: environment, executor: executor, report: report)
    }

    /// The rate that the stream says of itself is one of those that a stall is told by.
    override func announced(_ format: Format, port: Int) {
        let said: Double? =
            switch format {
            case .packets(let packets): packets.rate
            case .frames(let frames): frames.rate
            case .events: nil
            }
        guard port == 0, let rate = said, rate > 0 else { return }
        supervisor.settings.expectedInterval = .nanoseconds(Int64(1e9 / rate))
    }

    /// Tries at once, if it waits for its next try.
    func retryNow(options: Value.ValueMap?) {
        guard phase == .waiting, supervisor.status.retryAt != nil else { return }
        if let options { self.options = options }
        perform(supervisor.retryNow(at: clock.now))
    }

    /// When the newest item came, and how far apart they usually are; from any thread.
    var news: SourceNews {
        let (newest, interval) = (newest.load(ordering: .relaxed), interval.load(ordering: .relaxed))
        return SourceNews(
            newest: newest == 0 ? nil : .zero + .nanoseconds(newest),
            interval: interval == 0 ? nil : .nanoseconds(interval))
    }

    private func tellNews() {
        newest.store(supervisor.newest?.nanoseconds ?? 0, ordering: .relaxed)
        interval.store(supervisor.usualInterval, ordering: .relaxed)
    }

    override func learn(_ planned: PlannedNode) { isWanted = planned.isWanted }

    override func work() -> Bool {
        guard phase != .ended else { return false }
        if let isWanted { perform(supervisor.demand(isWanted, at: clock.now)) }
        isWanted = nil
        if !hasStarted {
            hasStarted = true
            perform(supervisor.start(at: clock.now))
        } else if assignment.isLive {
            let now = clock.now
            if let due = supervisor.nextTick, now >= due {
                if let standstill = environment.pulse.lastStandstill(clock, environment.log) {
                    supervisor.resumed(at: standstill.through)
                }
                // Held up by a blocking link it is not stalled.
                if supervisor.status.state == .running, room == 0 { perform(supervisor.item(at: now)) }
                perform(supervisor.tick(at: now))
            }
            if let due = story.dueAt, now >= due { tellLoss(supervisor.status) }
            sayAgain()
        }
        let more = phase == .open && produce()
        if phase != .ended, !more { sleep() }
        return more
    }

    /// Asks the node for items until the turn's budget is used.
    ///
    /// - Returns: Whether it has more at once.
    private func produce() -> Bool {
        let signalled = takeSignal()
        switch pause {
        case .wait where !signalled: return false
        case .waitUntil(let instant) where !signalled && clock.now < instant: return false
        default: pause = .more
        }
        let room = self.room
        guard room > 0 else { return false }
        box.ports.inherited = assignment.isLive ? .live : []
        var budget = TurnBudget(room: room, clock: clock)
        do {
            repeat {
                var output = Output(box.ports)
                pause = try box.next(to: &output)
            } while pause == .more && box.ports.emitted < TurnBudget.maxItems
                && budget.goesOn(emitted: box.ports.emitted)
        } catch {
            emit()
            let failure = secrets.hidden(error)
            self.failure = failure
            perform(
                supervisor.failed(
                    failure.kind, reason: failure.description, retryAfter: failure.retryAfter, at: clock.now))
            return false
        }
        emit()
        if pause == .ended {
            perform(supervisor.ended(at: clock.now))
            return false
        }
        return pause == .more
    }

    private func emit() {
        if box.ports.emitted > 0 {
            let hasPictures = hasPictures
            mendTimes()
            if assignment.isLive, hasPictures {
                let now = clock.now
                say(losses.found(at: now, clock: clock))
                perform(supervisor.item(at: now))
                tellNews()
            }
        }
        for (reason, count) in box.ports.removed {
            removals.count(reason, count)
            if reason != .filtered, reason != .overrun { supervisor.refused(reason) }
        }
        box.ports.removed.removeAll()
        if let instant = box.ports.restsUntil {
            box.ports.restsUntil = nil
            perform(supervisor.rests(until: instant, at: clock.now))
            tellNews()
        }
        flush()
    }

    /// Whether it emitted more than sound, which alone is no sign that a camera is well.
    private var hasPictures: Bool {
        box.ports.ports.contains { port in
            guard port.items.count > 0 else { return false }
            if case .packets(let packets)? = port.format { return !packets.isAudio }
            return true
        }
    }

    /// Looks again when the node asked for it, or when the supervisor has to.
    private func sleep() {
        var next = supervisor.nextTick ?? .distantFuture
        if let due = story.dueAt { next = min(next, due) }
        if phase == .open, case .waitUntil(let instant) = pause { next = min(next, instant) }
        if let again = losses.nextRepeat, let port = box.descriptor.supervision, !outlets[port].links.isEmpty,
            supervisor.status.state != .idle
        {
            next = min(next, again)
        }
        if next != .distantFuture { wake(at: next) }
    }

    // MARK: What the supervisor decides

    /// Does what was decided, in order.
    private func perform(_ decided: [SourceSupervisor.Action]) {
        guard !decided.isEmpty else { return }
        actions += decided
        guard !isActing else { return }
        isActing = true
        defer { isActing = false }
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .open: openNode()
            case .close: finishNode()
            case .lost(let since, let reason): lose(since, reason)
            case .end(let reason): endForGood(reason)
            case .report(let status): tell(status)
            }
        }
    }

    private func openNode() {
        if hasBeenOpened { replaceNode() }
        hasBeenOpened = true
        failure = nil
        do {
            try box.open(makeContext())
            phase = .open
            pause = .more
            for index in menders.indices { menders[index].reopened() }
            perform(supervisor.opened(at: clock.now))
        } catch {
            let failure = secrets.hidden(error)
            self.failure = failure
            phase = .waiting
            perform(
                supervisor.failed(
                    failure.kind, reason: failure.description, retryAfter: failure.retryAfter, at: clock.now))
        }
    }

    private func lose(_ since: Instant, _ reason: String) {
        for port in box.ports.ports.indices where port != box.descriptor.supervision {
            box.ports.append(gap: Gap(.lost, count: 0, at: since), port: port)
        }
        say(losses.lost(since: since, reason: reason, at: clock.now, clock: clock))
        flush()
    }

    /// Says a loss again that goes on, unless nobody looks for the camera.
    private func sayAgain() {
        guard losses.nextRepeat != nil, supervisor.status.state != .idle,
            let event = losses.repeat(at: clock.now)
        else { return }
        say(event)
        flush()
    }

    private func endForGood(_ reason: String?) {
        guard let reason else { return end(nil, state: supervisor.status) }
        let failure = failure ?? CampipeError(.failed, reason)
        log.error("failed", ["cause": failure])
        // First the failure: with its end the pipeline may be over, and how it went is told then.
        report(.failed(key, failure, stopsPipeline: assignment.onError == .stop))
        end(EndCause(node: assignment.id, message: reason), state: supervisor.status)
    }

    override func end(_ cause: EndCause?, state: SourceStatus = SourceStatus(.stopped)) {
        // Whoever was to keep what it gives has nothing.
        if phase != .ended, isStopping, let reason = supervisor.missing(at: clock.now) {
            report(.faltered(key, failure ?? CampipeError(.failed, reason)))
        }
        super.end(cause, state: state)
    }

    private func tell(_ status: SourceStatus) {
        let before = state
        show(status)
        switch status.state {
        case .waiting, .stalled: tellLoss(status)
        case .running where before.state != .running || status.retries == 0:
            let told = story.tell(status, at: clock.now)
            guard before.state != .running else { break }
            log.log(
                told.level, "running",
                told.losses > 0
                    ? ["retries": status.retries, "away": told.away ?? .zero, "losses": told.losses]
                    : ["retries": status.retries])
        default: break
        }
    }

    /// Says that it is lost, when that happens and again when it lasts: then another try may be at work.
    private func tellLoss(_ status: SourceStatus) {
        var status = status
        if status.state != .stalled { status.state = .waiting }
        let told = story.tell(status, at: clock.now)
        log.log(
            told.level, status.state == .stalled ? "stalled, connects again" : "lost, connects again",
            told.losses > 1
                ? ["cause": status.reason ?? "", "retries": status.retries, "losses": told.losses]
                : ["cause": status.reason ?? "", "retries": status.retries])
    }

    // MARK: Times

    /// Keeps dts of packets, pts of frames and `captured` from going back.
    private func mendTimes() {
        for port in box.ports.ports.indices {
            let items = box.ports.ports[port].items
            let before = menders[port].mended
            for index in 0..<items.count {
                guard let item = items[index], let stream = item.streamTime else { continue }
                let verdict = menders[port].mend(
                    stream: stream, captured: item.captured, isLive: assignment.isLive)
                if let verdict { items.shift(index, by: verdict.offset, captured: verdict.captured) }
            }
            let mended = menders[port].mended - before
            if mended > 0, let count = mendedNote.happened(mended, at: clock.now) {
                log.debug("times of the stream were mended", ["count": count])
            }
        }
    }
}
