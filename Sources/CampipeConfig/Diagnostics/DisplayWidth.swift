internal import CampipeKit

/// How many columns of a terminal a character takes.
enum DisplayWidth {
    /// 0 for what sits on the character before, 2 for wide East Asian characters and emoji, else 1 (Unicode TR 11).
    static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension String {
    /// This text with control characters and those that nobody sees spelt out, so that a file cannot drive the terminal that shows its faults.
    var printable: String {
        func isSpelt(_ scalar: Unicode.Scalar) -> Bool {
            PrintableText.isControl(scalar) || UnseenCharacter.name(scalar) != nil
        }
        guard unicodeScalars.contains(where: isSpelt) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if isSpelt(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
