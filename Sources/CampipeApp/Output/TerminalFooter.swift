import CampipeNodes

/// What stands below a picture that fills the terminal: where it is served, how the pipeline is, and the newest line of
/// its log. A value.
struct TerminalFooter: Equatable {
    /// The window, and how many of its rows the picture leaves when there is room for more than one.
    struct Room: Equatable {
        var columns = 80
        var rows = 24
        var footerRows = 1
    }

    /// Addresses, in one line.
    var addresses = ""
    var status = ""
    var newest = ""

    /// The rows from the top, as many as the picture leaves: the state alone, then the log under it, then the addresses
    /// above.
    func rows(in room: Room) -> [String] {
        let count = TerminalScreen.footerRows(room.footerRows, of: room.rows)
        let rows = count >= 3 ? [addresses, status, newest] : count == 2 ? [status, newest] : [status]
        // The last column stays free.
        return rows.map { String($0.prefix(max(0, room.columns - 1))) }
    }

    /// The bytes that paint it on the last rows, whatever the window's height, and leave the cursor where it was. What is
    /// wider than counted is cut by the terminal.
    func painted(in room: Room) -> String {
        var text = "\u{1B}7\u{1B}[?7l"
        for (index, row) in rows(in: room).reversed().enumerated() {
            text += (index == 0 ? "\u{1B}[999;1H" : "\u{1B}[A\r") + "\u{1B}[0m\u{1B}[K" + row
        }
        return text + "\u{1B}[?7h\u{1B}8"
    }

    /// The last line of a text that says anything, without colours and what else a terminal obeys.
    static func newest(of text: String) -> String? {
        var lines: [String] = [""]
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\n": lines.append("")
            case "\u{1B}" where rest.first == "[":
                // Up to the letter that ends the sequence.
                while let next = rest.popFirst(), next == "[" || !(0x40...0x7E).contains(next.value) {}
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): continue
            default: lines[lines.count - 1].unicodeScalars.append(scalar)
            }
        }
        return lines.last { !$0.isEmpty }
    }
}
