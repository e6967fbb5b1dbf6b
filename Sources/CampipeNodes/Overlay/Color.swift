import CampipeKit
import CampipeMedia

/// A colour as an option.
struct Color: Hashable, Sendable {
    var color: RGBColor
    init(_ color: RGBColor) { self.color = color }
}

extension RGBColor {
    static let yellow = RGBColor("yellow") ?? .white
}

extension Color: OptionValue {
    static var optionType: OptionType { .text }
    static var optionPlaceholder: Color { Color(.white) }
    var optionText: String? {
        if let name = RGBColor.names.first(where: { $0.color == color })?.name { return name }
        func hex(_ level: UInt8) -> String { (level < 16 ? "0" : "") + String(level, radix: 16) }
        return "\"#\(hex(color.red))\(hex(color.green))\(hex(color.blue))\""
    }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Color? {
        read(value, at: path, others: [], into: &faults)
    }

    /// - Parameter others: Words that are accepted besides, for what a fault offers.
    fileprivate static func read(
        _ value: Value, at path: FaultPath, others: [String], into faults: inout [Fault]
    ) -> Color? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        if let color = RGBColor(text) { return Color(color) }
        let names = others + RGBColor.names.map(\.name)
        let nearest = Nearest.match(text, in: names).map { "did you mean \($0)? " } ?? ""
        faults.append(
            Fault(
                .invalidValue, at: path, "\"\(text.prefix(40))\" is no colour",
                fix: "\(nearest)accepted: \(names.joined(separator: ", ")), \"#rgb\", \"#rrggbb\""))
        return nil
    }
}

/// The edge of letters as an option: a colour, or `none`.
struct Edge: Hashable, Sendable {
    /// nil is none.
    var color: RGBColor?
}

extension Edge: OptionValue {
    static var optionType: OptionType { .text }
    static var optionPlaceholder: Edge { Edge(color: nil) }
    var optionText: String? { color.map { Color($0).optionText } ?? "none" }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Edge? {
        if case .scalar(let scalar) = value, !scalar.isNull, scalar.text == "none" { return Edge(color: nil) }
        return Color.read(value, at: path, others: ["none"], into: &faults).map { Edge(color: $0.color) }
    }
}
