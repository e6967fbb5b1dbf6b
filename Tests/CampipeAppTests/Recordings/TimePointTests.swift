import CampipeKit
import Testing

@testable import CampipeApp

@Suite("Times on the command line")
struct TimePointTests {
    private let now = WallTime(microseconds: 1_767_225_600_000_000)

    @Test(
        "a time with its offset is that time",
        arguments: [
            ("2026-01-01Z", 0), ("2026-01-01T00:00Z", 0), ("2026-01-01 00:00:07Z", 7), ("2026-01-01T02:30+01:30", 3600),
            ("2025-12-31T23:00-0200", 3600), ("1h", -3600), ("2d", -172_800), ("90s", -90),
        ])
    func offsets(_ text: String, _ seconds: Int) throws {
        #expect(try #require(TimePoint(text)).time(now: now) == now + .seconds(seconds))
    }

    @Test("a time without one is local", arguments: ["2026-01-01T12:34:56", "2026-07-01T12:34:56"])
    func local(_ text: String) throws {
        let time = try #require(TimePoint(text)).time(now: now)
        #expect(ClockText.local(time).hasPrefix(text.replacing("T", with: " ")))
        #expect(try #require(TimePoint("12:34:56")).time(now: time) == time)
        #expect(try #require(TimePoint("12:34")).time(now: time) == time + .seconds(-56))
    }

    @Test(
        "what is no time is none",
        arguments: [
            "", "now", "2026", "2026-13-01", "2026-01-32", "2026-01-01T", "2026-01-01T25:00", "12:60", "2026-01-01X",
            "2026-01-01T12:00Zulu", "12:00Z", "5",
        ])
    func none(_ text: String) { #expect(TimePoint(text) == nil) }

    @Test("a time is printed local with its offset, and as UTC")
    func printed() {
        #expect(ClockText.utc(WallTime(microseconds: -1)) == "1969-12-31T23:59:59Z")
        #expect(ClockText.utc(now + .seconds(3661)) == "2026-01-01T01:01:01Z")
        let offset = ClockText.local(now).suffix(5)
        #expect(offset.count == 5 && (offset.first == "+" || offset.first == "-"))
    }

    @Test(
        "lengths and sizes are short",
        arguments: [
            (0.0, "0s"), (0.25, "0.3s"), (9.96, "10s"), (59.94, "59.9s"), (60, "1m"), (3661, "1h1m1s"), (7200, "2h"),
        ])
    func lengths(_ seconds: Double, _ text: String) {
        #expect(RecordingRow.text(of: .seconds(seconds)) == text)
    }

    @Test(
        "sizes have three digits",
        arguments: [
            (0, "0B"), (1023, "1023B"), (1024, "1KiB"), (1536, "1.5KiB"), (5_300_000, "5.1MiB"),
            (115_343_360, "110MiB"),
        ])
    func sizes(_ bytes: Int, _ text: String) { #expect(RecordingRow.text(ofBytes: bytes) == text) }
}
