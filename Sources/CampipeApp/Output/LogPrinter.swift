import CampipeKit
import Foundation

/// Writes the log to standard error, a line an entry, as text or JSON.
final class LogPrinter: Sendable {
    private let format: LogFormat
    private let console: Console
    private let clock: any PipelineClock
    /// What must be taken off the terminal before a line, and put back after it: the status line.
    private let statusLine: Lock<StatusLine?>

    init(format: LogFormat, console: Console, clock: any PipelineClock) {
        self.format = format
        self.console = console
        self.clock = clock
        statusLine = Lock(nil)
    }

    /// The log that writes here.
    func log(level: LogLevel) -> Log {
        Log(level: Log.Level(level)) { [self] entry in print(entry) }
    }

    func attach(_ line: StatusLine?) { statusLine.withLock { $0 = line } }

    private func print(_ entry: Log.Entry) {
        let text = format == .json ? Self.json(entry, at: clock.wallTime) : plain(entry, at: clock.wallTime)
        statusLine.withLock { line in
            guard let line else { return console.complain(text) }
            line.interrupt { console.complain(text) }
        }
    }

    /// `12:00:05.123 warning stalled, connects again node=front cause="nothing came for 5 s"`.
    private func plain(_ entry: Log.Entry, at time: WallTime) -> String {
        let style = console.errorStyle
        let level: String =
            switch entry.level {
            case .error: style.styled("error", .red)
            case .warning: style.styled("warning", .yellow)
            case .info: style.styled("info", .green)
            case .debug, .trace: style.styled(entry.level.name, .dim)
            }
        var text = "\(style.styled(ClockText.time(time), .dim)) \(level) \(entry.message)"
        for (key, value) in entry.facts { text += " \(style.styled(key + "=", .dim))\(Self.quoted(value))" }
        return text + "\n"
    }

    /// One JSON object: `time` (RFC 3339, UTC), `level`, `message`, then the facts under their keys.
    static func json(_ entry: Log.Entry, at time: WallTime) -> String {
        var parts = [
            "\"time\":\(JSONString.quoted(ClockText.rfc3339(time)))", "\"level\":\"\(entry.level.name)\"",
            "\"message\":\(JSONString.quoted(entry.message))",
        ]
        for (key, value) in entry.facts { parts.append("\(JSONString.quoted(key)):\(JSONString.quoted(value))") }
        return "{\(parts.joined(separator: ","))}\n"
    }

    /// Quotes where a reader could not tell the end otherwise; control characters never reach the terminal.
    static func quoted(_ value: String) -> String {
        let plain = value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
        return plain && !value.isEmpty ? value : JSONString.quoted(value)
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
