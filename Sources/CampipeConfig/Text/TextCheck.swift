internal import CampipeKit

/// What is wrong with a text before anyone reads it as YAML: its size, its coding, characters that YAML forbids.
///
/// A pipeline file is UTF-8, with or without a byte order mark. UTF-16 and UTF-32 are refused by name: editors that
/// write them can write UTF-8 too, and a line of a diagnostic should be the line of the file.
enum TextCheck {
    /// 1 MiB: a thousand cameras, a line each, are a tenth of it.
    static let maximumBytes = 1 << 20

    /// The text to parse, or the one fault that forbids it.
    ///
    /// - Parameter isYAML: Whether it is to be parsed; in a plain text a line may begin with `%`.
    static func check(
        _ raw: [UInt8], name: String, source: Int, isYAML: Bool = true
    ) -> (text: SourceText, problem: Diagnostic?) {
        guard raw.count <= maximumBytes else {
            return (
                SourceText(name: name, bytes: []),
                Diagnostic(
                    .tooLarge, nil, "the text is larger than 1 MiB",
                    fix: "use a template with one line for each camera")
            )
        }
        if let coding = foreignCoding(raw) {
            return (
                SourceText(name: name, bytes: []),
                Diagnostic(.notUTF8, Mark(source: source, 0, 0), "the text is \(coding)", fix: "save it as UTF-8")
            )
        }
        let text = SourceText(name: name, bytes: raw.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(raw.dropFirst(3)) : raw)
        let problem = forbiddenCharacter(in: text, source: source)
        return (text, isYAML ? problem ?? directive(in: text, source: source) : problem)
    }

    private static func foreignCoding(_ raw: [UInt8]) -> String? {
        let head = Array(raw.prefix(4))
        if head == [0xFF, 0xFE, 0, 0] || head == [0, 0, 0xFE, 0xFF] { return "UTF-32" }
        if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard head.count == 4 else { return nil }
        // Without a mark: the first characters of a pipeline file are ASCII.
        if head[0] == 0, head[1] != 0, head[2] == 0 { return "UTF-16" }
        if head[0] != 0, head[1] == 0, head[3] == 0 { return head[2] == 0 ? "UTF-32" : "UTF-16" }
        return nil
    }

    private static func forbiddenCharacter(in text: SourceText, source: Int) -> Diagnostic? {
        if text.bytes.allSatisfy(isOrdinary), String(validating: text.bytes, as: UTF8.self) != nil { return nil }
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = text.bytes.makeIterator()
        var offset = 0
        var character = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .emptyInput: return nil
            case .error:
                let mark = Mark(source: source, character, character + 1)
                return Diagnostic(
                    .notUTF8, mark, "the byte 0x\(hex(UInt32(text.bytes[offset]))) is not UTF-8",
                    fix: "save the text as UTF-8")
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if !isAllowed(scalar.value) {
                    return Diagnostic(
                        .syntax, Mark(source: source, character, character + 1),
                        "the control character U+\(hex(scalar.value)) may not stand in YAML", fix: "delete it")
                }
                offset += encoded.count
                character += 1
            }
        }
    }

    /// Bytes that no forbidden character has, so that usual texts need no second look.
    private static func isOrdinary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...0xC1, 0xC3...0xEE, 0xF0...0xFF: true
        default: false
        }
    }

    /// YAML 1.1 section 5.1, as libyaml reads it.
    private static func isAllowed(_ value: UInt32) -> Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x10000...0x10FFFF:
            true
        default: false
        }
    }

    /// Directives do nothing for a pipeline, and a list of `%TAG` costs libyaml quadratic time. One `%YAML` may begin a
    /// file.
    private static func directive(in text: SourceText, source: Int) -> Diagnostic? {
        var isFirst = true
        for line in 0..<text.lineCount {
            let bytes = text.lineBytes(line)
            guard bytes.first == UInt8(ascii: "%") else {
                if let first = bytes.first, first != UInt8(ascii: "#") { isFirst = false }
                continue
            }
            let isVersion = bytes.starts(with: "%YAML ".utf8)
            if isFirst && isVersion {
                isFirst = false
                continue
            }
            let start = text.start(ofLine: line)
            return Diagnostic(
                .tagNotAllowed, Mark(source: source, start, start + 1),
                "a line that begins with % is a directive in YAML",
                fix: "delete it, or indent and quote it if it is text")
        }
        return nil
    }

    static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return digits.count % 2 == 0 ? digits : "0" + digits
    }
}
