import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Times of RTP")
struct TimeTests {
    struct Table: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// What the camera says, and when it arrived in milliseconds.
        var sent: [(raw: UInt32, at: Int)]
        var expected: [Int64]
        var counts: (wraps: Int, jumps: Int, constant: Int, backwards: Int)
        var isReordered = false
    }

    static let tables = [
        Table(
            testDescription: "plain", sent: [(9000, 0), (12_000, 33), (15_000, 66)], expected: [0, 3000, 6000],
            counts: (0, 0, 0, 0)),
        Table(
            testDescription: "a wrap goes on", sent: [(0xFFFF_F000, 0), (0xFFFF_FBB8, 33), (0x770, 66)],
            expected: [0, 3000, 6000], counts: (1, 0, 0, 0)),
        Table(
            testDescription: "a reset to zero goes on by the time that passed",
            sent: [(0x8000_0000, 0), (0x8000_0BB8, 33), (0, 83), (3000, 116)], expected: [0, 3000, 7500, 10_500],
            counts: (0, 1, 0, 0)),
        Table(
            testDescription: "a reset in a burst goes on by the step before",
            sent: [(0x8000_0000, 0), (0x8000_0BB8, 0), (0, 0), (3000, 0)], expected: [0, 3000, 6000, 9000],
            counts: (0, 1, 0, 0)),
        Table(
            testDescription: "a jump ahead goes on", sent: [(0, 0), (3000, 33), (90_000_000, 66), (90_003_000, 99)],
            expected: [0, 3000, 6000, 9000], counts: (0, 1, 0, 0)),
        Table(
            testDescription: "a pause is no jump", sent: [(0, 0), (3000, 33), (5_403_000, 60_033)],
            expected: [0, 3000, 5_403_000], counts: (0, 0, 0, 0)),
        Table(
            testDescription: "always the same time", sent: [(7, 0), (7, 40), (7, 80), (7, 81)],
            expected: [0, 3600, 7200, 7290], counts: (0, 0, 3, 0)),
        Table(
            testDescription: "a little back", sent: [(0x2000_0000, 0), (0x2000_0BB8, 33), (0x2000_07D0, 66)],
            expected: [0, 3000, 6000], counts: (0, 0, 0, 1)),
        Table(
            testDescription: "reordered pictures go back as they are shown",
            sent: [(0, 0), (9000, 33), (3000, 66), (6000, 99), (18_000, 133)],
            expected: [0, 9000, 3000, 6000, 18_000], counts: (0, 0, 0, 0), isReordered: true),
    ]

    @Test("times only grow as the light did, and what was wrong is counted", arguments: tables)
    func mending(_ table: Table) {
        var mender = TimestampMender(rate: 90_000)
        let found = table.sent.map { sent in
            mender.mend(sent.raw, at: .zero + .milliseconds(sent.at), isReordered: table.isReordered)
        }
        #expect(found == table.expected)
        let counts = mender.counts
        #expect(
            [counts.wraps, counts.jumps, counts.constant, counts.backwards] == [
                table.counts.wraps, table.counts.jumps, table.counts.constant, table.counts.backwards,
            ])
        #expect(counts.mended == table.counts.jumps + table.counts.constant + table.counts.backwards)
    }

    @Test("thirteen hours of wraps stay exact")
    func day() {
        var mender = TimestampMender(rate: 90_000)
        var raw: UInt32 = 0
        var last: Int64 = 0
        for second in 0..<100_000 {
            last = mender.mend(raw, at: .zero + .seconds(second))
            raw &+= 90_000
        }
        #expect(last == 99_999 * 90_000)
        #expect(mender.counts.wraps == 2 && mender.counts.mended == 0)
    }

    @Test("a burst after a stall is late, a constant delay is not")
    func burst() {
        var clock = ArrivalClock()
        func captured(_ time: Int, _ arrival: Int) -> Int {
            let found = clock.captured(.milliseconds(time), arrival: .zero + .milliseconds(arrival))
            return Int(found.nanoseconds / 1_000_000)
        }
        #expect(captured(0, 1200) == 1200)
        #expect(captured(100, 1300) == 1300)
        #expect(captured(200, 1390) == 1390)  // less delay: what was before was late
        #expect(captured(300, 2400) == 1490)
        #expect(captured(400, 2400) == 1590)
        #expect(captured(1300, 2500) == 2490)
    }

    @Test("a camera whose clock drifts by a second a day stays within half a tenth of a second", arguments: [-12, 12])
    func drift(_ partsPerMillion: Int) {
        var clock = ArrivalClock()
        var worst = Duration.zero
        var last = Instant.zero
        for tick in 0..<36_000 {
            let real = Duration.milliseconds(tick * 100)
            let camera = real + real * partsPerMillion / 1_000_000
            let arrival = Instant.zero + .seconds(5) + real + .milliseconds(tick % 7)
            let found = clock.captured(camera, arrival: arrival)
            #expect(found <= arrival && found >= last)
            last = found
            worst = max(worst, arrival - found)
        }
        #expect(worst < .milliseconds(50))
    }

    @Test("a clock that was set anew is another clock")
    func otherClock() {
        var clock = ArrivalClock()
        _ = clock.captured(.zero, arrival: .zero + .seconds(1))
        let found = clock.captured(.seconds(1), arrival: .zero + .seconds(60))
        #expect(found == .zero + .seconds(60))
    }

    @Test(
        "decoding times only grow, and none is after its picture's own",
        arguments: [
            (0, [0, 3, 6, 9], [0, 3, 6, 9]), (1, [0, 9, 3, 6, 18, 12, 15], [-3, 0, 3, 6, 9, 12, 15]),
            (2, [0, 12, 6, 3, 9, 24], [-6, -3, 0, 3, 6, 9]),
        ] as [(Int, [Int64], [Int64])])
    func decoding(_ depth: Int, _ shown: [Int64], _ expected: [Int64]) {
        var times = DecodingTimes(step: 3)
        times.learn(depth)
        #expect(shown.map { times.place($0) } == expected)
    }

    @Test("a stream that does not say that it reorders is found out")
    func unsaid() {
        var times = DecodingTimes(step: 3)
        times.learn(nil)
        let shown: [Int64] = [0, 900, 300, 600, 1800, 1200, 1500]
        let found = shown.map { times.place($0) }
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(found, shown).dropFirst(4).allSatisfy { $0 <= $1 })
        #expect(times.depth == 1)
    }

    @Test("a keyframe each four seconds is enough; fewer are told once")
    func keyframes() {
        var often = KeyframeInterval()
        var seldom = KeyframeInterval()
        var told: [Duration] = []
        for tick in 0..<300 {
            let time = Duration.milliseconds(tick * 100)
            #expect(often.look(isKeyframe: tick % 40 == 0, time: time) == nil)
            if let long = seldom.look(isKeyframe: tick % 100 == 0, time: time) { told.append(long) }
        }
        #expect(told == [.milliseconds(4100)])
    }

    @Test("a sender's report says the camera's own time, and ours says that we listen")
    func control() {
        // 2026-01-01 00:00:00.5 UTC, RTP time 0x01020304.
        let seconds = UInt32(2_208_988_800 + 1_767_225_600)
        var bytes: [UInt8] = [0x80, 200, 0, 6, 0, 0, 0, 9]
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds >> $0) } + [0x80, 0, 0, 0]
        bytes += [1, 2, 3, 4, 0, 0, 0, 1, 0, 0, 0, 2]
        let report = RTCP.senderReport([0x80, 201, 0, 1, 0, 0, 0, 1] + bytes)
        #expect(report?.time == WallTime(microseconds: 1_767_225_600_500_000))
        #expect(report?.timestamp == 0x0102_0304)
        #expect(RTCP.senderReport(Array(bytes.dropLast())) == nil)
        let own = RTCP.receiverReport(own: 5, about: 9, lost: 3, highest: 0x1_0002, last: (0x1234_5678, .seconds(1)))
        #expect(own.count % 4 == 0 && own.count == 32 + 20)
        #expect(Array(own[4..<24]) == [0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 3, 0, 1, 0, 2, 0, 0, 0, 0])
        #expect(Array(own[24..<28]) == [0x12, 0x34, 0x56, 0x78])
        #expect(own[32..<36] == [0x81, 202, 0, 4])
    }
}
