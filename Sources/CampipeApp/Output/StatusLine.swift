import CampipeKit

/// The last line of a terminal, painted again each second and taken away before anything else is written.
final class StatusLine: Sendable {
    private let console: Console
    private let shown = Lock<String>("")

    init(_ console: Console) { self.console = console }

    /// Shows a text in place of the one before, cut to the window.
    func show(_ text: String) {
        let columns = console.columns ?? 80
        let cut = String(text.prefix(columns - 1))
        shown.withLock { $0 = cut }
        console.complain("\r\u{1B}[K" + cut)
    }

    /// Writes something else above the line.
    func interrupt(_ write: () -> Void) {
        let text = shown.withLock { $0 }
        if !text.isEmpty { console.complain("\r\u{1B}[K") }
        write()
        if !text.isEmpty { console.complain(text) }
    }

    /// Takes the line away for good.
    func clear() {
        let text = shown.withLock { shown -> String in
            defer { shown = "" }
            return shown
        }
        if !text.isEmpty { console.complain("\r\u{1B}[K") }
    }
}
