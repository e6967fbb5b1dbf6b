import CampipeKit

/// What a file source did not hand on: told when it first happens, and in all when the file is over; and what it handed on
/// damaged, told then. A value.
struct FileRefusals {
    private let path: String
    private let log: Log
    private var count = 0
    private var reasons: Set<String> = []
    /// Pictures that were handed on marked as damaged.
    var damaged = 0
    private var first: String?

    init(_ path: String, log: Log) {
        self.path = path
        self.log = log
    }

    mutating func refused(_ reason: DropReason, in file: String, _ cause: String) {
        count += 1
        reasons.insert(reason.name)
        guard count == 1 else { return }
        first = file == path ? cause : "\(file): \(cause)"
        log.warning("a picture was refused", ["path": file, "reason": reason.name, "cause": cause])
    }

    /// Says how many there were, where that is more than was said already.
    func tell() {
        if damaged > 0 { log.warning("damaged pictures", ["count": damaged, "path": path]) }
        guard count > 1 else { return }
        log.warning(
            "pictures refused", ["count": count, "path": path, "reason": reasons.sorted().joined(separator: ", ")])
    }

    /// Why nothing at all came of it.
    var nothing: CampipeError {
        guard let first else { return CampipeError(.badData, "there is no picture in \(path)") }
        return CampipeError(
            .badData,
            "there is no picture in \(path): " + (count == 1 ? first : "\(count) were refused, first \(first)"))
    }
}
