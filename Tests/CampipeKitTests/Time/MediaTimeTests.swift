import CampipeKit
import Testing

@Suite("Media time")
struct MediaTimeTests {
    private static let bases: [Timebase] = [
        .nanoseconds, .microseconds, .rtpVideo, Timebase(1, 1), Timebase(1, 25), Timebase(1001, 30_000),
        Timebase(Int32.max, 1), Timebase(1, Int32.max), Timebase(Int32.max, Int32.max - 1),
    ]

    @Test("rescaling agrees with exact rational arithmetic, halves away from zero")
    func rescales() {
        var random = SplitMix(seed: 2)
        for _ in 0..<20_000 {
            let from = Self.bases.randomElement(using: &random) ?? .nanoseconds
            let to = Self.bases.randomElement(using: &random) ?? .nanoseconds
            let shift = Int64.random(in: 0...63, using: &random)
            let ticks = Int64.random(in: .min ... .max, using: &random) >> shift
            let numerator = Int128(ticks) * Int128(from.numerator) * Int128(to.denominator)
            let denominator = Int128(from.denominator) * Int128(to.numerator)
            let (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
            let isHalf = rest.magnitude * 2 >= denominator.magnitude
            let nearest = whole + (isHalf ? (numerator < 0 ? -1 : 1) : 0)
            let down = rest < 0 ? whole - 1 : whole
            let time = MediaTime(ticks: ticks, timebase: from)
            #expect(time.rescaled(to: to)?.ticks == Int64(exactly: nearest), "\(ticks) of \(from) to \(to)")
            #expect(
                time.rescaled(to: to, rounding: .down)?.ticks == Int64(exactly: down), "\(ticks) of \(from) to \(to)")
        }
    }

    @Test(
        "rescaling rounds halves away from zero, or down",
        arguments: [(5, 3, 2), (-5, -3, -3), (3, 2, 1), (-3, -2, -2), (4, 2, 2)] as [(Int64, Int64, Int64)])
    func rounds(ticks: Int64, nearest: Int64, down: Int64) {
        let time = MediaTime(ticks: ticks, timebase: Timebase(1, 2))
        #expect(time.rescaled(to: Timebase(1, 1))?.ticks == nearest)
        #expect(time.rescaled(to: Timebase(1, 1), rounding: .down)?.ticks == down)
    }

    @Test("what does not fit is nil, and as a duration it saturates")
    func saturates() {
        let long = MediaTime(ticks: .max, timebase: Timebase(1, 1))
        #expect(long.rescaled(to: .nanoseconds) == nil)
        #expect(long.duration == .nanoseconds(Int64.max))
        let early = MediaTime(ticks: .min, timebase: Timebase(1, 1))
        #expect(early.duration == .nanoseconds(Int64.min))
        #expect(MediaTime(ticks: .min, timebase: .nanoseconds).duration == .nanoseconds(Int64.min))
    }

    @Test("equal times are one time, whatever their timebases")
    func equality() {
        let half = MediaTime(ticks: 1, timebase: Timebase(1, 2))
        let same = MediaTime(ticks: 45_000, timebase: .rtpVideo)
        #expect(half == same)
        #expect(Set([half, same]).count == 1)
        #expect(half < MediaTime(ticks: 45_001, timebase: .rtpVideo))
        #expect(MediaTime(ticks: .max, timebase: .nanoseconds) < MediaTime(ticks: .max, timebase: .microseconds))
    }
}

@Suite("Instant")
struct InstantTests {
    @Test("sums stay at the ends of the line instead of overflowing")
    func saturates() {
        #expect(Instant.distantFuture + .seconds(1) == .distantFuture)
        #expect(Instant.distantPast - .seconds(1) == .distantPast)
        #expect(Instant.distantPast + .seconds(-1) == .distantPast)
        #expect(Instant.distantFuture - .seconds(-1) == .distantFuture)
        #expect(Instant.zero + .seconds(1_000_000_000_000) == .distantFuture)
        #expect(Instant.zero - .seconds(1_000_000_000_000) == Instant(nanoseconds: -.max))
        #expect(Instant.distantFuture - Instant.distantPast == .nanoseconds(Int64.max))
        #expect(Instant.distantPast - Instant.distantFuture == .nanoseconds(Int64.min))
        #expect(Instant(nanoseconds: 5) - Instant(nanoseconds: 8) == .nanoseconds(-3))
    }

    @Test(
        "a duration in nanoseconds is rounded towards zero and saturates",
        arguments: [
            (Duration(secondsComponent: 1, attosecondsComponent: 1_999_999_999), 1_000_000_001),
            (Duration(secondsComponent: -1, attosecondsComponent: -1_999_999_999), -1_000_000_001),
            (.milliseconds(-1), -1_000_000), (.milliseconds(9223), 9_223_000_000), (.milliseconds(9224), 9_224_000_000),
            (.milliseconds(-9224), -9_224_000_000), (.seconds(300_000_000), 300_000_000_000_000_000),
            (.seconds(10_000_000_000), .max), (.seconds(-10_000_000_000), .min),
        ] as [(Duration, Int64)])
    func nanoseconds(duration: Duration, expected: Int64) {
        #expect(duration.nanoseconds == expected)
    }
}
