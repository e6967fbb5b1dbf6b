import CampipeKit

/// What other programs take behind a percent sign, and names of files here do not: `%path`, `%{camera}`, `%03d`, `%v`.
///
/// strftime reads `%path` as `%p` and text, so that a morning's recordings would stand in `AMath`.
struct PatternSlip {
    /// The part that is meant, from the percent sign on.
    let text: String
    let sentence: String
    let fix: String

    /// Words for what is recorded, as other programs have them.
    private static let names: Set<String> = [
        "path", "name", "camera", "cam", "camname", "cameraname", "title", "label", "monitor", "channel", "device",
        "stream", "source", "host", "hostname", "node",
    ]
    /// Words for times.
    private static let times = [
        "year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "hours": "%H", "minute": "%M", "minutes": "%M",
        "min": "%M", "second": "%S", "seconds": "%S", "sec": "%S", "date": "%Y-%m-%d", "time": "%H%M%S",
        "datetime": "%Y%m%d-%H%M%S", "timestamp": "%s", "unix": "%s", "epoch": "%s", "micros": "%f", "millis": "%f",
        "msec": "%f",
    ]
    private static let byTime = "files are named by their time, such as %Y%m%d-%H%M%S"

    /// - Parameters:
    ///   - rest: The pattern from a percent sign on.
    ///   - fields: The names that the pattern takes in braces.
    init?(_ rest: ArraySlice<UInt8>, fields: [String]) {
        let behind = rest.dropFirst()
        guard let first = behind.first else { return nil }
        let camera = fields.contains("camera") ? "camera" : fields.first
        let cameraFix = camera.map { "write {\($0)}" } ?? Self.byTime
        if first == UInt8(ascii: "{"), let end = behind.firstIndex(of: UInt8(ascii: "}")), end - rest.startIndex <= 64 {
            let name = String(decoding: behind[(behind.startIndex + 1)..<end], as: UTF8.self)
            text = String(decoding: rest[...end], as: UTF8.self)
            sentence = "has a percent sign in front of the brace"
            fix =
                Nearest.match(name, in: fields).map { "write {\($0)}" }
                ?? Self.times[name.lowercased()].map { "write \($0)" } ?? Nearest.fix(name, in: fields)
            return
        }
        let digits = behind.prefix { (48...57).contains($0) }
        if !digits.isEmpty, digits.count <= 3, let last = behind[digits.endIndex...].first,
            "diu".utf8.contains(last)
        {
            text = String(decoding: rest[...digits.endIndex], as: UTF8.self)
            sentence = "would be a number, and files are not counted"
            fix = Self.byTime + "; of two at one time each has a name of its own"
            return
        }
        let word = behind.prefix { Self.isLetter($0) }
        let name = String(decoding: word, as: UTF8.self)
        let folded = name.utf8.count > 3 ? name.lowercased() : name
        var meant = fields.contains(folded) ? "{\(folded)}" : Self.times[folded]
        if meant == nil, Self.names.contains(folded), let camera { meant = "{\(camera)}" }
        if name.utf8.count > 1, let meant {
            text = "%" + name
            sentence = "is no conversion: those are one letter each"
            fix = "write \(meant)"
            return
        }
        // As Motion has them.
        guard let other = ["$": cameraFix, "t": cameraFix, "v": Self.byTime, "q": "write %f"][Self.letter(first)] else {
            return nil
        }
        text = "%" + Self.letter(first)
        sentence = "is not a conversion that names take"
        fix = other
    }

    private static func letter(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }
}
