import CampipeKit

/// JSON as text, written key by key in the order given.
indirect enum JSONText {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    /// On one line (`indent` nil) or indented by two blanks a level.
    func text(indent: Int? = nil) -> String {
        var result = ""
        append(to: &result, indent: indent)
        return result
    }

    private func append(to result: inout String, indent: Int?) {
        switch self {
        case .null: result += "null"
        case .bool(let value): result += value ? "true" : "false"
        case .number(let value):
            result += value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
        case .string(let text): EventValue.appendJSON(text: text, to: &result)
        case .array(let elements):
            Self.append(elements.count, "[", "]", indent, to: &result) { index, inner, result in
                elements[index].append(to: &result, indent: inner)
            }
        case .object(let members):
            Self.append(members.count, "{", "}", indent, to: &result) { index, inner, result in
                EventValue.appendJSON(text: members[index].0, to: &result)
                result += inner == nil ? ":" : ": "
                members[index].1.append(to: &result, indent: inner)
            }
        }
    }

    private static func append(
        _ count: Int, _ open: String, _ close: String, _ indent: Int?, to result: inout String,
        _ element: (Int, Int?, inout String) -> Void
    ) {
        result += open
        let inner = indent.map { $0 + 1 }
        for index in 0..<count {
            if index > 0 { result += "," }
            if let inner { result += "\n" + String(repeating: "  ", count: inner) }
            element(index, inner, &result)
        }
        if let indent, count > 0 { result += "\n" + String(repeating: "  ", count: indent) }
        result += close
    }
}
