/// A stretch of a text that parameters were put into, with where it comes from: so that the caret of a fault stands on
/// what has to be changed.
struct FilledPart: Hashable, Sendable {
    enum Origin: Hashable, Sendable {
        /// It stands so in the value, from this character (Unicode scalar) of its text on.
        case written(Int)
        /// A camera gives it there.
        case parameter(Mark)
        /// A variable, or the camera's name.
        case other
    }

    /// How long it is, in Unicode scalars.
    var length: Int
    var origin: Origin

    /// The part that a span lies in, and where that part begins; nil where it lies in several.
    static func part(of parts: [FilledPart], with span: Range<Int>) -> (part: FilledPart, start: Int)? {
        var start = 0
        for part in parts {
            if span.lowerBound >= start, span.upperBound <= start + part.length { return (part, start) }
            start += part.length
        }
        return nil
    }

    /// Where cameras gave what is in it, each place once.
    static func parameters(in parts: [FilledPart]) -> [Mark] {
        var marks: [Mark] = []
        for case .parameter(let mark) in parts.map(\.origin) where !marks.contains(mark) { marks.append(mark) }
        return marks
    }
}
