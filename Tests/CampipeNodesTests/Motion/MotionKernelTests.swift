import Testing

@testable import CampipeNodes

@Suite("Motion's kernels do what their reference says")
struct MotionKernelTests {
    /// Sizes around what the compiler makes of the loops: one, a word, a register, and odd ones.
    static let sizes = [(1, 1), (1, 9), (2, 2), (3, 3), (16, 4), (17, 5), (33, 7), (64, 3), (129, 9), (160, 90)]

    private struct Source {
        var state: UInt64
        mutating func bytes(_ count: Int, below range: UInt64 = 256) -> [UInt8] {
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: (state >> 33) % range)
            }
        }
        mutating func words(_ count: Int) -> [UInt16] {
            zip(bytes(count), bytes(count)).map { UInt16($0) << 8 | UInt16($1) }
        }
    }

    @Test("each, over planes of many shapes", arguments: sizes)
    func shapes(_ columns: Int, _ rows: Int) {
        let count = columns * rows
        for seed in 1...2 {
            var source = Source(state: UInt64(seed))
            let (a, b, limits) = (source.bytes(count), source.bytes(count), source.bytes(count, below: 80))
            let (looked, states) = (source.bytes(count, below: 2), source.bytes(count, below: 3))
            var target = [UInt8](repeating: 7, count: count)
            var scratch = [UInt16](repeating: 0, count: columns)
            MotionCells.smooth(a, columns, rows, scratch: &scratch, to: &target)
            #expect(target == MotionReference.smooth(a, columns, rows))
            MotionCells.changed(a, b, limits: limits, looked: looked, to: &target)
            #expect(target == MotionReference.changed(a, b, limits: limits, looked: looked))
            #expect(MotionCells.sum(target) == target.reduce(0) { $0 + Int($1) })
            let same = MotionReference.changed(
                a, b, limits: [UInt8](repeating: limits[0], count: count), looked: looked)
            #expect(
                MotionCells.differing(a, b, limit: limits[0], looked: looked) == same.reduce(0) { $0 + Int($1) })
            let marks = source.bytes(count, below: 8).map { UInt8($0 < 5 ? 1 : 0) }
            var (kept, wide) = (target, target)
            MotionCells.despeckle(marks, columns, rows, kept: &kept, wide: &wide)
            #expect((kept, wide) == MotionReference.despeckle(marks, columns, rows))
            MotionCells.states(marks, to: &target)
            #expect(target == marks.map { $0 * 2 })
            let words = source.words(count)
            var moved = words
            MotionCells.follow(&moved, a, state: states, rates: (900, 65536 / 2, 40))
            #expect(moved == MotionReference.follow(words, a, state: states, rates: [900, 65536 / 2, 40]))
            MotionCells.whole(words, to: &target)
            #expect(target == words.map { UInt8($0 / 256) })
            var unrest = words
            MotionCells.unrest(&unrest, a, b, rise: 512, fall: 51)
            #expect(unrest == MotionReference.unrest(words, a, b, rise: 512, fall: 51))
            MotionCells.limits(words, base: 14, slack: 3, to: &target)
            #expect(target == MotionReference.limits(words, base: 14, slack: 3))
        }
    }

    @Test("a difference, for every pair of levels and every limit that matters")
    func everyDifference() {
        let left = (0..<65536).map { UInt8($0 & 255) }
        let right = (0..<65536).map { UInt8($0 >> 8) }
        let looked = [UInt8](repeating: 1, count: 65536)
        var target = looked
        for limit in [0, 14, 128, 255] as [UInt8] {
            let limits = [UInt8](repeating: limit, count: 65536)
            MotionCells.changed(left, right, limits: limits, looked: looked, to: &target)
            #expect(target == MotionReference.changed(left, right, limits: limits, looked: looked))
        }
    }

    @Test("a step of the background, from every level in 1/256 to every level")
    func everyStep() {
        let words = (0...65535).map { UInt16($0) }
        let state = [UInt8](repeating: 0, count: 65536)
        for level in [0, 128, 255] as [UInt8] {
            let picture = [UInt8](repeating: level, count: 65536)
            for rate in [1, 163, 32768] {
                var moved = words
                MotionCells.follow(&moved, picture, state: state, rates: (Int32(rate), 0, 0))
                #expect(moved == MotionReference.follow(words, picture, state: state, rates: [rate, 0, 0]))
            }
            var unrest = words
            MotionCells.unrest(&unrest, picture, state, rise: 700, fall: 70)
            #expect(unrest == MotionReference.unrest(words, picture, state, rise: 700, fall: 70))
        }
        for (base, slack) in [(0, 0), (14, 3), (200, 41), (255, 255)] as [(UInt8, UInt8)] {
            var target = state
            MotionCells.limits(words, base: base, slack: slack, to: &target)
            #expect(target == MotionReference.limits(words, base: Int(base), slack: Int(slack)))
        }
    }
}
