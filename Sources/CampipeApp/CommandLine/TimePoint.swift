import CampipeKit
import Glibc

/// A point in time on the command line: a date, a date and a time, a time of today, or how long ago.
enum TimePoint: Hashable, Sendable, OptionValue {
    /// Seconds and so on of a clock; nil is the local one.
    case date(Date, offset: Int?)
    case today(hour: Int, minute: Int, second: Int)
    case ago(Duration)

    struct Date: Hashable, Sendable {
        var year: Int
        var month: Int
        var day: Int
        var hour = 0
        var minute = 0
        var second = 0
    }

    static var optionType: OptionType { .text }
    static var optionPlaceholder: TimePoint { .ago(.zero) }
    var optionText: String? { nil }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> TimePoint? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        if let point = TimePoint(text) { return point }
        faults.append(
            Fault(
                .invalidValue, at: path, "\"\(text)\" is no time",
                fix: "write 2026-01-31, 2026-01-31T18:30, 18:30 or 2h (so long ago); a Z behind it is UTC"))
        return nil
    }

    init?(_ text: String) {
        var reader = DigitReader(Array(text.utf8))
        if let clock = reader.clock(), reader.isAtEnd {
            self = .today(hour: clock.hour, minute: clock.minute, second: clock.second)
            return
        }
        reader = DigitReader(Array(text.utf8))
        if let date = reader.date() {
            var result = Date(year: date.year, month: date.month, day: date.day)
            if reader.take(any: "T ") {
                guard let clock = reader.clock() else { return nil }
                (result.hour, result.minute, result.second) = (clock.hour, clock.minute, clock.second)
            }
            guard let offset = reader.offset(), reader.isAtEnd else { return nil }
            self = .date(result, offset: offset.seconds)
            return
        }
        var faults: [Fault] = []
        guard let ago = Duration.read(.text(text), at: .root, into: &faults) else { return nil }
        self = .ago(ago)
    }

    /// Which time that is, when it is now.
    func time(now: WallTime) -> WallTime {
        switch self {
        case .ago(let duration): return now + (.zero - duration)
        case .today(let hour, let minute, let second):
            var seconds = time_t(now.microseconds / 1_000_000)
            var parts = tm()
            unsafe localtime_r(&seconds, &parts)
            (parts.tm_hour, parts.tm_min, parts.tm_sec, parts.tm_isdst) = (
                Int32(hour), Int32(minute), Int32(second), -1
            )
            return unsafe WallTime(microseconds: Int64(mktime(&parts)) * 1_000_000)
        case .date(let date, let offset):
            var parts = tm()
            (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
                Int32(date.year - 1900), Int32(date.month - 1), Int32(date.day)
            )
            (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(date.hour), Int32(date.minute), Int32(date.second))
            // Whether that is summer time, the zone knows.
            parts.tm_isdst = -1
            let seconds = unsafe offset.map { Int(timegm(&parts)) - $0 } ?? Int(mktime(&parts))
            return WallTime(microseconds: Int64(seconds) * 1_000_000)
        }
    }
}

/// Takes the digits of a time apart.
private struct DigitReader {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(any characters: String) -> Bool {
        guard index < bytes.count, characters.utf8.contains(bytes[index]) else { return false }
        index += 1
        return true
    }

    /// A number of so many digits.
    mutating func number(_ digits: Int, in range: ClosedRange<Int>) -> Int? {
        guard index + digits <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[index..<index + digits] {
            guard (48...57).contains(byte) else { return nil }
            number = number * 10 + Int(byte) - 48
        }
        guard range.contains(number) else { return nil }
        index += digits
        return number
    }

    mutating func date() -> (year: Int, month: Int, day: Int)? {
        guard let year = number(4, in: 1970...9999), take(any: "-"), let month = number(2, in: 1...12), take(any: "-"),
            let day = number(2, in: 1...31)
        else { return nil }
        return (year, month, day)
    }

    mutating func clock() -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(2, in: 0...23), take(any: ":"), let minute = number(2, in: 0...59) else { return nil }
        guard take(any: ":") else { return (hour, minute, 0) }
        guard let second = number(2, in: 0...60) else { return nil }
        return (hour, minute, second)
    }

    /// `Z`, `+01:00`, or nothing, which is the local zone.
    mutating func offset() -> (seconds: Int?, Void)? {
        if take(any: "Z") { return (0, ()) }
        let isWest = index < bytes.count && bytes[index] == UInt8(ascii: "-")
        guard take(any: "+-") else { return (nil, ()) }
        guard let hours = number(2, in: 0...14) else { return nil }
        _ = take(any: ":")
        guard let minutes = number(2, in: 0...59) else { return nil }
        return ((hours * 3600 + minutes * 60) * (isWest ? -1 : 1), ())
    }
}
