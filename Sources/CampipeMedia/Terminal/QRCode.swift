import CQREncode

/// A text as a QR code, for phones to read from a terminal.
package struct QRCode: Sendable, Equatable {
    /// Modules on a side, without the quiet zone around them.
    package let side: Int
    private let dark: [Bool]

    /// Nil when the text is empty or longer than such a code can hold, about 2,900 bytes.
    package init?(_ text: String) {
        guard let code = unsafe QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { unsafe QRcode_free(code) }
        let side = Int(unsafe code.pointee.width)
        guard let data = unsafe code.pointee.data else { return nil }
        self.side = side
        // The lowest bit of each byte is the module's colour.
        dark = unsafe UnsafeBufferPointer(start: data, count: side * side).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; outside, in the quiet zone, none is.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x < side && y < side && dark[y * side + x]
    }

    /// Lines of half blocks, two rows of modules each, with the quiet zone that readers need; dark on light, whatever
    /// the terminal's own colours are.
    package var terminalText: String {
        let quiet = 2
        var text = ""
        for y in stride(from: -quiet, to: side + quiet, by: 2) {
            text += "  \u{1B}[38;5;16;48;5;231m"
            for x in -quiet..<(side + quiet) {
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (false, false): text += " "
                case (true, false): text += "\u{2580}"
                case (false, true): text += "\u{2584}"
                case (true, true): text += "\u{2588}"
                }
            }
            text += "\u{1B}[0m\n"
        }
        return text
    }
}
