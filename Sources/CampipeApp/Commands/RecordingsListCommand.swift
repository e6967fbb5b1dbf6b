import CampipeKit
import CampipeStore

/// `campipe recordings list`: what was recorded, the newest first.
struct RecordingsListCommand {
    private let recordings: RecordingsCommand
    /// How many are listed where nobody says.
    private static let limit = 100

    init(_ recordings: RecordingsCommand) { self.recordings = recordings }

    func perform() throws(CampipeError) -> ExitCode {
        var query = try recordings.query()
        let totals = try recordings.index.totals(query)
        query.limit = recordings.invocation[Flags.limit] ?? Self.limit
        let rows = try recordings.index.clips(query).map(recordings.row)
        recordings.console.print(
            recordings.invocation[Flags.json] ? Self.json(rows, totals) : Self.text(rows, totals))
        return .ok
    }

    private static func json(_ rows: [RecordingRow], _ totals: ClipTotals) -> String {
        JSONString.object([
            ("recordings", EventValue.list(rows.map(\.value))),
            (
                "total",
                .map([
                    "count": .integer(totals.count), "bytes": .integer(totals.bytes),
                    "seconds": .number(totals.length.seconds),
                ])
            ),
        ]) + "\n"
    }

    private static func text(_ rows: [RecordingRow], _ totals: ClipTotals) -> String {
        let table = RecordingRow.table(
            ["START", "UTC", "LENGTH", "SIZE", "CAMERA", "EVENTS", "FILE"],
            rows.map { [$0.local, $0.utc, $0.length, $0.size, $0.clip.camera, $0.events, $0.path] })
        let all =
            "\(totals.count) recording\(totals.count == 1 ? "" : "s"), \(RecordingRow.text(of: totals.length)), "
            + RecordingRow.text(ofBytes: totals.bytes)
        return (rows.isEmpty ? "" : table)
            + (rows.count < totals.count ? "the newest \(rows.count) of \(all)\n" : "\(all)\n")
    }
}
