/// Characters that nobody sees, and that come with text that was copied from elsewhere.
enum UnseenCharacter {
    /// What a character is called that no key and no word of the file is meant to hold; nil for all others.
    static func name(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0xAD: "a soft hyphen"
        case 0x200B: "a zero width space"
        case 0x2060: "a word joiner"
        case 0xFEFF: "a byte order mark"
        default: nil
        }
    }

    /// What a blank is called that is none to YAML; nil for all else.
    static func blankName(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0xA0: "a no-break space"
        case 0x2000...0x200A, 0x202F, 0x205F, 0x3000: "a blank that is none to YAML"
        default: nil
        }
    }

    /// The first one in a key or a word, with its offset and its name: anywhere what is not seen, and at the ends a blank.
    static func first(in text: String) -> (offset: Int, scalar: Unicode.Scalar, name: String)? {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let scalars = Array(text.unicodeScalars)
        for (offset, scalar) in scalars.enumerated() {
            if let name = name(scalar) { return (offset, scalar, name) }
            if offset == 0 || offset == scalars.count - 1, let name = blankName(scalar) {
                return (offset, scalar, name)
            }
        }
        return nil
    }

    /// The text without them.
    static func removed(from text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        scalars.removeAll { name($0) != nil }
        while let last = scalars.last, blankName(last) != nil { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars.drop { blankName($0) != nil }))
    }
}
