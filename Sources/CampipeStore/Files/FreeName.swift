import CampipeKit
import Glibc

/// Finds a free name among those that a pattern gives for one time, however many of them are in use.
enum FreeName {
    /// The largest number of an attempt: what `_N` of a name may be at most.
    static let last = 999_999_998

    /// Takes the first free name, or where some before it were deleted another that is free.
    ///
    /// - Parameters:
    ///   - path: The name of each attempt, from 0 on.
    ///   - take: Takes a name; nil when it is in use.
    /// - Throws: What `take` throws, and when all names are in use.
    static func take<Taken>(
        _ path: (_ attempt: Int) -> String, _ pattern: String,
        _ take: (String) throws(CampipeError) -> Taken?
    ) throws(CampipeError) -> Taken {
        if let taken = try take(path(0)) { return taken }
        // Another process may take the name that was found; then it is looked again.
        for _ in 0..<1000 {
            guard let attempt = attempt(isUsed: { isUsed(path($0)) }) else { break }
            if let taken = try take(path(attempt)) { return taken }
        }
        throw CampipeError(
            .failed, "all names of \(pattern) for this time are in use",
            fix: "let the path vary with the time, such as %H%M%S-%f")
    }

    /// An attempt whose name is free, and the one before it is in use.
    ///
    /// It looks at the attempts 1, 2, 4 and so on up to the first free one, and then halves what lies between: sixty looks
    /// at most.
    ///
    /// - Returns: nil when there is none.
    static func attempt(isUsed: (Int) -> Bool) -> Int? {
        guard isUsed(0) else { return 0 }
        var (used, free) = (0, 1)
        while isUsed(free) {
            guard free < last else { return nil }
            (used, free) = (free, min(free * 2, last))
        }
        while free - used > 1 {
            let middle = used + (free - used) / 2
            if isUsed(middle) { used = middle } else { free = middle }
        }
        return free
    }

    /// Whether anything has the name, be it a link to nowhere. What cannot be looked at counts as free: taking it says why.
    private static func isUsed(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }
}
