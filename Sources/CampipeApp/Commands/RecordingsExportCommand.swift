import CampipeKit
import CampipeMedia
import CampipeStore

/// `campipe recordings export`: a time of a camera, or some recordings, as one file.
struct RecordingsExportCommand {
    private let recordings: RecordingsCommand

    init(_ recordings: RecordingsCommand) { self.recordings = recordings }

    func perform() throws(CampipeError) -> ExitCode {
        guard let output = recordings.invocation[Flags.output] else {
            return usage("recordings export needs --output FILE", "write where it goes, such as --output door.mp4")
        }
        guard let container = Container(path: output) else {
            return usage("--output: \"\(output)\" does not say the format", "end it with .mp4, .mkv or .ts")
        }
        let hasRange = recordings.invocation[Flags.from] != nil || recordings.invocation[Flags.to] != nil
        guard !recordings.invocation.arguments.isEmpty || hasRange else {
            return usage("recordings export needs FILE or --from", "name recordings, or a time")
        }
        let query = try recordings.query()
        let clips = try chosen(query)
        let parts = clips.map { clip in
            ClipJoiner.Part(
                path: clip.path, start: clip.start, from: Self.offset(query.from, in: clip),
                to: Self.offset(query.to, in: clip))
        }
        var joiner = ClipJoiner(parts, container: container)
        let result = try joiner.write(to: output)
        if recordings.invocation[Flags.json] {
            recordings.console.print(Self.json(output, result, clips.count))
        } else {
            recordings.console.print(Self.text(output, result, clips.count))
        }
        return .ok
    }

    private func usage(_ sentence: String, _ fix: String) -> ExitCode {
        recordings.console.complain(UsageError(sentence, fix: fix, command: .recordingsExport).text)
        return .usage
    }

    /// What is exported, the oldest first.
    private func chosen(_ query: ClipQuery) throws(CampipeError) -> [IndexedClip] {
        var clips =
            recordings.invocation.arguments.isEmpty
            ? Array(try recordings.index.clips(query).reversed()) : try recordings.named()
        clips.removeAll { Container(path: $0.path) == nil && !$0.path.hasSuffix(".mjpeg") }
        guard recordings.invocation.arguments.isEmpty else { return clips }
        let cameras = Set(clips.map(\.camera)).sorted()
        guard cameras.count < 2 else {
            throw CampipeError(
                .failed, "\(WordList.and(cameras)) were recorded in that time",
                fix: "say which with --camera")
        }
        // Two recordings of one camera would tell the same twice.
        let byList = Dictionary(grouping: clips, by: \.list)
        guard byList.count > 1 else { return clips }
        let longest = byList.values.max { Self.length($0) < Self.length($1) } ?? []
        recordings.complain(
            "\(clips.count - longest.count) recordings of the same time, by another node, are left out")
        return longest
    }

    private static func length(_ clips: [IndexedClip]) -> Duration {
        clips.reduce(.zero) { $0 + ($1.length ?? .zero) }
    }

    /// Where in a recording a time is; nil when it is not in it.
    private static func offset(_ time: WallTime?, in clip: IndexedClip) -> Duration? {
        guard let time, let start = clip.start, time > start else { return nil }
        return time - start
    }

    private static func text(_ output: String, _ result: ClipJoiner.Result, _ count: Int) -> String {
        let from = result.start.map { ", from \(ClockText.local($0)) (\(ClockText.utc($0)))" } ?? ""
        let gaps =
            result.gaps == 0 ? "" : "; \(result.gaps) gap\(result.gaps == 1 ? "" : "s") without recording left out"
        return PrintableText.escaping(
            "\(output): \(RecordingRow.text(of: result.length)) of \(count) recording\(count == 1 ? "" : "s")\(from), "
                + "\(result.pictures) pictures\(result.hasSound ? " with sound" : "")\(gaps)") + "\n"
    }

    private static func json(_ output: String, _ result: ClipJoiner.Result, _ count: Int) -> String {
        var members: [(key: String, value: EventValue)] = [
            ("file", .text(output)), ("recordings", .integer(count)), ("pictures", .integer(result.pictures)),
            ("seconds", .number(result.length.seconds)), ("has_sound", .bool(result.hasSound)),
            ("gaps", .integer(result.gaps)),
        ]
        if let start = result.start {
            members += [("start", .text(start.iso8601)), ("start_local", .text(ClockText.local(start)))]
        }
        return JSONString.object(members) + "\n"
    }
}
