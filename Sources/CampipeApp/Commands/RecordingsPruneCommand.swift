import CampipeKit
import CampipeStore

/// `campipe recordings prune`: says that the clock is right, where recordings stay since it was set.
struct RecordingsPruneCommand {
    private let recordings: RecordingsCommand

    init(_ recordings: RecordingsCommand) { self.recordings = recordings }

    func perform() throws(CampipeError) -> ExitCode {
        var waiting: [String] = []
        for list in recordings.hand.lists {
            if (try? ListedClock(list).jumped) != nil { waiting.append(list) }
        }
        let folders = waiting.map(RecordingsAtHand.folder).sorted()
        let isTrusted = recordings.invocation[Flags.yes] && !waiting.isEmpty
        if isTrusted {
            for list in waiting { try ListedClock(list).trust(at: recordings.now) }
        }
        recordings.console.print(
            recordings.invocation[Flags.json] ? json(folders, isTrusted) : text(folders, isTrusted))
        return .ok
    }

    private func text(_ folders: [String], _ isTrusted: Bool) -> String {
        if folders.isEmpty { return "no recording waits for the clock\n" }
        let lines = folders.map { folder in
            PrintableText.escaping(
                isTrusted
                    ? "\(folder): what is too old is deleted within a minute, or at the next start"
                    : "\(folder): the clock was set; its recordings wait") + "\n"
        }
        let question =
            "It is \(ClockText.local(recordings.now)). If that is right: campipe recordings prune --yes\n"
        return lines.joined() + (isTrusted ? "" : question)
    }

    private func json(_ folders: [String], _ isTrusted: Bool) -> String {
        JSONString.object([
            ("waiting", EventValue.list(folders.map(EventValue.text))), ("trusted", .bool(isTrusted)),
            ("time", .text(recordings.now.iso8601)), ("time_local", .text(ClockText.local(recordings.now))),
        ]) + "\n"
    }
}
