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
        guard !waiting.isEmpty else {
            recordings.console.print("no recording waits for the clock\n")
            return .ok
        }
        guard recordings.invocation[Flags.yes] else {
            for folder in folders {
                recordings.console.print(
                    PrintableText.escaping("\(folder): the clock was set; its recordings wait") + "\n")
            }
            recordings.console.print(
                "It is \(ClockText.local(recordings.now)). If that is right: campipe recordings prune --yes\n")
            return .ok
        }
        for list in waiting { try ListedClock(list).trust(at: recordings.now) }
        for folder in folders {
            recordings.console.print(
                PrintableText.escaping("\(folder): what is too old is deleted within a minute, or at the next start")
                    + "\n")
        }
        return .ok
    }
}
