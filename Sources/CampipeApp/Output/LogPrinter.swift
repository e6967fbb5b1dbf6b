import CampipeKit

/// Writes the log, a line an entry, as text or JSON.
struct LogPrinter: Sendable {
    private let format: LogFormat
    private let style: TerminalStyle
    private let clock: any PipelineClock
    private let output: LineOutput

    init(format: LogFormat, style: TerminalStyle, clock: any PipelineClock, output: LineOutput) {
        self.format = format
        self.style = style
        self.clock = clock
        self.output = output
    }

    /// The log that writes here.
    func log(level: LogLevel) -> Log {
        Log(level: Log.Level(level)) { [self] entry in
            let time = clock.wallTime
            // Whoever logged it should have left the secrets of URLs out; a cause from elsewhere may hold one.
            let entry = entry.rewritten(SecretText.hidden)
            output.add(format == .json ? Self.json(entry, at: time) : Self.text(entry, at: time, style), isLog: true)
        }
    }

    /// `12:00:05.123 warning stalled, connects again node=front cause="no picture came for 5 s"`.
    static func text(_ entry: Log.Entry, at time: WallTime, _ style: TerminalStyle) -> String {
        let level: String =
            switch entry.level {
            case .error: style.styled("error", .red)
            case .warning: style.styled("warning", .yellow)
            case .info: style.styled("info", .green)
            case .debug, .trace: style.styled(entry.level.name, .dim)
            }
        var text = "\(style.styled(ClockText.time(time), .dim)) \(level) \(PrintableText.escaping(entry.message))"
        for fact in entry.facts {
            text += " \(style.styled(PrintableText.escaping(fact.key) + "=", .dim))\(quoted(fact.value))"
        }
        return text + "\n"
    }

    /// One JSON object: `time` (RFC 3339, UTC), `level`, `message`, then the facts under their keys.
    ///
    /// Numbers are numbers; the key of a duration ends in `_seconds`, that of a size in `_bytes`. A key stands once: a
    /// fact that is said twice has its last value, and one called like the three has `_` behind it.
    static func json(_ entry: Log.Entry, at time: WallTime) -> String {
        var members: [(key: String, value: EventValue)] = [
            ("time", .text(time.iso8601)), ("level", .text(entry.level.name)), ("message", .text(entry.message)),
        ]
        for fact in entry.facts {
            let key = members[..<3].contains { $0.key == fact.programKey } ? fact.programKey + "_" : fact.programKey
            if let place = members.firstIndex(where: { $0.key == key }) {
                members[place].value = fact.content
            } else {
                members.append((key, fact.content))
            }
        }
        return JSONString.object(members) + "\n"
    }

    /// Quotes where a reader could not tell the end otherwise.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        return PrintableText.escaping(isPlain && !value.isEmpty ? value : JSONString.quoted(value))
    }
}

extension Log.Level {
    init(_ level: LogLevel) {
        self =
            switch level {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
    }
}
