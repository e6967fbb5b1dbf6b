import CampipeKit
import CampipeStore
import Foundation

/// What the commands about recordings share: the index, the flags that pick recordings, the way to say what is wrong.
struct RecordingsCommand {
    let invocation: Invocation
    let console: Console
    let hand: RecordingsAtHand
    let now: WallTime

    /// - Throws: When there is no index even in memory.
    init(_ invocation: Invocation, _ console: Console) throws(CampipeError) {
        self.invocation = invocation
        self.console = console
        now = SystemClock().wallTime
        hand = try RecordingsAtHand(
            environment: console.environment, folders: invocation.all(Flags.folder),
            isRebuilt: invocation[Flags.rebuild]
        ) { console.complain("campipe: \(PrintableText.escaping($0))\n") }
        if hand.lists.isEmpty {
            complain(
                "no recordings are known here; run a pipeline with a file sink, or name their folder with --folder")
        }
    }

    /// Runs a command about recordings; says what it threw.
    static func perform(
        _ invocation: Invocation, _ console: Console,
        _ body: (RecordingsCommand) throws(CampipeError) -> ExitCode
    ) -> ExitCode {
        do throws(CampipeError) {
            return try body(try RecordingsCommand(invocation, console))
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
    }

    var index: RecordingIndex { hand.index }

    func complain(_ sentence: String) { console.complain("campipe: \(PrintableText.escaping(sentence))\n") }

    /// What the flags ask for.
    ///
    /// - Throws: `.notFound` for a camera that nobody recorded.
    func query() throws(CampipeError) -> ClipQuery {
        if let camera = invocation[Flags.camera] {
            let known = try index.cameras()
            guard known.contains(camera) else {
                throw CampipeError(
                    .notFound, "there is no recording of a camera \"\(camera)\"",
                    fix: Nearest.fix(camera, in: known))
            }
        }
        return ClipQuery(
            camera: invocation[Flags.camera], from: invocation[Flags.from]?.time(now: now),
            to: invocation[Flags.to]?.time(now: now), withEvents: invocation[Flags.withEvents])
    }

    /// The recordings that the arguments name.
    ///
    /// - Throws: `.notFound` for one that is not known.
    func named() throws(CampipeError) -> [IndexedClip] {
        var clips: [IndexedClip] = []
        for path in invocation.arguments {
            guard let clip = try index.clip(at: RecordingRegister.absolute(path)) else {
                throw CampipeError(
                    .notFound, "\(path) is no recording that is known here",
                    fix: "campipe recordings list tells which are")
            }
            clips.append(clip)
        }
        return clips
    }

    func row(_ clip: IndexedClip) -> RecordingRow {
        RecordingRow(clip, below: FileManager.default.currentDirectoryPath)
    }
}
