import CampipeKit
import Glibc

/// Fills a strftime pattern with a time, in the zone of the host; what the same second gives is kept.
struct WallClockText: Sendable {
    private let pattern: String
    private let isConstant: Bool
    private var second: Int64?
    private var text = ""

    /// - Parameter pattern: As strftime(3) takes it, `%Y-%m-%d %H:%M:%S`.
    init(_ pattern: String) {
        self.pattern = pattern
        isConstant = !pattern.utf8.contains(UInt8(ascii: "%"))
    }

    mutating func text(at time: WallTime) -> String {
        if isConstant { return pattern }
        let second = time.microseconds >= 0 ? time.microseconds / 1_000_000 : (time.microseconds - 999_999) / 1_000_000
        if second != self.second {
            self.second = second
            text = Self.format(pattern, second: second)
        }
        return text
    }

    private static func format(_ pattern: String, second: Int64) -> String {
        var time = time_t(second)
        var parts = unsafe tm()
        unsafe localtime_r(&time, &parts)
        // A field gives at most a few dozen bytes; a pattern that gives more than this is cut to nothing by strftime.
        var buffer = [CChar](repeating: 0, count: pattern.utf8.count * 16 + 256)
        let count = unsafe strftime(&buffer, buffer.count, pattern, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
