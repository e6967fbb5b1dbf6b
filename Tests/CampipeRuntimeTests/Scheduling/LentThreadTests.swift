import CampipeKit
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CampipeRuntime

/// Notes the thread of each of its turns, and may wake another.
private final class NotingRunner: Runner, @unchecked Sendable {
    // Touched in turns only, but for the lock.
    private let threads = Lock<[UInt]>([])
    private let turns: Int
    private let next: Runner?
    private let microseconds: UInt32
    private let done: DispatchSemaphore

    /// - Parameters:
    ///   - estimate: What is known of the length of its turns, in nanoseconds.
    ///   - turns: How many it has for one wake-up.
    ///   - microseconds: What a turn takes at least.
    init(
        _ executor: PoolExecutor, estimate: Int64, turns: Int = 1, microseconds: UInt32 = 0, next: Runner? = nil,
        done: DispatchSemaphore
    ) {
        self.turns = turns
        self.microseconds = microseconds
        self.next = next
        self.done = done
        super.init(executor: executor)
        self.estimate.store(estimate, ordering: .relaxed)
    }

    override func turn() -> Bool {
        let count = threads.withLock { threads -> Int in
            threads.append(UInt(pthread_self()))
            return threads.count
        }
        if microseconds > 0 { usleep(microseconds) }
        next?.wake(here: true)
        if count >= turns { done.signal() }
        return count < turns
    }

    /// Of each turn, whether it ran on the calling thread.
    var areHere: [Bool] { threads.withLock { $0.map { $0 == UInt(pthread_self()) } } }
}

/// What a thread does that lends itself to the pool (docs/adr/0002).
@Suite struct LentThreadTests {
    private let pool = PoolExecutor(workers: 2)
    private let done = DispatchSemaphore(value: 0)
    private let short: Int64 = 1000
    private let long: Int64 = 10_000_000

    private func wait(_ count: Int) {
        for _ in 0..<count { #expect(done.wait(timeout: .now() + .seconds(30)) == .success) }
    }

    @Test("A lent thread does a short turn and the short one that follows from it")
    func shortTurns() {
        let last = NotingRunner(pool, estimate: short, done: done)
        let first = NotingRunner(pool, estimate: short, next: last, done: done)
        first.wake(here: true)
        wait(2)
        #expect(first.areHere == [true])
        #expect(last.areHere == [true])
    }

    @Test("A turn that takes long, or of which nothing is known, is for the workers", arguments: [10_000_000, nil])
    func longTurn(_ estimate: Int64?) {
        let unknown = Runner(executor: pool).estimate.load(ordering: .relaxed)
        let runner = NotingRunner(pool, estimate: estimate ?? unknown, done: done)
        runner.wake(here: true)
        wait(1)
        #expect(runner.areHere == [false])
    }

    @Test("A long turn that follows from a short one is for the workers")
    func longAfterShort() {
        let last = NotingRunner(pool, estimate: long, done: done)
        let first = NotingRunner(pool, estimate: short, next: last, done: done)
        first.wake(here: true)
        wait(2)
        #expect(first.areHere == [true])
        #expect(last.areHere == [false])
    }

    @Test("A lent thread does one turn of a runner; the workers do the next ones")
    func moreToDo() {
        let runner = NotingRunner(pool, estimate: short, turns: 3, done: done)
        runner.wake(here: true)
        wait(1)
        #expect(runner.areHere == [true, false, false])
    }

    @Test("What is no node, as a pipeline's controller, is for the workers however short its turns are")
    func controller() {
        let isHere = Lock<Bool?>(nil)
        let caller = UInt(pthread_self())
        let turns = TurnsRunner(executor: pool) { [done] in
            isHere.withLock { $0 = UInt(pthread_self()) == caller }
            done.signal()
        }
        turns.estimate.store(short, ordering: .relaxed)
        turns.wake(here: true)
        wait(1)
        #expect(isHere.withLock(\.self) == false)
    }

    @Test("A thread that is not lent does no turn")
    func notLent() {
        let runner = NotingRunner(pool, estimate: short, done: done)
        runner.wake()
        wait(1)
        #expect(runner.areHere == [false])
    }

    @Test("A thread was lent for one time only: what is woken on it later is for the workers")
    func givenBack() {
        NotingRunner(pool, estimate: short, done: done).wake(here: true)
        let later = NotingRunner(pool, estimate: short, done: done)
        later.wake()
        wait(2)
        #expect(later.areHere == [false])
    }

    @Test("A thread is lent for a time, all turns together; what is expected to take longer is for the workers")
    func limit() {
        let last = NotingRunner(pool, estimate: 100_000, done: done)
        let first = NotingRunner(pool, estimate: 100_000, microseconds: 170, next: last, done: done)
        first.wake(here: true)
        wait(2)
        #expect(first.areHere == [true])
        #expect(last.areHere == [false])
    }

    @Test("A node that held up a lent thread is for the workers then, though its turns are short again")
    func heldUp() {
        let runner = NotingRunner(pool, estimate: short, microseconds: 2000, done: done)
        for _ in 0..<258 {
            runner.estimate.store(short, ordering: .relaxed)
            runner.wake(here: true)
            wait(1)
            // The turn told of itself; a moment later it is over and measured.
            while runner.estimate.load(ordering: .relaxed) == short { sched_yield() }
        }
        #expect(runner.areHere == [true] + Array(repeating: false, count: 256) + [true])
    }

    @Test("A runner that is at work elsewhere is not waited for")
    func atWork() {
        let isInside = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let threads = Lock<[UInt]>([])
        let runner = TurnsRunner(executor: pool) { [done] in
            threads.withLock { $0.append(UInt(pthread_self())) }
            isInside.signal()
            goOn.wait()
            done.signal()
        }
        runner.wake()
        isInside.wait()
        runner.wake(here: true)
        #expect(threads.withLock(\.count) == 1)
        goOn.signal()
        goOn.signal()
        wait(2)
        #expect(threads.withLock { !$0.contains(UInt(pthread_self())) })
    }

    @Test("An executor that draws the order of turns draws that of these too")
    func seeded() {
        let executor = SeededExecutor(seed: 1)
        let turns = Lock(0)
        let runner = TurnsRunner(executor: executor) { turns.withLock { $0 += 1 } }
        runner.wake(here: true)
        #expect(turns.withLock(\.self) == 0)
        #expect(executor.run() == 1)
        #expect(turns.withLock(\.self) == 1)
    }
}
