import CampipeKit
import Testing

@Suite("The node contract")
struct ConformanceTests {
    @Test(
        "every built-in node keeps the node contract, and leaks nothing over 10,000 items",
        arguments: BuiltInConformance.all)
    func contract(_ node: BuiltInConformance) throws {
        let reports = try node.check()
        for report in reports { #expect(report.isConforming, "\(report)") }
        let seen = reports.map(\.longRun).max() ?? 0
        #expect(seen >= BuiltInConformance.longRun, "the search for leaks saw \(seen) items")
    }
}
