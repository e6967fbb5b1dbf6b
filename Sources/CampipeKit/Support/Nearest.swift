/// Did-you-mean by edit distance.
public enum Nearest {
    /// The candidate that a person most likely meant by `word`, if one is near enough: at most one edit in three
    /// letters.
    ///
    /// Ties go to the earlier candidate. Case and `-` against `_` count nothing. A word of four letters or more may also be
    /// the beginning of what was meant (`user` of `username`), where only one candidate begins so.
    public static func match(_ word: String, in candidates: some Collection<String>) -> String? {
        let wanted = folded(word)
        guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
        // Any letter is one edit away from any other.
        let limit = wanted.count < 2 ? 0 : max(1, wanted.count / 3)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates where abs(candidate.utf8.count - wanted.count) <= limit {
            let distance = distance(wanted, folded(candidate))
            if distance < best?.distance ?? Int.max { best = (candidate, distance) }
        }
        if let best, best.distance <= limit { return best.candidate }
        guard wanted.count >= 4 else { return nil }
        let begun = candidates.filter { folded($0).starts(with: wanted) }
        return Set(begun).count == 1 ? begun.first : nil
    }

    /// `did you mean "url"?`, or the whole list when there is no near candidate; of a long one the beginning.
    public static func fix(_ word: String, in candidates: [String]) -> String {
        if let match = match(word, in: candidates.filter { $0 != word }) { return "did you mean \"\(match)\"?" }
        var seen: Set<String> = [word]
        let known = candidates.filter { seen.insert($0).inserted }
        if known.isEmpty { return "delete it: none is known here" }
        let rest = known.count > 24 ? ", and \(known.count - 24) more" : ""
        return "known: \(known.prefix(24).joined(separator: ", "))\(rest)"
    }

    private static func folded(_ word: String) -> [UInt8] {
        word.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : (65...90).contains($0) ? $0 + 32 : $0 }
    }

    /// Edits (insert, delete, replace, swap of neighbours) from one word to another.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.isEmpty { return right.count }
        if right.isEmpty { return left.count }
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        var row = last
        for i in 1...left.count {
            row[0] = i
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last, row) = (last, row, beforeLast)
        }
        return last[right.count]
    }
}
