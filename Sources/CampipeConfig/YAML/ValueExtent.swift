/// Where a value of one line begins and ends, as the person meant who wrote it without quotes.
struct ValueExtent {
    /// Columns, from 0; `end` is behind its last character.
    let start: Int
    let end: Int

    /// - Parameters:
    ///   - start: The column of its first character.
    ///   - isInFlow: Whether it stands inside `{ }` or `[ ]`: then a comma or a closing bracket ends it.
    init(_ characters: [Unicode.Scalar], from start: Int, isInFlow: Bool) {
        self.start = min(start, characters.count)
        var depth = 0
        var index = self.start
        scan: while index < characters.count {
            switch characters[index] {
            case "{", "[": depth += 1
            case "}", "]":
                if depth == 0, isInFlow { break scan }
                depth -= 1
            case "," where isInFlow && depth <= 0: break scan
            case "#" where index > self.start && characters[index - 1] == " ": break scan
            default: break
            }
            index += 1
        }
        while index > self.start, characters[index - 1] == " " || characters[index - 1] == "\t" { index -= 1 }
        end = index
    }

    /// The value inside `{ }` or `[ ]` that a column lies in.
    init(_ characters: [Unicode.Scalar], around column: Int) {
        self.init(characters, from: Self.start(characters, before: column), isInFlow: true)
    }

    /// Behind the last `: `, comma or opening bracket that is no part of a text.
    private static func start(_ characters: [Unicode.Scalar], before column: Int) -> Int {
        var start = 0
        var index = 0
        func skipBlanks(from place: Int) -> Int {
            var place = place
            while place < column, characters[place] == " " { place += 1 }
            return place
        }
        start = skipBlanks(from: 0)
        index = start
        while index < column {
            let character = characters[index]
            let next: Unicode.Scalar? = index + 1 < characters.count ? characters[index + 1] : nil
            if index == start, character == "\"" || character == "'" {
                index += 1
                while index < column, characters[index] != character { index += 1 }
                index += 1
            } else if character == "$", next == "{" {
                while index < column, characters[index] != "}" { index += 1 }
            } else if (character == ":" || character == "-") && next == " " && (character == ":" || index == start)
                || character == "," || index == start && (character == "{" || character == "[")
            {
                start = skipBlanks(from: index + 1)
                index = start
            } else {
                index += 1
            }
        }
        return start
    }
}
