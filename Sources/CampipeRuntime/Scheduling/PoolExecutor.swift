import CampipeKit
import Dispatch
import Glibc
import Synchronization

/// Runs ready runners on at most `workers` drain blocks of one concurrent Dispatch queue.
///
/// **Hand-off**: a runner woken during a turn goes into that worker's one place and runs next on the same thread, after
/// the turn; a second one displaces the first to the list; after 64 hand-offs the list is looked at.
/// **Work-conserving**: a worker about to run something that takes its time while others wait wakes another worker.
/// Work of microseconds is not worth a second thread, so the measured length of a runner's turns decides
/// (docs/adr/0002).
/// **A lent thread** (`runHere`) does a short turn and the short ones that follow from it by hand-off, for as long as
/// its time is expected to do; the rest goes to the workers.
package final class PoolExecutor: RunnerExecutor {
    private struct State {
        var ready = ReadyList()
        var active = 0
    }
    private let state = Lock(State())
    /// How many wait in the list; read without the lock as a hint.
    private let waiting = Atomic<Int>(0)
    /// How many turns run that are expected to be long.
    private let longTurns = Atomic<Int>(0)
    private let workers: Int
    private let queue = DispatchQueue(label: "campipe.pool", qos: .userInitiated, attributes: .concurrent)

    /// From this length of a turn on, those who wait are worth a second thread.
    private static let worthAThread: Int64 = 20_000
    private static let handOffs = 64
    /// How many short turns one worker does before a second one is worth it.
    private static let few = 16
    /// For how many nanoseconds a thread is lent, all turns together: it has its own work to go on with.
    private static let lentTime: Int64 = 250_000
    /// From this length on a turn held up what the lent thread is for; its runner's next turns are the workers' then, for
    /// longer than the mean remembers: of a node that is long once in sixty turns it forgets that each time.
    private static let harm: Int64 = 1_000_000
    private static let penance = 256
    /// Over how many turns the length is averaged: a stolen time slice of 100 us does not make a short turn long, and one
    /// of 10 ms in thirty does.
    private static let memory: Int64 = 8

    package init(workers: Int = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { self.workers = workers }

    package func schedule(_ runner: Runner) {
        if let worker = PoolWorker.current, worker.pool === self {
            if let displaced = worker.place { enqueue(displaced, spawns: worker.isLent) }
            worker.place = runner
        } else {
            enqueue(runner, spawns: true)
        }
    }

    package func reschedule(_ runner: Runner) { enqueue(runner, spawns: PoolWorker.current?.isLent == true) }

    package func runHere(_ runner: Runner) {
        guard PoolWorker.current?.pool == nil else { return schedule(runner) }
        let worker = PoolWorker.enter(self, isLent: true)
        defer { worker.leave() }
        let usage = ThreadUsage.current
        let start = Self.now
        var time = start
        var next: Runner? = runner
        while let runner = next {
            guard runner.mayBorrow(), time - start + runner.estimate.load(ordering: .relaxed) <= Self.lentTime else {
                return enqueue(runner, spawns: true)
            }
            runner.run()
            let now = Self.measure(runner, since: time)
            if now - time >= Self.harm, ThreadUsage.current.isOwn(since: usage) { runner.withhold(Self.penance) }
            time = now
            next = worker.place.take()
        }
    }

    private func enqueue(_ runner: Runner, spawns: Bool) {
        let starts = state.withLock { state -> Bool in
            state.ready.insert(runner)
            waiting.store(state.ready.count, ordering: .relaxed)
            // Somebody must be there to look at the list: a worker that enqueues will look itself, a lent thread not.
            guard state.active < workers, spawns || state.active == 0 else { return false }
            state.active += 1
            return true
        }
        if starts { start() }
    }

    /// The runner that goes next on a worker whose place is empty; nil if the worker is to leave.
    ///
    /// It leaves too when others are at work and what waits are a few short turns: two cores that pass one chain of them
    /// to and fro pay more for the caches than a second worker gains (16 hops: 97 ns each by two, 60 by one). Whoever
    /// begins a long turn while some wait wakes another worker, so that they are not held up.
    private func takeNext() -> Runner? {
        state.withLock { state -> Runner? in
            let isSpare =
                state.active > 1 && state.ready.count <= Self.few
                && longTurns.load(ordering: .sequentiallyConsistent) == 0
            let runner = isSpare ? nil : state.ready.popFirst()
            waiting.store(state.ready.count, ordering: .sequentiallyConsistent)
            if runner == nil { state.active -= 1 }
            return runner
        }
    }

    private func start() { queue.async { [self] in drain() } }

    private func wakeAnother() {
        let starts = state.withLock { state -> Bool in
            guard state.ready.count > 0, state.active < workers else { return false }
            state.active += 1
            return true
        }
        if starts { start() }
    }

    private func drain() {
        let worker = PoolWorker.enter(self, isLent: false)
        defer { worker.leave() }
        var handOffs = 0
        var time = Self.now
        while true {
            var next = worker.place.take()
            if let runner = next {
                handOffs += 1
                if handOffs >= Self.handOffs {
                    enqueue(runner, spawns: false)
                    next = nil
                }
            }
            if next == nil {
                handOffs = 0
                next = takeNext()
            }
            guard let runner = next else { return }
            let isLong = runner.estimate.load(ordering: .relaxed) > Self.worthAThread
            if isLong {
                longTurns.add(1, ordering: .sequentiallyConsistent)
                if waiting.load(ordering: .sequentiallyConsistent) > 0 {
                    wakeAnother()
                    // It takes as long as a turn that is worth it.
                    time = Self.now
                }
            }
            runner.run()
            if isLong { longTurns.subtract(1, ordering: .sequentiallyConsistent) }
            time = Self.measure(runner, since: time)
        }
    }

    /// Learns from a turn that is over.
    ///
    /// What comes between two turns is counted with the second one: a clock costs as much as an item.
    ///
    /// - Returns: Now.
    private static func measure(_ runner: Runner, since time: Int64) -> Int64 {
        let now = now
        let before = runner.estimate.load(ordering: .relaxed)
        runner.estimate.store(before + (now - time - before) / memory, ordering: .relaxed)
        return now
    }

    private static var now: Int64 { SystemClock().now.nanoseconds }
}

/// What a drain block, or a lent thread, keeps on its thread, from one block to the next.
private final class PoolWorker {
    /// The pool whose block runs; nil between two.
    private(set) var pool: PoolExecutor?
    /// Whether the thread goes back to work of its own, so that it looks at no list.
    private(set) var isLent = false
    /// The runner that was handed off last.
    var place: Runner?

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key) { worker in
            if let worker = unsafe worker { unsafe Unmanaged<PoolWorker>.fromOpaque(worker).release() }
        }
        return key
    }()

    /// The worker whose thread this is; nil on every thread that never was one.
    static var current: PoolWorker? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<PoolWorker>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Makes this thread a worker of the pool until it leaves.
    static func enter(_ pool: PoolExecutor, isLent: Bool) -> PoolWorker {
        let worker = current ?? make()
        worker.pool = pool
        worker.isLent = isLent
        return worker
    }

    private static func make() -> PoolWorker {
        let worker = PoolWorker()
        unsafe pthread_setspecific(key, Unmanaged.passRetained(worker).toOpaque())
        return worker
    }

    func leave() {
        pool = nil
        isLent = false
    }
}
