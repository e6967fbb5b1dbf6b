internal import CampipeKit

/// `id`, `id.port`, or a pattern such as `e*` or `*/cam.sub`.
struct ReferenceText: Hashable {
    var id: String
    var port: String?

    /// Nil when the text is no reference: empty, a blank in it, a point without a name beside it.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 256, !bytes.contains(where: { $0 <= 32 }) else { return nil }
        guard let point = bytes.firstIndex(of: UInt8(ascii: ".")) else {
            id = text
            return
        }
        let (head, tail) = (bytes[..<point], bytes[(point + 1)...])
        guard !head.isEmpty, !tail.isEmpty, !tail.contains(UInt8(ascii: ".")) else { return nil }
        id = String(decoding: head, as: UTF8.self)
        port = String(decoding: tail, as: UTF8.self)
    }

    var isPattern: Bool { id.utf8.contains(UInt8(ascii: "*")) }

    var text: String { port.map { "\(id).\($0)" } ?? id }

    /// The id that was most likely meant by a text with characters that no id has: one that is near to it, or a word in it.
    static func meant(by text: String, among ids: [String]) -> String? {
        if let near = Nearest.match(text, in: ids) { return near }
        let words = text.prefix(256).split { !NameCheck.isName(String($0)) }.map(String.init)
        return ids.first(where: words.contains)
    }

    /// Whether a pattern matches an id; `*` stands for any characters but `/`. In time proportional to both lengths'
    /// product.
    static func matches(_ pattern: String, _ id: String) -> Bool {
        let pattern = Array(pattern.utf8)
        let id = Array(id.utf8)
        var (p, i) = (0, 0)
        var star: (pattern: Int, id: Int)?
        while i < id.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                star = (p, i)
                p += 1
            } else if p < pattern.count, pattern[p] == id[i] {
                p += 1
                i += 1
            } else if let last = star, id[last.id] != UInt8(ascii: "/") {
                star = (last.pattern, last.id + 1)
                p = last.pattern + 1
                i = last.id + 1
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// A name that the file gives to a node, a camera, a template or a parameter.
enum NameCheck {
    /// Letters, digits, `_` and `-`, at most 64; so that `.`, `/`, `*` and `{}` keep their meaning in references.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95 || $0 == 45
            }
    }

    /// The nearest valid name: `Tuer` for `Tür`, `front_door` for `front door`.
    static func suggestion(_ text: String) -> String {
        var name = ""
        for character in text where name.utf8.count < 62 {
            let plain = letters.first { $0.letters.contains(character) }?.plain
            name += isName(String(character)) ? String(character) : plain ?? "_"
        }
        return name
    }

    /// What letters with marks are written as without.
    private static let letters: [(letters: String, plain: String)] = [
        ("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue"), ("ß", "ss"), ("æ", "ae"),
        ("àáâãå", "a"), ("èéêë", "e"), ("ìíîï", "i"), ("òóôõø", "o"), ("ùúû", "u"), ("ñ", "n"), ("ç", "c"), ("ýÿ", "y"),
        ("ÀÁÂÃÅ", "A"), ("ÈÉÊË", "E"), ("ÒÓÔÕØ", "O"),
    ]
}
