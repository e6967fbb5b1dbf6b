import CampipeKit
import Testing

@testable import CampipeRuntime

/// The guarantees of `GraphPropertyTests` in real time on the real pool, with threads of their own for what blocks;
/// also under the thread sanitizer (`scripts/nightly`).
@Suite(.serialized) struct PoolPropertyTests {
    @Test("Drawn graphs keep all guarantees on the pool", arguments: [1, 2, 4])
    func guarantees(workers: Int) async {
        let pool = PoolExecutor(workers: workers)
        await withTaskGroup(of: [String].self) { group in
            for part in 0..<2 {
                group.addTask {
                    for seed in part * 12..<(part + 1) * 12 {
                        let graph = DrawnGraph(seed: UInt64(seed + workers * 1000))
                        let run = DrawnRun(graph, on: pool, clock: SystemClock(), threads: true, seed: UInt64(seed))
                        run.run(within: .seconds(60))
                        if !run.wrongs.isEmpty { return ["seed \(seed)"] + run.wrongs + ["\(graph)"] }
                    }
                    return []
                }
            }
            for await wrongs in group where !wrongs.isEmpty { Issue.record("\(wrongs.joined(separator: "\n"))") }
        }
    }
}
