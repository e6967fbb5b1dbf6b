import CampipeKit
import CampipeNodes
import Foundation
import Glibc

/// The process's standard output and standard error, as the commands use them; a test puts its own in their place.
struct Console: Sendable {
    /// Whether standard error is a terminal on which a line can be painted over.
    let isErrorTerminal: Bool
    /// The environment, as the commands look at it.
    let environment: [String: String]
    let isOutputTerminal: Bool
    /// Whether both are one terminal: then what is written to one spoils what is painted on the other.
    let isOneTerminal: Bool
    let outputStyle: TerminalStyle
    let errorStyle: TerminalStyle
    /// Whether standard output is a terminal that can show pictures.
    let showsPictures: Bool
    private let output: @Sendable (String) -> Int32
    private let error: @Sendable (String) -> Void
    private let failed = Lock(false)

    /// The process's own.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(
            environment: environment, isOutputTerminal: isatty(STDOUT_FILENO) == 1,
            isErrorTerminal: isatty(STDERR_FILENO) == 1, isOneTerminal: Self.isOneTerminal,
            output: { Self.write($0, to: STDOUT_FILENO) },
            error: { _ = Self.write($0, to: STDERR_FILENO) })
    }

    /// - Parameter output: Writes all of a text to standard output; 0, or the error number.
    init(
        environment: [String: String], isOutputTerminal: Bool = false, isErrorTerminal: Bool = false,
        isOneTerminal: Bool = false, output: @escaping @Sendable (String) -> Int32,
        error: @escaping @Sendable (String) -> Void
    ) {
        self.environment = environment
        self.isOutputTerminal = isOutputTerminal
        self.isErrorTerminal = isErrorTerminal && environment["TERM"] != "dumb"
        self.isOneTerminal = isOneTerminal
        showsPictures = isOutputTerminal && TerminalScreen.showsPictures(environment)
        outputStyle = TerminalStyle(isTerminal: isOutputTerminal, environment: environment)
        errorStyle = TerminalStyle(isTerminal: isErrorTerminal, environment: environment)
        self.output = output
        self.error = error
    }

    /// Writes text to standard output, whole: what a command answers. What cannot be written is said once on standard
    /// error, and makes the command one that failed; a reader that went away is no failure.
    func print(_ text: String) {
        let code = output(text)
        guard code != 0, code != EPIPE else { return }
        let isFirst = failed.withLock { failed in
            defer { failed = true }
            return !failed
        }
        if isFirst { complain("campipe: \(CampipeError.system("cannot write to standard output", errno: code))\n") }
    }

    /// Whether something of the answer could not be written.
    var hasFailed: Bool { failed.withLock { $0 } }

    /// Writes to the terminal behind standard output what is no answer, and may get lost with it.
    func paint(_ text: String) { _ = output(text) }

    /// Writes text to standard error, whole.
    func complain(_ text: String) { error(text) }

    /// The window's width in columns; 80 where it is not known.
    var columns: Int { window.columns }

    /// The window's columns and rows; 80 by 24 where they are not known.
    var window: (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// The rows below a picture that fills the terminal, where standard error is written to it.
    ///
    /// - Parameter serves: Whether there are addresses to be shown.
    func footerRows(serves: Bool) -> Int { isErrorTerminal ? serves ? 3 : 2 : 1 }

    /// Standard error as the threads of a pipeline use it.
    func lines(footerRows: Int) -> LineOutput {
        LineOutput(
            room: {
                let window = self.window
                return TerminalFooter.Room(columns: window.columns, rows: window.rows, footerRows: footerRows)
            }, complain)
    }

    private static var isOneTerminal: Bool {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return false }
        var (output, error) = (stat(), stat())
        guard unsafe fstat(STDOUT_FILENO, &output) == 0, unsafe fstat(STDERR_FILENO, &error) == 0 else { return false }
        return output.st_rdev == error.st_rdev
    }

    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe Glibc.poll(&poll, 1, 1000)
                continue
            }
            guard written > 0 else { return written < 0 ? errno : EIO }
            bytes = bytes.dropFirst(written)
        }
        return 0
    }
}
