import CampipeKit
import Glibc

/// Points in the world's time as people read them off a clock.
enum ClockText {
    /// `12:00:05.123`, local.
    static func time(_ time: WallTime) -> String {
        var seconds = time_t(time.microseconds / 1_000_000)
        var parts = tm()
        unsafe localtime_r(&seconds, &parts)
        let milliseconds = time.microseconds % 1_000_000 / 1000
        return "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))."
            + padded(milliseconds, 3)
    }

    private static func padded(_ number: some BinaryInteger, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
