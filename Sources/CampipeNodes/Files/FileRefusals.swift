import CampipeKit

/// What a file source did not hand on: told when it first happens, and in all when the file is over. A value.
struct FileRefusals {
    private let path: String
    private let log: Log
    private(set) var count = 0
    private var first: String?

    init(_ path: String, log: Log) {
        self.path = path
        self.log = log
    }

    mutating func refused(in file: String, _ cause: CampipeError) {
        count += 1
        guard count == 1 else { return }
        first = file == path ? cause.message : "\(file): \(cause.message)"
        log.warning("a picture was refused", ["path": file, "reason": DropReason.notJPEG.name, "cause": cause.message])
    }

    /// Says how many there were, where that is more than was said already.
    func tell() {
        guard count > 1 else { return }
        log.warning("pictures refused", ["count": count, "path": path, "reason": DropReason.notJPEG.name])
    }

    /// Why nothing at all came of it.
    var nothing: CampipeError {
        guard let first else { return CampipeError(.badData, "there is no picture in \(path)") }
        return CampipeError(
            .badData, "there is no picture in \(path): " + (count == 1 ? first : "\(count) are no JPEG, first \(first)")
        )
    }
}
