import CampipeKit
import Glibc

/// Points in the world's time as text.
enum ClockText {
    /// `12:00:05.123`, local.
    static func time(_ time: WallTime) -> String {
        var seconds = time_t(time.microseconds / 1_000_000)
        var parts = tm()
        unsafe localtime_r(&seconds, &parts)
        let milliseconds = Int(time.microseconds % 1_000_000) / 1000
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(three(milliseconds))"
    }

    /// `2026-01-31T12:00:05.123Z` (RFC 3339).
    static func rfc3339(_ time: WallTime) -> String {
        var seconds = time_t(time.microseconds / 1_000_000)
        var parts = tm()
        unsafe gmtime_r(&seconds, &parts)
        let date = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let milliseconds = Int(time.microseconds % 1_000_000) / 1000
        return "\(date)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(three(milliseconds))Z"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private static func three(_ number: Int) -> String {
        number < 10 ? "00\(number)" : number < 100 ? "0\(number)" : "\(number)"
    }
}
