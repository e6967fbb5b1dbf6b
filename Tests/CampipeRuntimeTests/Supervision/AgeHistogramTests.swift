import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite struct AgeHistogramTests {
    @Test("a percentile is never below the true one, and at most an eighth above", arguments: 0..<20)
    func percentiles(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var histogram = AgeHistogram()
        var ages: [Int64] = []
        for _ in 0..<Int.random(in: 1...2000, using: &random) {
            let age = Int64.random(in: 0...(1 << Int64.random(in: 10...39, using: &random)), using: &random)
            ages.append(age)
            histogram.record(.nanoseconds(age))
        }
        ages.sort()
        for share in [0.01, 0.5, 0.9, 0.99, 1] {
            let rank = max(1, Int((Double(ages.count) * share).rounded(.up)))
            let exact = ages[rank - 1]
            let found = try #require(histogram.percentile(share)).nanoseconds
            #expect(found >= exact)
            #expect(Double(found) <= Double(exact) * 1.125 + 1024)
        }
        #expect(histogram.largest?.nanoseconds == ages.last)
        #expect(histogram.count == UInt64(ages.count))
        #expect(histogram.nanoseconds == ages.reduce(0) { $0 + UInt64($1) })
    }

    @Test("it holds any age: none, the future, centuries")
    func extremes() {
        var histogram = AgeHistogram()
        #expect(histogram.percentile(0.5) == nil && histogram.largest == nil)
        histogram.record(.seconds(-3))
        #expect(histogram.percentile(1) == .zero)
        histogram.record(.seconds(9_000_000_000))
        #expect(histogram.percentile(1) == .seconds(9_000_000_000))
    }

    @Test("two histograms merge into that of all items")
    func merging() {
        var all = AgeHistogram()
        var parts = [AgeHistogram(), AgeHistogram()]
        for millisecond in 1...1000 {
            all.record(.milliseconds(millisecond))
            parts[millisecond % 2].record(.milliseconds(millisecond))
        }
        parts[0].merge(parts[1])
        #expect(parts[0].percentile(0.5) == all.percentile(0.5))
        #expect(parts[0].largest == all.largest && parts[0].count == 1000)
    }

    @Test("the doublings count exactly, however the ages lie around them")
    func doublings() {
        var histogram = AgeHistogram()
        var ages: [Int64] = []
        for power in 20...34 { for shift in [-2, -1, 0, 1] { ages.append(Int64(1) << power + Int64(shift)) } }
        ages += [0, 5, 1_000_000_000_000]
        for age in ages { histogram.record(.nanoseconds(age)) }
        #expect(histogram.doublings.count == 15)
        for (atMost, count) in histogram.doublings {
            #expect(count == UInt64(ages.count { $0 <= atMost.nanoseconds }), "\(atMost)")
        }
        #expect(AgeHistogram().doublings.allSatisfy { $0.count == 0 })
    }
}
