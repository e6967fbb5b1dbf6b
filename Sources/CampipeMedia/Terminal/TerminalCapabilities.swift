import CChafa

/// What a terminal can show, told from its environment alone: nothing is asked of the terminal.
package struct TerminalCapabilities: Hashable, Sendable {
    /// How pictures get there, best first.
    package enum Graphics: String, Sendable, CaseIterable {
        /// Pixels, by kitty's protocol.
        case kitty
        /// Pixels, by DEC's sixels.
        case sixel
        /// Pixels, by iTerm2's inline images.
        case iterm
        /// Unicode block characters.
        case symbols
        /// The 95 characters of ASCII.
        case ascii
    }

    /// How many colours symbols may have.
    package enum Colors: String, Sendable, CaseIterable { case truecolor, indexed256, indexed16, none }

    /// How pictures get there.
    package var graphics: Graphics
    /// How many colours symbols may have.
    package var colors: Colors

    /// Capabilities that are known.
    package init(_ graphics: Graphics, _ colors: Colors) {
        self.graphics = graphics
        self.colors = colors
    }

    /// Reads `TERM` and what terminals set beside it, by libchafa's table; the locale; `COLORTERM`; and `NO_COLOR`
    /// (no-color.org), which leaves symbols without colour.
    ///
    /// A terminal inside of tmux or screen gets symbols, since these pass no pixels on.
    package init(environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        // POSIX: the first of these that is set and not empty decides.
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let speaksUTF8 = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
        if term.isEmpty || term == "dumb" {
            self.init(.ascii, .none)
            return
        }
        var found = Self.known(environment)
        // Younger than the libchafa of Debian 12.
        if term == "xterm-ghostty" { found = (.kitty, .truecolor) }
        if environment["TERM_PROGRAM"] == "WezTerm" { found = (.iterm, .truecolor) }
        if term.hasPrefix("foot") { found = (.sixel, .truecolor) }
        var colors = found.colors
        let claimed = environment["COLORTERM"] ?? ""
        if claimed == "truecolor" || claimed == "24bit" { colors = .truecolor }
        let isNested = environment["TMUX"] != nil || term.hasPrefix("screen") || term.hasPrefix("tmux")
        var graphics = found.graphics
        if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false {
            colors = .none
            graphics = .symbols
        }
        if isNested { graphics = .symbols }
        if graphics == .symbols, !speaksUTF8 { graphics = .ascii }
        self.init(graphics, colors)
    }

    /// What libchafa's table says.
    private static func known(_ environment: [String: String]) -> (graphics: Graphics, colors: Colors) {
        var entries = unsafe environment.map { key, value in unsafe g_strdup("\(key)=\(value)") } + [nil]
        defer { unsafe entries.forEach { unsafe g_free($0) } }
        guard let info = unsafe chafa_term_db_detect(chafa_term_db_get_default(), &entries) else {
            return (.symbols, .indexed16)
        }
        defer { unsafe chafa_term_info_unref(info) }
        func has(_ sequence: ChafaTermSeq) -> Bool { unsafe chafa_term_info_have_seq(info, sequence) != 0 }
        let graphics: Graphics =
            has(CHAFA_TERM_SEQ_BEGIN_KITTY_IMMEDIATE_IMAGE_V1)
            ? .kitty
            : has(CHAFA_TERM_SEQ_BEGIN_SIXELS) ? .sixel : has(CHAFA_TERM_SEQ_BEGIN_ITERM2_IMAGE) ? .iterm : .symbols
        let colors: Colors =
            has(CHAFA_TERM_SEQ_SET_COLOR_FGBG_DIRECT)
            ? .truecolor
            : has(CHAFA_TERM_SEQ_SET_COLOR_FGBG_256)
                ? .indexed256 : has(CHAFA_TERM_SEQ_SET_COLOR_FGBG_16) ? .indexed16 : .none
        return (graphics, colors)
    }
}
