extension Event {
    /// The event as JSON on one line, with the keys kind, id, time, node, payload, and `repeat` where it is one.
    ///
    /// The same wherever an event leaves campipe as JSON, so that one reader does for all. Keys of maps are sorted.
    ///
    /// - Parameter time: When it happened, where the event itself does not know the world's time.
    public func json(time: WallTime) -> String {
        var text = "{\"kind\":"
        EventValue.appendJSON(text: kind.rawValue, to: &text)
        text += ",\"id\":"
        EventValue.appendJSON(text: id, to: &text)
        text += ",\"time\":\"\((wallTime ?? time).iso8601)\",\"node\":"
        EventValue.appendJSON(text: node, to: &text)
        text += ",\"payload\":"
        EventValue.map(payload).appendJSON(to: &text)
        text += isRepeat ? ",\"repeat\":true}" : "}"
        return text
    }
}

extension EventValue {
    /// Appends the value as JSON; a number that is not finite becomes null, since JSON has none.
    public func appendJSON(to text: inout String) {
        switch self {
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? value.optionText ?? "null" : "null"
        case .text(let value): Self.appendJSON(text: value, to: &text)
        case .list(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.appendJSON(to: &text)
            }
            text += "]"
        case .map(let values):
            text += "{"
            for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text += "," }
                Self.appendJSON(text: entry.key, to: &text)
                text += ":"
                entry.value.appendJSON(to: &text)
            }
            text += "}"
        }
    }

    /// Appends text in quotes, with what JSON does not allow inside them escaped.
    public static func appendJSON(text value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
