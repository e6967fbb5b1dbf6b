import CampipeKit
import CampipeMedia

/// Shows the newest picture in the terminal. Where it cannot (no terminal, a dumb one, one that another node has) it says
/// so once and takes nothing.
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

    /// Enough for a large terminal's symbols; with pixels it is made larger.
    var want: Want? { Want(maxWidth: 640, maxRate: fps) }
    var resources: [NodeResource] { [NodeResource(.terminal, "the terminal", option: "type")] }

    mutating func open(_ context: borrowing Context) throws {
        guard let screen = try? context.service(TerminalScreen.self), screen.size != nil else {
            context.log.info("there is no terminal to show pictures in")
            return
        }
        guard TerminalScreen.showsPictures(screen.environment) else {
            context.log.info("this terminal cannot show pictures", ["TERM": "dumb"])
            return
        }
        guard screen.take() else {
            context.log.warning("another node shows its pictures in this terminal; those of this one are not shown")
            return
        }
        pool = context.pool
        capabilities = TerminalCapabilities(environment: screen.environment)
        if let graphics, let chosen = TerminalCapabilities.Graphics(rawValue: graphics.rawValue) {
            capabilities.graphics = chosen
        }
        canvas = TerminalCanvas()
        self.screen = screen
    }

    mutating func consume(_ frame: consuming Frame) throws -> Next {
        guard let screen, let canvas, let pool, let size = screen.size else { return .ended }
        guard screen.canShow else { return .more }
        let cell = Size(size.cellWidth ?? 10, size.cellHeight ?? 20)
        let picture = try canvas.draw(
            frame, columns: size.columns, rows: screen.pictureRows(of: size), cell: cell, capabilities: capabilities,
            pool: pool)
        return screen.paint(picture, for: size) ? .more : .ended
    }

    mutating func finish() throws {
        screen?.release()
        screen = nil
        canvas = nil
    }
}
