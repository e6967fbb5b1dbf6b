import CampipeKit
import Foundation
import Glibc

/// The process's standard output and standard error, as the commands use them.
struct Console: Sendable {
    let isErrorTerminal: Bool
    let outputStyle: TerminalStyle
    let errorStyle: TerminalStyle

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        isErrorTerminal = isatty(STDERR_FILENO) == 1
        outputStyle = TerminalStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment)
        errorStyle = TerminalStyle(isTerminal: isErrorTerminal, environment: environment)
    }

    /// Writes text to standard output, whole; a reader that went away is not a failure.
    func print(_ text: String) { Self.write(text, to: STDOUT_FILENO) }

    /// Writes text to standard error, whole.
    func complain(_ text: String) { Self.write(text, to: STDERR_FILENO) }

    /// The window's width in columns; nil where standard error is no terminal.
    var columns: Int? {
        guard isErrorTerminal else { return nil }
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe Glibc.poll(&poll, 1, 1000)
                continue
            }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}
