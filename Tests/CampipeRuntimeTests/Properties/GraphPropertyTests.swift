import CampipeKit
import Testing

@testable import CampipeRuntime

/// The guarantees of design section 4 on drawn graphs, each turn order drawn by a seed, time turned by hand.
///
/// One run checks all of them (`DrawnRun`): items and gaps are the items made on each path; every ledger balances in every
/// snapshot; order by captured is kept, and nothing comes at or before a watermark; nothing is dropped that is not live; a
/// join sees all that its sides captured up to the primary; what waits is bounded; all ends; nodes are finished exactly
/// once for each time they were opened.
@Suite struct GraphPropertyTests {
    private static let chunk = 100

    @Test("Drawn graphs keep all guarantees", arguments: 0..<20)
    func guarantees(part: Int) {
        for seed in part * Self.chunk..<(part + 1) * Self.chunk {
            let graph = DrawnGraph(seed: UInt64(seed))
            let run = DrawnRun(graph, seed: UInt64(seed))
            run.run()
            if !run.wrongs.isEmpty {
                Issue.record("seed \(seed): \(run.wrongs.joined(separator: "\n"))\n\(graph)")
                return
            }
        }
    }

    @Test("The diamond of seed 182, which a join that ignores gaps deadlocks, ends", arguments: [182])
    func seed182(seed: UInt64) {
        let run = DrawnRun(DrawnGraph(seed: seed, onlyLive: false), seed: seed)
        run.run()
        #expect(run.wrongs == [])
    }
}
