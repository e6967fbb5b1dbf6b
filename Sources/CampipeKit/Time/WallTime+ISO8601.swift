extension WallTime {
    /// UTC as ISO 8601 with microseconds: `2026-01-01T00:00:00.000000Z`; the form of every time in JSON.
    public var iso8601: String {
        let (day, microsecond) = Self.floorDivide(microseconds, 86_400_000_000)
        let date = Self.date(day: day)
        let second = microsecond / 1_000_000
        var text = Self.padded(date.year, 4) + "-" + Self.padded(date.month, 2) + "-" + Self.padded(date.day, 2)
        text += "T" + Self.padded(second / 3600, 2) + ":" + Self.padded(second / 60 % 60, 2)
        text += ":" + Self.padded(second % 60, 2) + "." + Self.padded(microsecond % 1_000_000, 6) + "Z"
        return text
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    /// The date of a day since 1970-01-01 in the Gregorian calendar, by eras of 400 years that begin in March.
    private static func date(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floorDivide(day + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    private static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
