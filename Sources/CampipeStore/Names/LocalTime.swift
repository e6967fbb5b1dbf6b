import CampipeKit
import Glibc

/// Where a wall time is read off: the machine's zone, or one that a test fixes.
package enum LocalZone: Hashable, Sendable {
    /// The zone of `TZ` or /etc/localtime.
    case system
    /// So many seconds east of Greenwich, all year.
    case fixed(seconds: Int)
}

/// A wall time taken apart into year, month and so on, for the conversions of names.
@safe struct LocalTime {
    private var parts = unsafe tm()

    init(_ time: WallTime, in zone: LocalZone) {
        let (quotient, remainder) = time.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        var seconds = time_t(remainder < 0 ? quotient - 1 : quotient)
        switch zone {
        case .system:
            unsafe localtime_r(&seconds, &parts)
        case .fixed(let offset):
            seconds += offset
            unsafe gmtime_r(&seconds, &parts)
            unsafe parts.tm_gmtoff = offset
        }
    }

    /// Seconds east of Greenwich.
    var offset: Int { unsafe parts.tm_gmtoff }

    /// The text of a conversion, by strftime in the C locale.
    func text(of conversion: NameConversion) -> [UInt8] {
        var parts = unsafe parts
        let format = [CChar(bitPattern: UInt8(ascii: "%")), CChar(bitPattern: conversion.letter), 0]
        return unsafe [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
            count = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else { return 0 }
                return unsafe strftime(start, text.count, format, &parts)
            }
        }
    }
}
