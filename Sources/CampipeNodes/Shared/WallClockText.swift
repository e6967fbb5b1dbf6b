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

    /// What a fault offers: the conversions that people use.
    static let usual = "%Y %m %d %H %M %S %F %T %A %a %B %b %j %s %Z"

    /// The conversions that strftime(3) of glibc does not know, such as `%Q`: where each stands, in Unicode scalars.
    ///
    /// Before the letter may stand flags, a width of two digits, and E or O where the letter takes it.
    static func unknownConversions(in pattern: [Unicode.Scalar]) -> [Range<Int>] {
        var unknown: [Range<Int>] = []
        var rest = pattern[...]
        while let percent = rest.firstIndex(of: "%") {
            var letters = rest[(percent + 1)...]
            letters = letters.drop { "_-0^#".unicodeScalars.contains($0) }
            let width = letters.prefix { ("0"..."9").contains($0) }
            letters = letters.dropFirst(width.count)
            let modifier = letters.first.flatMap { modified[$0] }
            if modifier != nil { letters.removeFirst() }
            let letter = letters.popFirst()
            if width.count > 2 || letter.map((modifier ?? conversions).unicodeScalars.contains) != true {
                unknown.append(percent..<letters.startIndex)
            }
            rest = letters
        }
        return unknown
    }

    private static let conversions = "%aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ"
    /// What E and O may stand before (POSIX).
    private static let modified: [Unicode.Scalar: String] = ["E": "cCxXyY", "O": "bBdeHImMSuUVwWy"]

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
