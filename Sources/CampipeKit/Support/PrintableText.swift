/// Text from outside (a camera, a file, a library) as it may be shown: it drives no terminal.
package enum PrintableText {
    /// The text with control characters spelt out (`\u001b`), those of 8 bits and those that turn the direction of
    /// writing too.
    ///
    /// - Parameter keepsLines: Whether ends of lines stay.
    package static func escaping(_ text: String, keepsLines: Bool = false) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
            isControl(scalar) && !(keepsLines && scalar == "\n")
        }
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard isEscaped(scalar) else {
                result.unicodeScalars.append(scalar)
                return
            }
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// Whether a terminal obeys it, or writes what follows in another direction.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Most of what is shown is ASCII.
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        return scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }
}
