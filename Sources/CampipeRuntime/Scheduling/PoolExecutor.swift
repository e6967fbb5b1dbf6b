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
package final class PoolExecutor: RunnerExecutor {
    private struct State {
        var ready = ReadyList()
        var active = 0
    }
    private let state = Lock(State())
    /// How many wait in the list; read without the lock as a hint.
    private let waiting = Atomic<Int>(0)
    private let workers: Int
    private let queue = DispatchQueue(label: "campipe.pool", qos: .userInitiated, attributes: .concurrent)

    /// From this length of a turn on, those who wait are worth a second thread.
    private static let worthAThread: Int64 = 20_000
    private static let handOffs = 64

    package init(workers: Int = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) { self.workers = workers }

    package func schedule(_ runner: Runner) {
        if let worker = PoolWorker.current, worker.pool === self {
            if let displaced = worker.place { enqueue(displaced, spawns: false) }
            worker.place = runner
        } else {
            enqueue(runner, spawns: true)
        }
    }

    package func reschedule(_ runner: Runner) { enqueue(runner, spawns: false) }

    private func enqueue(_ runner: Runner, spawns: Bool) {
        let starts = state.withLock { state -> Bool in
            state.ready.insert(runner)
            waiting.store(state.ready.count, ordering: .relaxed)
            // Somebody must be there to look at the list: a worker that enqueues will look itself.
            guard state.active < workers, spawns || state.active == 0 else { return false }
            state.active += 1
            return true
        }
        if starts { start() }
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
        let worker = PoolWorker(self)
        worker.enter()
        defer { worker.leave() }
        var handOffs = 0
        var time = DispatchTime.now().uptimeNanoseconds
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
                next = state.withLock { state -> Runner? in
                    let runner = state.ready.popFirst()
                    waiting.store(state.ready.count, ordering: .relaxed)
                    if runner == nil { state.active -= 1 }
                    return runner
                }
            }
            guard let runner = next else { return }
            if waiting.load(ordering: .relaxed) > 0, runner.estimate.load(ordering: .relaxed) > Self.worthAThread {
                wakeAnother()
            }
            runner.run()
            // What comes between two turns is counted with the second one: a clock costs as much as an item.
            let now = DispatchTime.now().uptimeNanoseconds
            let before = runner.estimate.load(ordering: .relaxed)
            runner.estimate.store(max(Int64(now &- time), before - before / 4), ordering: .relaxed)
            time = now
        }
    }
}

/// What a drain block keeps on its thread.
private final class PoolWorker {
    let pool: PoolExecutor
    /// The runner that was handed off last.
    var place: Runner?

    init(_ pool: PoolExecutor) { self.pool = pool }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// The worker whose thread this is; nil on every other thread.
    static var current: PoolWorker? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<PoolWorker>.fromOpaque(pointer).takeUnretainedValue()
    }

    func enter() { unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque()) }
    func leave() { pthread_setspecific(Self.key, nil) }
}
