package import CampipeKit

/// Cuts what a child writes on standard error into lines for the log: at most so many a second, none without an end.
///
/// A value without clock.
package struct ChildLines: Sendable {
    /// The longest line, in bytes; what is beyond is left out.
    package static let lineLimit = 1000
    /// Lines a second.
    package static let rateLimit = 20

    private var line: [UInt8] = []
    private var windowStart = Instant.distantPast
    private var inWindow = 0
    /// Lines that were left out since that was last said.
    private var left = 0
    /// The last line that was not empty, for whoever asks why the child ended.
    package private(set) var last: String?

    package init() {}

    /// Takes what was read.
    ///
    /// - Returns: The lines to be shown, and how many were left out before.
    package mutating func take(_ bytes: ArraySlice<UInt8>, at now: Instant) -> (lines: [String], left: Int) {
        var lines: [String] = []
        var told = 0
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.lineLimit { line.append(byte) }
                continue
            }
            end(&lines, &told, now)
        }
        return (lines, told)
    }

    /// The child ended: what it wrote without the end of a line is one too.
    package mutating func end(at now: Instant) -> (lines: [String], left: Int) {
        var lines: [String] = []
        var told = 0
        end(&lines, &told, now)
        told += left
        left = 0
        return (lines, told)
    }

    private mutating func end(_ lines: inout [String], _ told: inout Int, _ now: Instant) {
        defer { line.removeAll(keepingCapacity: true) }
        guard line.contains(where: { $0 > 0x20 }) else { return }
        let text = PrintableText.escaping(String(decoding: line, as: UTF8.self))
        last = text
        if now - windowStart >= .seconds(1) {
            windowStart = now
            inWindow = 0
            told += left
            left = 0
        }
        inWindow += 1
        if inWindow <= Self.rateLimit { lines.append(text) } else { left += 1 }
    }
}
