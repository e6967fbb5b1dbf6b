import CampipeKit
import Glibc

/// The terminal that `terminal` draws on; a service, so that tests and other front ends take its place.
///
/// It belongs to one node at a time, and shows pictures on a screen of its own (the alternate one): entered when it is
/// taken, left when it is released or paused. Where the process is not in front of its terminal (after `bg`) nothing is
/// shown. What is written may block; only threads that may come here.
package final class TerminalScreen: Sendable {
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

    private struct State {
        var isTaken = false
        var isPaused = false
        var isShown = false
        /// The picture that was painted last, and the size it was made for.
        var last: (picture: [UInt8], size: Size)?
    }

    /// What the terminal's abilities are told from: `TERM` and its like.
    package let environment: [String: String]
    private let footerRows: Int
    private let measure: @Sendable () -> Size?
    private let isInFront: @Sendable () -> Bool
    private let covering: @Sendable (Bool) -> Void
    private let writing: @Sendable ([UInt8]) -> Bool
    /// Held while it writes, so that nothing comes between a picture and the screen's end.
    private let state = Lock(State())
    /// For who must not wait.
    private let shown = Lock(false)

    /// - Parameters:
    ///   - footerRows: Rows that pictures leave to others at the bottom, in a window that has room for them.
    ///   - measure: The size now; nil where there is no terminal.
    ///   - isInFront: Whether the process may use the terminal now, and no other does.
    ///   - covering: Told with true before pictures cover what stands on the terminal, and with false when that is back.
    ///     May block.
    ///   - writing: Writes all of it; false when nobody takes it. May block.
    package init(
        environment: [String: String], footerRows: Int = 1, measure: @escaping @Sendable () -> Size?,
        isInFront: @escaping @Sendable () -> Bool = { true }, covering: @escaping @Sendable (Bool) -> Void = { _ in },
        writing: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.environment = environment
        self.footerRows = footerRows
        self.measure = measure
        self.isInFront = isInFront
        self.covering = covering
        self.writing = writing
    }

    /// The terminal behind standard output.
    ///
    /// - Parameters:
    ///   - columns: So many at most.
    ///   - footerRows: As in `init`.
    package static func standardOutput(
        columns: Int? = nil, footerRows: Int = 1, covering: @escaping @Sendable (Bool) -> Void
    ) -> TerminalScreen {
        TerminalScreen(
            environment: processEnvironment(), footerRows: footerRows,
            measure: {
                guard var size = measure(STDOUT_FILENO) else { return nil }
                if let columns { size.columns = min(size.columns, columns) }
                return size
            },
            isInFront: {
                let group = tcgetpgrp(STDOUT_FILENO)
                return group < 0 || group == getpgrp()
            },
            covering: covering,
            writing: { bytes in
                unsafe bytes.withUnsafeBytes { unsafe LineFile.write(all: $0, to: STDOUT_FILENO) } == 0
            })
    }

    /// What puts a terminal back in which pictures were shown: the cursor, and the screen of before.
    package static let end = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
    /// A screen of its own, cleared, without a cursor.
    private static let begin = "\u{1B}[?1049h\u{1B}[2J\u{1B}[?25l"

    /// How many of a window's rows pictures leave: of a low one the last alone.
    package static func footerRows(_ asked: Int, of rows: Int) -> Int { rows < 12 ? min(1, asked) : asked }

    /// The rows of a window that a picture may fill.
    package func pictureRows(of size: Size) -> Int { max(1, size.rows - Self.footerRows(footerRows, of: size.rows)) }

    /// The size now; nil where there is no terminal.
    package var size: Size? { measure() }

    /// Whether it can show pictures at all: a dumb terminal obeys none of what that takes.
    package static func showsPictures(_ environment: [String: String]) -> Bool { environment["TERM"] != "dumb" }

    /// Whether pictures cover the terminal. Never waits.
    package var isShown: Bool { shown.withLock { $0 } }

    /// Whether a picture would be seen now.
    package var canShow: Bool { state.withLock { $0.isTaken && !$0.isPaused } && isInFront() }

    /// Takes it for one node, and enters the screen of pictures.
    ///
    /// - Returns: False where another node has it.
    package func take() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            if !state.isPaused, isInFront() { enter(&state) }
            return true
        }
    }

    /// Puts the terminal back, for the node that took it.
    package func release() {
        state.withLock { state in
            if state.isShown { leave(&state) }
            state.isTaken = false
            state.last = nil
        }
    }

    /// Shows a picture from the top left; what one for another size left is cleared.
    ///
    /// - Parameter size: The size that it was made for.
    /// - Returns: Whether it was taken; false when nobody takes any more.
    package func paint(_ picture: [UInt8], for size: Size) -> Bool {
        state.withLock { state in
            let before = state.last?.size
            state.last = (picture, size)
            guard !state.isPaused, isInFront() else {
                if state.isShown { leave(&state) }
                return true
            }
            if !state.isShown { enter(&state) }
            return write(picture, clearing: before != nil && before != size)
        }
    }

    /// Puts the terminal back for a while, before the process is stopped.
    package func pause() {
        state.withLock { state in
            state.isPaused = true
            if state.isShown { leave(&state) }
        }
    }

    /// Goes back to the picture after `pause`, or after a stop that nobody could see coming.
    package func resume() {
        state.withLock { state in
            state.isPaused = false
            guard state.isTaken, isInFront() else { return }
            enter(&state)
            if let last = state.last, last.size == size { _ = write(last.picture, clearing: false) }
        }
    }

    private func enter(_ state: inout State) {
        if !state.isShown { covering(true) }
        state.isShown = true
        shown.withLock { $0 = true }
        _ = writing(Array(Self.begin.utf8))
    }

    private func leave(_ state: inout State) {
        _ = writing(Array(Self.end.utf8))
        state.isShown = false
        shown.withLock { $0 = false }
        covering(false)
    }

    /// All at once where the terminal can (mode 2026).
    private func write(_ picture: [UInt8], clearing: Bool) -> Bool {
        writing(
            Array("\u{1b}[?2026h\(clearing ? "\u{1b}[2J" : "")\u{1b}[H".utf8) + picture
                + Array("\u{1b}[0m\u{1b}[?2026l".utf8))
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
