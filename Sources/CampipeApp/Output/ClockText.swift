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

extension ClockText {
    /// `2026-01-31 18:30:05 +0100`, local, with what it is ahead of UTC: of an hour that comes twice that tells which.
    static func local(_ time: WallTime) -> String {
        let seconds = seconds(time)
        var (whole, parts) = (time_t(seconds), tm())
        unsafe localtime_r(&whole, &parts)
        let offset = parts.tm_gmtoff / 60
        return date(parts, " ") + (offset < 0 ? " -" : " +") + padded(abs(offset) / 60, 2) + padded(abs(offset) % 60, 2)
    }

    /// `2026-01-31T17:30:05Z`.
    static func utc(_ time: WallTime) -> String {
        var (whole, parts) = (time_t(seconds(time)), tm())
        unsafe gmtime_r(&whole, &parts)
        return date(parts, "T") + "Z"
    }

    private static func seconds(_ time: WallTime) -> Int64 {
        let (quotient, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return rest < 0 ? quotient - 1 : quotient
    }

    private static func date(_ parts: tm, _ separator: String) -> String {
        "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))\(separator)"
            + "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
    }
}
