import CampipeKit
import CampipeMedia
import CampipeStore
import Glibc

/// `campipe recordings verify`: whether recordings are there, as they were written, and play.
struct RecordingsVerifyCommand {
    private let recordings: RecordingsCommand

    init(_ recordings: RecordingsCommand) { self.recordings = recordings }

    func perform() throws(CampipeError) -> ExitCode {
        let clips =
            recordings.invocation.arguments.isEmpty
            ? try recordings.index.clips(try recordings.query()) : try recordings.named()
        let isJSON = recordings.invocation[Flags.json]
        var faults: [(clip: IndexedClip, fault: String)] = []
        for clip in clips {
            guard let fault = fault(of: clip) else { continue }
            faults.append((clip, fault))
            let path = recordings.row(clip).path
            if !isJSON { recordings.console.print(PrintableText.escaping("\(path): \(fault)") + "\n") }
        }
        if isJSON {
            let list = faults.map { EventValue.map(["file": .text($0.clip.path), "fault": .text($0.fault)]) }
            recordings.console.print(
                JSONString.object([("checked", .integer(clips.count)), ("faults", .list(list))]) + "\n")
        } else {
            let fine = clips.count - faults.count
            recordings.console.print("\(clips.count) checked: \(fine) fine, \(faults.count) not\n")
        }
        return faults.isEmpty ? .ok : .failed
    }

    /// What is wrong with a recording; nil when nothing is.
    private func fault(of clip: IndexedClip) -> String? {
        var status = stat()
        guard unsafe lstat(clip.path, &status) == 0 else { return "missing: \(String(cString: strerror(errno)))" }
        guard status.st_mode & S_IFMT == S_IFREG else { return "not a file any more" }
        if let bytes = clip.bytes, Int(status.st_size) != bytes {
            return "it has \(status.st_size) bytes, and \(bytes) were written"
        }
        // Of one that is being written the last fragment is not whole.
        guard clip.state != .open else { return nil }
        do throws(CampipeError) {
            let check = try ClipCheck(clip.path, decodes: recordings.invocation[Flags.decode])
            if check.pictures == 0 { return "there is no picture in it" }
            if !check.beginsWithKeyframe { return "it does not begin with a keyframe" }
            if check.damaged > 0 { return "\(check.damaged) of \(check.pictures) pictures are damaged" }
            return nil
        } catch {
            return "\(error)"
        }
    }
}
