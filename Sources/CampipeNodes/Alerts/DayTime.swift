import CampipeKit
import Glibc

/// A day of the week and a minute of it, as a clock on the wall shows them.
struct DayTime: Hashable, Sendable {
    /// 0 is Monday.
    var day: Int
    /// 0…1439.
    var minute: Int

    init(day: Int, minute: Int) {
        self.day = day
        self.minute = minute
    }

    /// In the machine's zone; where the clock is set back, an hour comes twice.
    init(_ time: WallTime) {
        var seconds = time_t((Double(time.microseconds) / 1e6).rounded(.down))
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        day = unsafe (Int(parts.tm_wday) + 6) % 7
        minute = unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }
}
