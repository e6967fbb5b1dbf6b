import CampipeKit

/// Bits a second as an option: `800kbps`, `2.5Mbps`.
struct BitRate: Hashable, Sendable {
    var bitsPerSecond: Int
}

extension BitRate: OptionValue {
    static var optionType: OptionType { .text }
    static var optionPlaceholder: BitRate { BitRate(bitsPerSecond: 0) }
    var optionText: String? {
        bitsPerSecond % 1_000_000 == 0 ? "\(bitsPerSecond / 1_000_000)Mbps" : "\(bitsPerSecond / 1000)kbps"
    }

    private static let units: [(name: String, factor: Double)] = [("kbps", 1e3), ("Mbps", 1e6)]
    private static let range = 10_000.0...200_000_000

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> BitRate? {
        guard let text = String.read(value, at: path, into: &faults) else { return nil }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count)
        guard let number = Double(digits) else {
            faults.append(
                Fault(.invalidValue, at: path, "\(value.kindText) is not a rate such as 2Mbps", fix: "write 2Mbps"))
            return nil
        }
        guard let factor = units.first(where: { $0.name == unit })?.factor else {
            let sentence = unit.isEmpty ? "\(text) has no unit" : "\(value.kindText) has an unknown unit"
            // A number alone may be of either unit, and of bits a second, which has none here.
            let meant =
                unit.isEmpty
                ? units.map { "\(digits)\($0.name)" } + [
                    BitRate(bitsPerSecond: Int(min(number, 1e12))).optionText ?? ""
                ]
                : ["\(digits)\(unit.lowercased().hasPrefix("m") ? "Mbps" : "kbps")"]
            faults.append(
                Fault(
                    unit.isEmpty ? .missingUnit : .invalidValue, at: path, sentence,
                    suggestions: meant.filter { isTaken($0) },
                    accepted: "accepted: 10kbps…200Mbps"))
            return nil
        }
        guard range.contains(number * factor) else {
            faults.append(
                Fault(.outOfRange, at: path, "\(value.kindText) is out of range", fix: "accepted: 10kbps…200Mbps"))
            return nil
        }
        return BitRate(bitsPerSecond: Int((number * factor).rounded()))
    }

    private static func isTaken(_ text: String) -> Bool {
        var faults: [Fault] = []
        return read(.plain(text), at: .root, into: &faults) != nil
    }
}
