import CampipeKit
import Testing

@testable import CampipeNodes

/// Days and hours in local time.
@Suite struct AlertScheduleTests {
    private func read(_ value: Value) -> (schedule: AlertSchedule?, faults: [Fault]) {
        var faults: [Fault] = []
        let schedule = AlertSchedule.read(value, at: ["schedule"], into: &faults)
        return (schedule, faults)
    }

    private func time(_ day: Int, _ hour: Int, _ minute: Int = 0) -> DayTime {
        DayTime(day: day, minute: hour * 60 + minute)
    }

    @Test(
        "A moment is in it or not",
        arguments: [
            ("mon-fri 08:00-17:00", 0, 8, 0, true), ("mon-fri 08:00-17:00", 0, 7, 59, false),
            ("mon-fri 08:00-17:00", 4, 16, 59, true), ("mon-fri 08:00-17:00", 4, 17, 0, false),
            ("mon-fri 08:00-17:00", 5, 12, 0, false), ("sat,sun", 6, 0, 0, true), ("sat sun", 5, 23, 59, true),
            ("Saturday", 5, 1, 0, true), ("fri-mon", 6, 1, 0, true), ("fri-mon", 1, 1, 0, false),
            ("7:30-19:00", 3, 7, 30, true), ("18:00-24:00", 3, 23, 59, true), ("18:00-24:00", 3, 0, 0, false),
            // Over midnight it belongs to the day on which it begins.
            ("fri 22:00-06:00", 4, 22, 0, true), ("fri 22:00-06:00", 5, 5, 59, true),
            ("fri 22:00-06:00", 5, 6, 0, false), ("fri 22:00-06:00", 4, 5, 0, false),
            ("sun 22:00-06:00", 0, 3, 0, true), ("22:00-06:00", 2, 0, 0, true), ("22:00-06:00", 2, 12, 0, false),
        ])
    func includes(_ text: String, _ day: Int, _ hour: Int, _ minute: Int, _ isIn: Bool) throws {
        let schedule = try #require(read(.plain(text)).schedule)
        #expect(schedule.includes(time(day, hour, minute)) == isIn)
    }

    @Test("Of a list any counts")
    func list() throws {
        let schedule = try #require(read(.list([.plain("mon-fri 22:00-06:00"), .plain("sat,sun")])).schedule)
        #expect(schedule.includes(time(6, 12)) && schedule.includes(time(1, 23)) && !schedule.includes(time(1, 12)))
    }

    @Test(
        "What is wrong with it is a fault with its fix",
        arguments: [
            ("mon-fir 8:00-9:00", "\"fir\" is no day of the week", "did you mean \"fri\"?"),
            ("noon", "\"noon\" is no day of the week", "known: mon, tue, wed, thu, fri, sat, sun"),
            ("8-17", "\"8-17\" are no hours", "write them as 22:00-06:00, up to 24:00"),
            ("08:00-25:00", "\"08:00-25:00\" are no hours", "write them as 22:00-06:00, up to 24:00"),
            ("24:00-06:00", "\"24:00-06:00\" are no hours", "write them as 22:00-06:00, up to 24:00"),
            ("08:60-09:00", "\"08:60-09:00\" are no hours", "write them as 22:00-06:00, up to 24:00"),
            ("08:00-08:00", "\"08:00-08:00\" begins when it ends", "leave the hours out for the whole day"),
            ("mon-tue-wed", "\"mon-tue-wed\" is no span of days", "write mon-fri, or mon,wed,fri"),
            (
                "1:00-2:00 3:00-4:00", "\"1:00-2:00 3:00-4:00\" has two spans of hours",
                "write each as an element of a list"
            ),
            (" ", "no days or hours are given", "write mon-fri 22:00-06:00"),
        ])
    func faults(_ text: String, _ sentence: String, _ fix: String) {
        let (schedule, faults) = read(.plain(text))
        #expect(schedule == nil)
        #expect(faults.map(\.sentence) == [sentence])
        #expect(faults.first?.fix.contains(fix) == true, "\(faults.first?.fix ?? "")")
    }

    @Test("An empty list is a fault, since nothing would be told")
    func empty() {
        #expect(read(.list([])).faults.map(\.code) == [.invalidValue])
        #expect(read(.map([:])).faults.count == 1)
    }

    @Test("A wall time is read off in the machine's zone: an hour after another it is another hour")
    func zones() {
        let one = DayTime(WallTime(microseconds: 1_760_000_000_000_000))
        let other = DayTime(WallTime(microseconds: 1_760_000_000_000_000 + 3_600_000_000 * 24 * 7))
        // A week later it is the same, but for what clocks were set in between.
        #expect(one.day == other.day && abs(one.minute - other.minute) % 60 == 0)
    }

    @Test(
        "a fault is about its word, not about the whole text",
        arguments: [
            ("mon-fry 22:00-06:00", "fry"), ("mon-fri 25:00-26:00", "25:00-26:00"), ("sat, sunn", "sunn"),
            ("mon 10:00-11:00 12:00-13:00", "12:00-13:00"),
        ])
    func places(_ text: String, _ word: String) {
        let faults = read(.plain(text)).faults
        let scalars = Array(text.unicodeScalars)
        #expect(faults.map { $0.span.map { String(String.UnicodeScalarView(scalars[$0])) } } == [word])
    }
}
