import CampipeKit
import Testing

@testable import CampipeStore

@Suite("Which recordings an event belongs to")
struct EventMarksTests {
    private func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    private func take(
        _ marks: inout EventMarks, _ id: String, _ phase: Event.Phase, _ seconds: Int
    ) -> [String] {
        marks.take(
            "motion_started", id: id, node: "watch", phase: phase, at: at(seconds), time: morning + .seconds(seconds)
        ).map {
            "\($0.path) \(($0.event.begun - morning).seconds) \($0.event.ended.map { ($0 - morning).seconds } ?? -1)"
        }
    }

    /// Recordings of ten seconds, named by their beginning; the one that begins last is open.
    private func recorded(through last: Int, before: Int = 0, after: Int = 0) -> EventMarks {
        var marks = EventMarks(before: .seconds(before), after: .seconds(after))
        for second in stride(from: 0, through: last, by: 10) {
            _ = marks.began("\(second)", at: at(second))
            if second < last { marks.ended(at: at(second + 10)) }
        }
        return marks
    }

    @Test("the recording at hand has it, with its end once that is known")
    func one() {
        var marks = recorded(through: 20)
        #expect(take(&marks, "1", .began, 23) == ["20 23.0 -1.0"])
        #expect(take(&marks, "1", .began, 24) == [], "a repeat")
        #expect(take(&marks, "1", .ended, 27) == ["20 23.0 27.0"])
        #expect(take(&marks, "1", .ended, 28) == [])
    }

    @Test("one that is told late belongs to the recordings of its time")
    func late() {
        var marks = recorded(through: 30)
        #expect(take(&marks, "1", .began, 18) == ["10 18.0 -1.0", "20 18.0 -1.0", "30 18.0 -1.0"])
        var other = recorded(through: 30)
        #expect(take(&other, "2", .happened, 15) == ["10 15.0 15.0"])
    }

    @Test("the recordings that begin while it goes on have it too, and those after it do not")
    func through() {
        var marks = recorded(through: 0)
        _ = take(&marks, "1", .began, 5)
        #expect(marks.began("next", at: at(10)).map(\.path) == ["next"])
        #expect(take(&marks, "1", .ended, 12) == ["0 5.0 12.0", "next 5.0 12.0"])
        marks.ended(at: at(20))
        #expect(marks.began("third", at: at(20)) == [])
    }

    @Test("what is right before and behind it belongs to it", arguments: [(0, ["10"]), (4, ["0", "10", "20"])])
    func margins(_ margin: Int, _ paths: [String]) {
        var marks = recorded(through: 10, before: margin, after: margin)
        var found = take(&marks, "1", .began, 13).map { $0.prefix { $0 != " " } }
        _ = take(&marks, "1", .ended, 17)
        marks.ended(at: at(20))
        found += marks.began("20", at: at(20)).map { $0.path[...] }
        #expect(found.map(String.init).sorted() == paths)
    }

    @Test("it does not grow with what is past")
    func bounded() {
        var marks = EventMarks(before: .seconds(5), after: .seconds(5))
        for number in 0..<1000 {
            _ = marks.began("\(number)", at: at(number * 10))
            _ = take(&marks, "\(number)", .began, number * 10)
            marks.ended(at: at(number * 10 + 10))
        }
        // All still go on: each is in one recording more.
        #expect(marks.began("last", at: at(10_000)).count <= 64)
    }
}
