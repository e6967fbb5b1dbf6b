import CampipeKit

/// Says each item on standard output, one line an item. campipe's own log goes to standard error.
struct LogSink<Input: Item>: Sink {
    static var name: String { "log" }
    static var summary: String { "Writes one line an item to standard output." }
    static var execution: Execution { .ownThread }
    static var inputs: [any AnyPort] { [In<Input>("input", taste: .complete)] }

    @Option("How a line looks.") var format = LogFormat.text

    private var surroundings: Surroundings?

    private struct Surroundings {
        var writer: LineWriter
        /// The same file gives the same lines: with the time when it was recorded, as the names of files have it.
        var time: CaptureTime
        var log: Log
        var source: String
    }

    mutating func open(_ context: borrowing Context) throws {
        surroundings = Surroundings(
            writer: (try? context.service(LineWriter.self)) ?? .standardOutput,
            time: context.captureTime, log: context.log, source: context.source)
    }

    mutating func consume(_ item: consuming Input) throws -> Next {
        guard let surroundings else { return .ended }
        let item = item
        // An event that goes on says so again each second, for those who must recover; a reader need not see it.
        if let event = item as? Event, event.isRepeat { return .more }
        let line = ItemLine(source: surroundings.source, time: surroundings.time.wallTime(at: item.captured))
        let text =
            switch format {
            case .text: line.text(item)
            case .json: line.json(item)
            }
        guard try surroundings.writer.write(text) == .closed else { return .more }
        surroundings.log.info("nobody reads standard output any more")
        return .ended
    }
}

/// How a line of `log` looks.
enum LogFormat: String, OptionChoice {
    /// `2026-01-01T00:00:00.000000Z motion_started watch score=0.7`
    case text
    /// One JSON object a line.
    case json
}
