import CampipeKit
import Foundation
import Glibc

/// The keys that are pressed in the terminal of standard input, one by one and unseen, until `end`.
///
/// A thread of its own waits for them; Control-C and its like stay signals.
final class TerminalKeys: Sendable {
    private let before: Lock<termios?>

    /// - Parameter pressed: Told the bytes of each key; on the keys' thread.
    /// - Returns: nil where standard input is no terminal, or belongs to somebody in front of this process.
    init?(_ pressed: @escaping @Sendable ([UInt8]) -> Void) {
        var found = termios()
        guard isatty(STDIN_FILENO) == 1, Self.isInFront, tcgetattr(STDIN_FILENO, &found) == 0 else {
            return nil
        }
        before = Lock(found)
        Self.hide(found)
        let thread = Thread {
            var bytes = [UInt8](repeating: 0, count: 64)
            while true {
                let count = read(STDIN_FILENO, &bytes, bytes.count)
                if count > 0 { pressed(Array(bytes.prefix(count))) } else if count == 0 || errno != EINTR { return }
            }
        }
        thread.name = "keys"
        thread.stackSize = 1 << 18
        thread.start()
    }

    private static func hide(_ found: termios) {
        var unseen = found
        unseen.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(STDIN_FILENO, TCSANOW, &unseen)
    }

    private static var isInFront: Bool {
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }

    /// Puts the terminal back for a while, before the process is stopped.
    func pause() { before.withLock { if var found = $0 { tcsetattr(STDIN_FILENO, TCSANOW, &found) } } }

    /// Has keys unseen again, unless it has ended, or somebody else is in front.
    func resume() { before.withLock { if let found = $0, Self.isInFront { Self.hide(found) } } }

    /// Puts the terminal back as it was; once.
    func end() {
        let found = before.withLock { before in
            defer { before = nil }
            return before
        }
        guard var found else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &found)
    }

    /// Whether keys end what is shown, as players have it: q, or Escape, behind which nothing of another key comes.
    static func quits(_ key: [UInt8]) -> Bool {
        key.last == 27 || key.contains(UInt8(ascii: "q")) || key.contains(UInt8(ascii: "Q"))
    }
}
