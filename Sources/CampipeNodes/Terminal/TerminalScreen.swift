import Glibc

/// The terminal that `terminal` draws on; a service, so that tests and other front ends take its place.
package struct TerminalScreen: Sendable {
    /// Columns, rows, and the pixels of one character where the terminal tells them.
    package struct Size: Hashable, Sendable {
        package var columns: Int
        package var rows: Int
        package var cellWidth: Int?
        package var cellHeight: Int?

        package init(columns: Int, rows: Int, cellWidth: Int? = nil, cellHeight: Int? = nil) {
            self.columns = columns
            self.rows = rows
            self.cellWidth = cellWidth
            self.cellHeight = cellHeight
        }
    }

    /// What the terminal's abilities are told from: `TERM` and its like.
    package let environment: [String: String]
    private let measure: @Sendable () -> Size?
    private let writing: @Sendable ([UInt8]) -> Bool

    /// - Parameters:
    ///   - measure: The size now; nil where there is no terminal.
    ///   - writing: Writes all of it; false when nobody takes it. May block.
    package init(
        environment: [String: String], measure: @escaping @Sendable () -> Size?,
        writing: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.environment = environment
        self.measure = measure
        self.writing = writing
    }

    /// The size now; nil where there is no terminal.
    package var size: Size? { measure() }

    /// Writes all of it.
    ///
    /// - Returns: Whether it was taken.
    package func write(_ bytes: [UInt8]) -> Bool { writing(bytes) }

    /// What puts a terminal back in which pictures were shown: the cursor, and the screen of before.
    package static let end = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// The same with so many columns at most.
    package func limited(columns: Int?) -> TerminalScreen {
        guard let columns else { return self }
        return TerminalScreen(
            environment: environment,
            measure: { [measure] in
                guard var size = measure() else { return nil }
                size.columns = min(size.columns, columns)
                return size
            }, writing: writing)
    }

    /// The terminal behind standard output.
    package static var standardOutput: TerminalScreen {
        TerminalScreen(
            environment: processEnvironment(), measure: { measure(STDOUT_FILENO) },
            writing: { bytes in
                unsafe bytes.withUnsafeBytes { unsafe LineFile.write(all: $0, to: STDOUT_FILENO) } == 0
            })
    }

    private static func measure(_ descriptor: Int32) -> Size? {
        guard isatty(descriptor) == 1 else { return nil }
        var window = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return Size(columns: 80, rows: 24)
        }
        let columns = Int(window.ws_col)
        let rows = Int(window.ws_row)
        let (width, height) = (Int(window.ws_xpixel) / columns, Int(window.ws_ypixel) / rows)
        return Size(
            columns: columns, rows: rows, cellWidth: width > 0 ? width : nil, cellHeight: height > 0 ? height : nil)
    }

    private static func processEnvironment() -> [String: String] {
        var result: [String: String] = [:]
        for name in [
            "TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "NO_COLOR", "LC_ALL", "LC_CTYPE",
            "LANG",
            "KITTY_PID", "VTE_VERSION", "CTERM_FG", "WT_SESSION", "EAT_SHELL_INTEGRATION_DIR",
        ] {
            if let value = unsafe getenv(name) { result[name] = unsafe String(cString: value) }
        }
        return result
    }
}
