extension Bool: OptionValue {
    public static var optionType: OptionType { .bool }
    public static var optionPlaceholder: Bool { false }
    public var optionText: String? { self ? "true" : "false" }

    /// Takes `true` and `false` only; `yes`, `on` and their kin are refused by name, never read as the opposite.
    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Bool? {
        guard case .scalar(let scalar) = value, !scalar.isNull else {
            faults.append(.wrongKind(value, expected: .bool, at: path))
            return nil
        }
        switch scalar.text {
        case "true": return true
        case "false": return false
        default:
            let word = scalar.text.lowercased()
            let meant = ["yes", "on", "y", "true", "1"].contains(word) ? "true" : "false"
            let known = ["yes", "on", "y", "1", "no", "off", "n", "0", "true", "false"].contains(word)
            faults.append(
                Fault(
                    .invalidValue, at: path, "\(value.kindText) is not true or false",
                    fix: known ? "write \(meant)" : "accepted: true, false"))
            return nil
        }
    }
}

extension Int: OptionValue {
    public static var optionType: OptionType { .integer }
    public static var optionPlaceholder: Int { 0 }
    public var optionText: String? { String(self) }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Int? {
        guard case .scalar(let scalar) = value, !scalar.isNull else {
            faults.append(.wrongKind(value, expected: .integer, at: path))
            return nil
        }
        if let number = Int(scalar.text) { return number }
        let digits = scalar.text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        if !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) {
            faults.append(
                Fault(
                    .outOfRange, at: path, "\(value.kindText) is too large", suggestions: [],
                    accepted: "accepted: whole numbers up to \(Int.max)"))
        } else {
            let meant = scalar.isSecret ? nil : meant(scalar.text)
            faults.append(
                Fault(
                    .invalidValue, at: path, "\(value.kindText) is not a whole number",
                    suggestions: meant.map { [$0] } ?? [],
                    accepted: meant == nil ? "accepted: a whole number in digits, such as 12" : ""))
        }
        return nil
    }

    /// `640` for `640px`, `640.0`, `6.4e2`, `0x280` and `6_40`; `1000` for `1k`.
    private static func meant(_ text: String) -> String? {
        if text.hasPrefix("0x"), let number = Int(text.dropFirst(2), radix: 16) { return String(number) }
        let joined = text.filter { $0 != "_" }
        if let number = Int(joined) { return String(number) }
        if let number = Double(joined), joined.utf8.allSatisfy({ $0 < 97 || $0 == UInt8(ascii: "e") }) {
            return Int(exactly: number).map(String.init)
        }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        // Thousands and millions; of others nobody knows what `1k` would be.
        if let zeros = ["k": "000", "K": "000", "M": "000000"][unit] { return digits.isEmpty ? nil : digits + zeros }
        return digits.isEmpty || !unit.allSatisfy { $0.isLetter || $0 == "%" || $0 == " " } ? nil : String(digits)
    }
}

extension Double: OptionValue {
    public static var optionType: OptionType { .number }
    public static var optionPlaceholder: Double { 0 }
    public var optionText: String? { self == rounded() && abs(self) < 1e15 ? String(Int(self)) : String(self) }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Double? {
        guard case .scalar(let scalar) = value, !scalar.isNull else {
            faults.append(.wrongKind(value, expected: .number, at: path))
            return nil
        }
        let allowed = scalar.text.utf8.allSatisfy { (48...57).contains($0) || [43, 45, 46, 69, 101].contains($0) }
        guard allowed, let number = Double(scalar.text) else {
            let meant = scalar.isSecret ? nil : meant(scalar.text)
            faults.append(
                Fault(
                    .invalidValue, at: path, "\(value.kindText) is not a number",
                    suggestions: meant.map { [$0] } ?? [],
                    accepted: meant == nil ? "accepted: a number in digits, such as 12.5" : ""))
            return nil
        }
        guard number.isFinite else {
            faults.append(
                Fault(
                    .outOfRange, at: path, "\(value.kindText) is too large", suggestions: [],
                    accepted: "accepted: numbers up to 1e308"))
            return nil
        }
        return number
    }

    /// `0.65` for `65%`, `5` for `5fps`, `12.5` for `12,5`.
    private static func meant(_ text: String) -> String? {
        if let quantity = QuantityText(text), !quantity.unit.isEmpty {
            guard quantity.unit == "%" else { return quantity.digits }
            return quantity.number <= 100 ? (quantity.number / 100).optionText : nil
        }
        let pointed = text.replacing(",", with: ".")
        let digits = pointed.utf8.allSatisfy { (48...57).contains($0) || $0 == 46 }
        return digits && Double(pointed) != nil ? pointed : nil
    }
}

extension String: OptionValue {
    public static var optionType: OptionType { .text }
    public static var optionPlaceholder: String { "" }
    public var optionText: String? { "\"\(self)\"" }

    /// Takes the text as written: `no`, `on` and `02142` are text here.
    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> String? {
        guard case .scalar(let scalar) = value else {
            faults.append(.wrongKind(value, expected: .text, at: path))
            return nil
        }
        guard !scalar.isNull else {
            faults.append(
                Fault(
                    .wrongKind, at: path, "found nothing, expected text",
                    fix: "write \"\" for an empty text, or leave the key out; text that begins with # needs quotes"))
            return nil
        }
        return scalar.text
    }
}

extension Optional: OptionValue where Wrapped: OptionValue {
    public static var optionType: OptionType { Wrapped.optionType }
    public static var optionPlaceholder: Wrapped? { nil }
    public var optionText: String? { self?.optionText }

    /// A value is read as the wrapped type; leaving the key out is the only way to say nothing.
    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Wrapped?? {
        Wrapped.read(value, at: path, into: &faults).map { .some($0) }
    }
}

extension Array: OptionValue where Element: OptionValue {
    public static var optionType: OptionType { .list(Element.optionType) }
    public static var optionPlaceholder: [Element] { [] }
    public var optionText: String? { "[\(compactMap(\.optionText).joined(separator: ", "))]" }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> [Element]? {
        guard case .list(let elements) = value else {
            faults.append(.wrongKind(value, expected: optionType, at: path))
            return nil
        }
        var result: [Element] = []
        for (index, element) in elements.enumerated() {
            if let read = Element.read(element, at: path.index(index), into: &faults) { result.append(read) }
        }
        return result.count == elements.count ? result : nil
    }
}

/// An option that takes one of a closed set of words: an enum of strings.
///
///     enum Fit: String, OptionChoice { case contain, cover, stretch }
public protocol OptionChoice: OptionValue, RawRepresentable, CaseIterable where RawValue == String {}

extension OptionChoice {
    public static var optionType: OptionType { .choice(allCases.map(\.rawValue)) }
    public static var optionPlaceholder: Self { allCases.first! }
    public var optionText: String? { rawValue }

    public static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Self? {
        guard case .scalar(let scalar) = value, !scalar.isNull else {
            faults.append(.wrongKind(value, expected: optionType, at: path))
            return nil
        }
        if let word = Self(rawValue: scalar.text) { return word }
        let words = allCases.map(\.rawValue)
        var near = Nearest.match(scalar.text, in: words)
        if near == nil, scalar.text.utf8.count >= 3 {
            // `box` for `boxes`, `newest` for `drop_newest`.
            let holding = words.filter { $0.contains(scalar.text) }
            if holding.count == 1 { near = holding[0] }
        }
        let nearest = near.map { "did you mean \"\($0)\"? " } ?? ""
        faults.append(
            Fault(
                .unknownEnumValue, at: path, "\(value.kindText) is not known here",
                fix: "\(nearest)accepted: \(words.joined(separator: ", "))"))
        return nil
    }
}
