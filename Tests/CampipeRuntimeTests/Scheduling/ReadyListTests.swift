import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct ReadyListTests {
    private func runner(_ rank: Int) -> Runner {
        let runner = TurnsRunner(executor: SeededExecutor(seed: 1)) {}
        runner.setRank(rank)
        return runner
    }

    @Test("Who is nearer to a sink goes first, then who came first")
    func order() {
        var list = ReadyList()
        let runners = [2, 0, 1, 0, 2].map(runner)
        for runner in runners { list.insert(runner) }
        let order = [1, 3, 2, 0, 4].map { runners[$0] }
        for expected in order { #expect(list.popFirst() === expected) }
        #expect(list.popFirst() == nil)
        #expect(list.count == 0)
    }

    @Test("A rank that is never empty does not keep others from running")
    func fair() {
        var list = ReadyList()
        let near = [runner(0), runner(0)]
        let far = runner(5)
        for runner in near { list.insert(runner) }
        list.insert(far)
        var turns = 0
        while turns < 100, let next = list.popFirst() {
            if next === far { break }
            list.insert(next)
            turns += 1
        }
        #expect(turns < 20)
    }
}

@Suite struct RunnerTests {
    @Test("A wake-up during a turn runs it once more, any number of them once")
    func wakeWhileRunning() {
        let executor = SeededExecutor(seed: 1)
        let turns = Lock(0)
        let box = Lock<TurnsRunner?>(nil)
        let runner = TurnsRunner(executor: executor) {
            let first = turns.withLock { turns -> Bool in
                turns += 1
                return turns == 1
            }
            if first { for _ in 0..<3 { box.withLock { $0 }?.wake() } }
        }
        box.withLock { $0 = runner }
        for _ in 0..<3 { runner.wake() }
        executor.run()
        #expect(turns.withLock { $0 } == 2)
        box.withLock { $0 = nil }
    }
}
