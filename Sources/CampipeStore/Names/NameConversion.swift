/// One conversion of strftime that a file's name may hold, such as `%Y`.
///
/// Left out are those that depend on the locale's layout (`%c`, `%x`, `%X`), and those that would put a slash or a line
/// break into a name (`%D`, `%n`, `%t`).
struct NameConversion: Hashable, Sendable {
    /// The letter behind the percent sign.
    let letter: UInt8

    /// How the text of a conversion looks, for telling which files came from a pattern.
    enum Shape: Hashable, Sendable {
        case digits(Int)
        /// As many digits as there are.
        case number
        /// A number in so many places, filled with blanks.
        case padded(Int)
        case letters
        /// `+0200`.
        case offset
        case parts([Shape], separator: UInt8)

        /// The most bytes of such a text.
        var greatestLength: Int {
            switch self {
            case .digits(let count), .padded(let count): count
            // Seconds since 1970 have ten digits until the year 2286; Wednesday and September have nine letters.
            case .number: 10
            case .letters: 9
            case .offset: 5
            case .parts(let shapes, _): shapes.reduce(shapes.count - 1) { $0 + $1.greatestLength }
            }
        }
    }

    private static let shapes: [UInt8: Shape] = {
        let two = Shape.digits(2)
        let all: [(String, Shape)] = [
            ("CdgHImMSUVWy", two), ("GY", .digits(4)), ("j", .digits(3)), ("uw", .digits(1)), ("ekl", .padded(2)),
            ("s", .number), ("aAbBhpPZ", .letters), ("z", .offset),
            ("F", .parts([.digits(4), two, two], separator: UInt8(ascii: "-"))),
            ("T", .parts([two, two, two], separator: UInt8(ascii: ":"))),
            ("R", .parts([two, two], separator: UInt8(ascii: ":"))),
        ]
        var shapes: [UInt8: Shape] = [:]
        for (letters, shape) in all {
            for letter in letters.utf8 { shapes[letter] = shape }
        }
        return shapes
    }()

    /// What a fault offers: the conversions that people use.
    static let usual = "%Y %m %d %H %M %S %f (microseconds) %j %a %b %s %F"

    /// The conversion of this letter, or nil when names do not take it.
    init?(letter: UInt8) {
        guard Self.shapes[letter] != nil else { return nil }
        self.letter = letter
    }

    var shape: Shape { Self.shapes[letter] ?? .number }
}
