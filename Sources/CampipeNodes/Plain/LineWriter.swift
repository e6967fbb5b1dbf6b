import Glibc

/// Where `log` writes its lines; a service, so that a test or another front end takes them instead of standard output.
package struct LineWriter: Sendable {
    /// Whether somebody still reads what is written.
    package enum Outcome: Sendable {
        case written
        /// The reader has gone, as with `campipe run ... | head -1`.
        case closed
    }

    private let writing: @Sendable (String) throws -> Outcome

    /// - Parameter writing: Takes a line without its end; may block, on the thread of the node that writes.
    package init(_ writing: @escaping @Sendable (String) throws -> Outcome) { self.writing = writing }

    /// Writes a line and its end at once, or says that it cannot now. Throws `.unavailable` when nobody reads any
    /// more.
    package func write(_ line: String) throws -> Outcome { try writing(line) }

    /// Standard output, a line a call, never cut by another line.
    package static let standardOutput: LineWriter = {
        let file = LineFile(descriptor: STDOUT_FILENO)
        return LineWriter { line in try file.write(line) }
    }()
}
