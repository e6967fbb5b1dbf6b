import CampipeKit
import CampipeMedia

/// Shows the newest picture in the terminal. Without a terminal it says so once and takes nothing.
struct TerminalSink: Sink {
    static let name = "terminal"
    static let summary = "Shows pictures in the terminal."
    static let execution = Execution.ownThread
    static let lateAfter: Duration? = .seconds(1)

    @Option(0.1...60, "Pictures a second at most.") var fps = 10.0
    @Option("What the terminal shows: pixels where it can, else characters; left out, what it says it can.")
    var graphics: GraphicsChoice? = nil

    enum GraphicsChoice: String, OptionChoice {
        case kitty, sixel, iterm, symbols, ascii
    }

    private var screen: TerminalScreen?
    private var canvas: TerminalCanvas?
    private var pool: FramePool?
    private var capabilities = TerminalCapabilities(.ascii, .none)
    private var lastSize: TerminalScreen.Size?

    /// Enough for a large terminal's symbols; with pixels it is made larger.
    var want: Want? { Want(maxWidth: 640, maxRate: fps) }

    mutating func open(_ context: borrowing Context) throws {
        let screen = (try? context.service(TerminalScreen.self)) ?? .standardOutput
        guard screen.size != nil else {
            context.log.info("there is no terminal to show pictures in")
            return
        }
        pool = context.pool
        capabilities = TerminalCapabilities(environment: screen.environment)
        if let graphics, let chosen = TerminalCapabilities.Graphics(rawValue: graphics.rawValue) {
            capabilities.graphics = chosen
        }
        canvas = TerminalCanvas()
        self.screen = screen
        // A screen of its own, cleared, without a cursor.
        _ = screen.write(Array("\u{1b}[?1049h\u{1b}[2J\u{1b}[?25l".utf8))
    }

    mutating func consume(_ frame: consuming Frame) throws -> Next {
        guard let screen, let canvas, let pool, let size = screen.size else { return .ended }
        let cell = Size(size.cellWidth ?? 10, size.cellHeight ?? 20)
        let picture = try canvas.draw(
            frame, columns: size.columns, rows: max(1, size.rows - 1), cell: cell, capabilities: capabilities,
            pool: pool)
        // From the top left, all at once where the terminal can (mode 2026); what another size left is cleared.
        var bytes = Array("\u{1b}[?2026h".utf8)
        if let lastSize, lastSize != size { bytes += Array("\u{1b}[2J".utf8) }
        bytes += Array("\u{1b}[H".utf8) + picture + Array("\u{1b}[0m\u{1b}[?2026l".utf8)
        lastSize = size
        return screen.write(bytes) ? .more : .ended
    }

    mutating func finish() throws {
        _ = screen?.write(Array(TerminalScreen.end.utf8))
        screen = nil
        canvas = nil
    }
}
