import CampipeKit
import CampipeStore
import Foundation

/// A recording as commands print it: for people, and for programs.
struct RecordingRow {
    let clip: IndexedClip
    /// Its path, from the working folder on where it is below that.
    let path: String

    init(_ clip: IndexedClip, below folder: String) {
        self.clip = clip
        path = clip.path.hasPrefix(folder + "/") ? String(clip.path.dropFirst(folder.count + 1)) : clip.path
    }

    var local: String { clip.start.map(ClockText.local) ?? "-" }
    var utc: String { clip.start.map(ClockText.utc) ?? "-" }
    var length: String { clip.state == .open ? "open" : Self.text(of: clip.length) }
    var size: String { clip.bytes.map { Self.text(ofBytes: $0) } ?? "-" }

    /// `motion 2`, by kind.
    var events: String {
        var counts: [(kind: String, count: Int)] = []
        for event in clip.events {
            let kind = Self.name(of: event.kind)
            if let index = counts.firstIndex(where: { $0.kind == kind }) {
                counts[index].count += 1
            } else {
                counts.append((kind, 1))
            }
        }
        return counts.map { $0.count == 1 ? $0.kind : "\($0.kind) \($0.count)" }.joined(separator: ", ")
    }

    /// What happened, of the name of its beginning.
    static func name(of kind: String) -> String {
        kind.hasSuffix("_started") ? String(kind.dropLast("_started".count)) : kind
    }

    /// To the second, below a minute to the tenth: `9m58s`, `12.4s`.
    static func text(of length: Duration?) -> String {
        guard let length else { return "-" }
        let tenths = Int((length.seconds * 10).rounded())
        if tenths < 600 { return tenths % 10 == 0 ? "\(tenths / 10)s" : "\(tenths / 10).\(tenths % 10)s" }
        let seconds = (tenths + 5) / 10
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return (hours > 0 ? "\(hours)h" : "") + (minutes > 0 ? "\(minutes)m" : "")
            + (seconds % 60 > 0 ? "\(seconds % 60)s" : "")
    }

    static func text(ofBytes bytes: Int) -> String {
        var (tenths, unit) = (bytes * 10, 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while tenths >= 10_240, unit < units.count - 1 {
            tenths = (tenths + 512) / 1024
            unit += 1
        }
        return unit == 0 || tenths % 10 == 0 || tenths >= 1000
            ? "\(tenths / 10)\(units[unit])" : "\(tenths / 10).\(tenths % 10)\(units[unit])"
    }

    /// As JSON has it: times in UTC and local, seconds, bytes.
    var value: EventValue {
        var members: [String: EventValue] = [
            "file": .text(clip.path), "camera": .text(clip.camera), "state": .text(clip.state.rawValue),
            "events": .list(
                clip.events.map { event in
                    var members: [String: EventValue] = [
                        "kind": .text(event.kind), "node": .text(event.node), "begun": .text(event.begun.iso8601),
                    ]
                    if let ended = event.ended { members["ended"] = .text(ended.iso8601) }
                    return .map(members)
                }),
        ]
        if let start = clip.start {
            members["start"] = .text(start.iso8601)
            members["start_local"] = .text(ClockText.local(start))
        }
        if let length = clip.length { members["seconds"] = .number(length.seconds) }
        if let bytes = clip.bytes { members["bytes"] = .integer(bytes) }
        return .map(members)
    }

    /// Columns under a head, as wide as they must be; the last one is not filled up.
    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let rows = [head] + rows.map { $0.map { PrintableText.escaping($0) } }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                column == head.count - 1
                    ? text : text + String(repeating: " ", count: max(0, widths[column] - text.count))
            }.joined(separator: "  ") + "\n"
        }.joined()
    }
}
