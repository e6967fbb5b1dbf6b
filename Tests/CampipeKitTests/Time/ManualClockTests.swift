import CampipeKit
import Testing

@Suite("Manual clock")
struct ManualClockTests {
    private final class Diary: Sendable {
        private let state = Lock<[String]>([])
        var lines: [String] { state.withLock { $0 } }
        func write(_ line: String) { state.withLock { $0.append(line) } }
    }

    @Test("timers fire in order of their instants, at one instant in order of scheduling, each at its own time")
    func order() {
        let (clock, diary) = (ManualClock(), Diary())
        for (name, time) in [("c", 30), ("a", 10), ("b1", 20), ("b2", 20)] {
            clock.schedule(at: .zero + .milliseconds(time)) {
                diary.write("\(name)@\(clock.now.nanoseconds / 1_000_000)")
            }
        }
        clock.advance(by: .milliseconds(20))
        #expect(diary.lines == ["a@10", "b1@20", "b2@20"])
        clock.advance(by: .milliseconds(20))
        #expect(diary.lines.last == "c@30")
        #expect(clock.now == .zero + .milliseconds(40))
    }

    @Test("a timer scheduled by another fires in the same advance if it is due by then, and time never goes back")
    func nested() {
        let (clock, diary) = (ManualClock(), Diary())
        clock.schedule(at: .zero + .milliseconds(10)) {
            clock.schedule(at: .zero + .milliseconds(5)) { diary.write("past@\(clock.now.nanoseconds / 1_000_000)") }
            clock.schedule(at: .zero + .milliseconds(15)) { diary.write("due@\(clock.now.nanoseconds / 1_000_000)") }
            clock.schedule(at: .zero + .milliseconds(25)) { diary.write("later") }
        }
        clock.advance(by: .milliseconds(20))
        #expect(diary.lines == ["past@10", "due@15"])
        clock.advance(to: .zero)
        #expect(clock.now == .zero + .milliseconds(20))
        #expect(clock.nextTimer == .zero + .milliseconds(25))
    }

    @Test("a cancelled timer does not fire, one whose handle went does")
    func cancels() {
        let (clock, diary) = (ManualClock(), Diary())
        let timer = clock.schedule(at: .zero + .seconds(1)) { diary.write("cancelled") }
        clock.schedule(at: .zero + .seconds(1)) { diary.write("kept") }
        timer.cancel()
        clock.advance(by: .seconds(1))
        #expect(diary.lines == ["kept"])
        #expect(!timer.isPending && clock.nextTimer == nil)
    }

    @Test("the world's time goes along, and can be set without any passing")
    func wall() {
        let clock = ManualClock(wall: WallTime(microseconds: 0))
        clock.advance(by: .milliseconds(2))
        #expect(clock.wallTime == WallTime(microseconds: 2000))
        #expect(clock.wallTime(at: .zero) == WallTime(microseconds: 0))
        clock.setWallTime(WallTime(microseconds: -5))
        #expect(clock.now == .zero + .milliseconds(2) && clock.wallTime.microseconds == -5)
    }

    @Test("the host's clock is monotonic and rings once it is due")
    func system() async {
        let clock = SystemClock()
        let start = clock.now
        await withCheckedContinuation { done in
            clock.schedule(at: start + .milliseconds(2)) { done.resume() }
        }
        #expect(clock.now >= start + .milliseconds(2))
    }
}
