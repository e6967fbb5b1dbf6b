package import CampipeKit

/// Cuts the day into equal parts by the local clock, so that files begin at 10:00, 10:10 and so on. A value.
package struct ClockGrid: Hashable, Sendable {
    private let interval: Int64
    private let zone: LocalZone
    private static let day: Int64 = 86_400_000_000

    /// - Parameter interval: A part; one that is longer than a day is counted in local days from 1970 on.
    package init(_ interval: Duration, zone: LocalZone = .system) {
        self.interval = max(1, interval.nanoseconds / 1000)
        self.zone = zone
    }

    /// Which part a time is in. Each midnight begins one; so does an hour that comes twice or is left out.
    package func part(of time: WallTime) -> Part {
        part(of: time, offset: LocalTime(time, in: zone).offset)
    }

    /// - Parameter offset: Seconds east of Greenwich at that time.
    func part(of time: WallTime, offset: Int) -> Part {
        let local = time.microseconds + Int64(offset) * 1_000_000
        guard interval < Self.day else { return Part(day: Self.floor(local, interval), number: 0, offset: 0) }
        let day = Self.floor(local, Self.day)
        return Part(day: day, number: (local - day * Self.day) / interval, offset: offset)
    }

    package struct Part: Hashable, Sendable {
        private let day: Int64
        private let number: Int64
        /// An hour that comes twice is told by it.
        private let offset: Int

        init(day: Int64, number: Int64, offset: Int) {
            self.day = day
            self.number = number
            self.offset = offset
        }
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
