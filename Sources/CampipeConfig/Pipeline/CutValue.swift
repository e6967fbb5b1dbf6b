internal import CampipeKit

/// `fps: 12,5` and `text: a, b` inside braces, where to YAML a comma ends the value, and what follows is a key.
struct CutValue {
    let sentence: String
    let fix: String
    /// The whole value; with its key where that is to be another.
    private(set) var mark: Mark
    /// What YAML sees of it, which is not what was meant.
    let seen: Mark
    /// Whether it is the first piece that was cut off.
    let isFirst: Bool

    /// Nil where the entry is no such piece: it has a value, or a colon, or does not follow a value.
    ///
    /// - Parameters:
    ///   - options: Of the node; a piece of a secret is not shown.
    ///   - inputKeys: The keys that take references.
    init?(at index: Int, of entries: [LocatedValue.Entry], _ options: [OptionSchema], inputKeys: [String]) {
        guard let first = entries[...index].lastIndex(where: { !$0.isBare }), first < index,
            case .scalar(let scalar) = entries[first].value.content, !scalar.isNull, !scalar.isSecret
        else { return nil }
        let key = entries[first].key
        isFirst = first == index - 1
        sentence = "inside { } a comma ends the value of \"\(key)\" in YAML"
        let cut = entries[(first + 1)...].prefix { $0.isBare }
        let pieces = [scalar.text] + cut.map(\.key)
        seen = entries[first].value.mark
        mark = seen
        mark.end = cut.last?.keyMark.end ?? mark.end
        let type = options.first { $0.key == key }?.type
        let isPlain = pieces.joined().unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\"" && $0 != "\\" }
        let areNumbers = pieces.count == 2 && pieces.allSatisfy { $0.utf8.allSatisfy { (48...57).contains($0) } }
        if SecretText.isSecretName(key) || type?.isSecret == true || !isPlain {
            fix = "quote the whole value"
        } else if type == .number, areNumbers {
            fix = "write \(pieces.joined(separator: "."))"
        } else if type == .integer, areNumbers, pieces[1].utf8.count == 3 {
            fix = "write \(pieces.joined())"
        } else if key == "inputs" || key == "events" || key == "when" {
            fix = "write [\(pieces.joined(separator: ", "))]"
        } else if case .list? = type {
            fix = "write [\(pieces.joined(separator: ", "))]"
        } else if key == "input", inputKeys.contains("inputs") {
            mark.start = entries[first].keyMark.start
            fix = "write inputs: [\(pieces.joined(separator: ", "))]"
        } else if type == .text {
            fix = "quote the whole value: \"\(pieces.joined(separator: ", "))\""
        } else {
            return nil
        }
    }
}

extension LocatedValue.Entry {
    /// Whether it is a key of braces that has neither a colon nor a value: YAML sees the value where the key ends.
    var isBare: Bool {
        value.isNull && value.mark.start == value.mark.end && value.mark.start == keyMark.end
    }
}
