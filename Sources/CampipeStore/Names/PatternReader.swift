import CampipeKit

/// Takes the text of a `FileNamePattern` apart.
struct PatternReader {
    private(set) var pieces: [FileNamePattern.Piece] = []
    private(set) var faults: [Fault] = []
    private let text: [UInt8]
    private let fields: [String]
    private let path: FaultPath
    private var literal: [UInt8] = []

    init(_ text: String, fields: [String], at path: FaultPath) {
        self.text = Array(text.utf8)
        self.fields = fields
        self.path = path
    }

    mutating func read() {
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "%"): index = conversion(from: index)
            case UInt8(ascii: "{"): index = field(from: index)
            case 0:
                report(.invalidValue, "NUL", at: index, "cannot be in a file's name", fix: "delete it")
                index += 1
            default:
                literal.append(text[index])
                index += 1
            }
        }
        endLiteral()
        checkLengths()
        if text.isEmpty || text.last == UInt8(ascii: "/") {
            faults.append(
                Fault(.invalidValue, at: path, "the path names no file", fix: "end it with a name such as %H%M%S.jpg"))
        }
    }

    /// What Linux takes as one name, and as a whole path, in bytes (limits.h: NAME_MAX, PATH_MAX without its NUL).
    private static let (longestName, longestPath) = (255, 4095)

    /// Tells of names that are too long at some time, whatever the fields are.
    private mutating func checkLengths() {
        var (name, whole) = (0, 0)
        var longest = 0
        for piece in pieces {
            guard case .literal(let bytes) = piece else {
                name += piece.length
                whole += piece.length
                longest = max(longest, name)
                continue
            }
            whole += bytes.count
            for byte in bytes {
                name = byte == UInt8(ascii: "/") ? 0 : name + 1
                longest = max(longest, name)
            }
        }
        guard faults.isEmpty, longest > Self.longestName || whole > Self.longestPath else { return }
        let isName = longest > Self.longestName
        faults.append(
            Fault(
                .outOfRange, at: path,
                isName
                    ? "a name in the path comes to \(longest) bytes, which no file system takes"
                    : "the path comes to \(whole) bytes, which Linux does not take",
                fix:
                    "accepted: at most \(isName ? Self.longestName : Self.longestPath) bytes\(isName ? " between slashes" : "")"
            ))
    }

    /// - Returns: The index behind it.
    private mutating func conversion(from start: Int) -> Int {
        guard start + 1 < text.count else {
            report(.invalidValue, "%", at: start, "is not a conversion", fix: "write %% for a percent sign")
            return text.count
        }
        if let slip = PatternSlip(text[start...], fields: fields) {
            report(.invalidValue, slip.text, at: start, slip.sentence, fix: slip.fix)
            return start + slip.text.utf8.count
        }
        let letter = text[start + 1]
        switch letter {
        case UInt8(ascii: "%"): literal.append(letter)
        case UInt8(ascii: "f"): append(.microseconds)
        default:
            if let conversion = NameConversion(letter: letter) {
                append(.conversion(conversion))
            } else {
                // The whole character, were it longer than a byte.
                let rest = String(decoding: text[(start + 1)...], as: UTF8.self)
                report(
                    .invalidValue, "%\(rest.prefix(1))", at: start, "is not a conversion that names take",
                    fix: "known: \(NameConversion.usual); write %% for a percent sign")
            }
        }
        return start + 2
    }

    /// - Returns: The index behind it.
    private mutating func field(from start: Int) -> Int {
        guard let end = text[start...].firstIndex(of: UInt8(ascii: "}")) else {
            report(.invalidValue, "{", at: start, "is not closed", fix: "write {name}")
            return text.count
        }
        let name = String(decoding: text[(start + 1)..<end], as: UTF8.self)
        if fields.contains(name) {
            append(.field(name))
        } else {
            report(.unknownField, "{\(name)}", at: start, "is not known here", fix: Nearest.fix(name, in: fields))
        }
        return end + 1
    }

    private mutating func append(_ piece: FileNamePattern.Piece) {
        endLiteral()
        pieces.append(piece)
    }

    private mutating func endLiteral() {
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        literal = []
    }

    /// More than these are not told of one text.
    private static let mostFaults = 50

    /// Reports a part of the text by its place, counted in characters from 1.
    private mutating func report(_ code: FaultCode, _ part: String, at index: Int, _ what: String, fix: String) {
        guard faults.count < Self.mostFaults else { return }
        let before = String(decoding: text[..<index], as: UTF8.self)
        let start = before.unicodeScalars.count
        let length = part == "NUL" ? 1 : part.unicodeScalars.count
        faults.append(
            Fault(
                code, at: path, "\"\(part)\" at character \(before.count + 1) \(what)", fix: fix,
                span: start..<(start + length)))
    }
}
