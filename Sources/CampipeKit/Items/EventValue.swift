/// What an event's payload holds: the values of JSON.
public indirect enum EventValue: Hashable, Sendable {
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([EventValue])
    case map([String: EventValue])
}

extension EventValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// A rectangle in a picture; 0…1 from the top left, so that it fits every size of the stream.
public struct Region: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double
    /// What is in it, such as `person`.
    public var label: String?
    /// How sure the node is, 0…1.
    public var score: Double?

    public init(x: Double, y: Double, width: Double, height: Double, label: String? = nil, score: Double? = nil) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.label = label
        self.score = score
    }

    /// As it stands in a payload under `boxes`.
    public var value: EventValue {
        var map: [String: EventValue] = [
            "x": .number(x), "y": .number(y), "width": .number(width), "height": .number(height),
        ]
        if let label { map["label"] = .text(label) }
        if let score { map["score"] = .number(score) }
        return .map(map)
    }

    public init?(_ value: EventValue) {
        guard case .map(let map) = value, case .number(let x)? = map["x"], case .number(let y)? = map["y"],
            case .number(let width)? = map["width"], case .number(let height)? = map["height"]
        else { return nil }
        self.init(x: x, y: y, width: width, height: height)
        if case .text(let text)? = map["label"] { label = text }
        if case .number(let number)? = map["score"] { score = number }
    }
}

extension Event {
    /// The regions under `boxes` of the payload.
    public var boxes: [Region] {
        guard case .list(let values)? = payload["boxes"] else { return [] }
        return values.compactMap(Region.init)
    }

    /// The `score` of the payload, 0…1.
    public var score: Double? {
        switch payload["score"] {
        case .number(let number)?: number
        case .integer(let number)?: Double(number)
        default: nil
        }
    }

    /// The `class` of the payload: what was seen, such as `person`.
    public var detectedClass: String? { if case .text(let text)? = payload["class"] { text } else { nil } }
}
