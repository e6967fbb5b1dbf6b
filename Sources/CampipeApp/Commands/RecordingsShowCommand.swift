import CampipeKit
import CampipeStore
import Foundation

/// `campipe recordings show`: all about one recording.
struct RecordingsShowCommand {
    private let recordings: RecordingsCommand

    init(_ recordings: RecordingsCommand) { self.recordings = recordings }

    func perform() throws(CampipeError) -> ExitCode {
        for clip in try recordings.named() {
            let row = recordings.row(clip)
            recordings.console.print(
                recordings.invocation[Flags.json]
                    ? JSONString.object([("recording", row.value)]) + "\n" : text(row))
        }
        return .ok
    }

    /// Recordings right before and behind an event belong to it too.
    private static func place(of event: ClipEvent, in clip: IndexedClip) -> String {
        if let end = clip.end, clip.state != .open, event.begun > end { return ", after it" }
        if let start = clip.start, let ended = event.ended, ended < start { return ", before it" }
        return ""
    }

    private func text(_ row: RecordingRow) -> String {
        let clip = row.clip
        let state =
            switch clip.state {
            case .open: "being written, or its process was killed"
            case .complete: "complete"
            case .unlisted: "on no list: retention never deletes it"
            }
        let isThere = FileManager.default.fileExists(atPath: clip.path)
        let facts = [
            ("file", clip.path), ("camera", clip.camera), ("state", isThere ? state : "missing: the file is gone"),
            ("start", "\(row.local), \(row.utc)"),
            ("end", clip.state == .open ? "-" : clip.end.map { "\(ClockText.local($0)), \(ClockText.utc($0))" } ?? "-"),
            ("length", row.length), ("size", row.size),
        ]
        var text = facts.map { name, fact in
            name + String(repeating: " ", count: 8 - name.count) + PrintableText.escaping(fact) + "\n"
        }.joined()
        for event in clip.events {
            let length = event.ended.map { RecordingRow.text(of: $0 - event.begun) } ?? "no end known"
            let by = event.node.isEmpty ? "" : " by \(event.node)"
            text += "event   "
            text += PrintableText.escaping(
                "\(ClockText.local(event.begun)), \(RecordingRow.name(of: event.kind))\(by), \(length)"
                    + Self.place(of: event, in: clip))
            text += "\n"
        }
        return text
    }
}
