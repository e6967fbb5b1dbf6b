import Foundation
import Glibc
import Testing

/// A terminal that a test types into and reads from; 80 columns and 24 rows.
final class PseudoTerminal: Sendable {
    let master: Int32
    let slave: Int32

    init() throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(master >= 0)
        // TIOCSPTLCK and TIOCGPTN, which Glibc's module does not show.
        var (lock, number): (Int32, Int32) = (0, -1)
        try #require(ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(slave >= 0)
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(slave, UInt(TIOCSWINSZ), &size) == 0)
    }

    deinit {
        close(master)
        close(slave)
    }

    func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

    /// What the terminal was given since it was asked last.
    func shown() -> String {
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        while true {
            let count = Glibc.read(master, &bytes, bytes.count)
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += bytes.prefix(count)
        }
    }

    /// Whether what is typed shows.
    var echoes: Bool {
        var now = termios()
        tcgetattr(slave, &now)
        return now.c_lflag & tcflag_t(ECHO) != 0 && now.c_lflag & tcflag_t(ICANON) != 0
    }
}
