import Foundation
import Glibc

/// A terminal of the test's own (a pty), and what stands on its screen.
final class Terminal: Sendable {
    private let master: Int32
    /// What a program writes to.
    let handle: FileHandle

    init?() {
        // What posix_openpt, unlockpt and ptsname do; Swift's Glibc has none of them (ioctl_tty(2)).
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (lock, number): (Int32, Int32) = (0, 0)
        let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
        let name: UInt = 0x8004_5430  // TIOCGPTN
        guard master >= 0, ioctl(master, unlock, &lock) == 0, ioctl(master, name, &number) == 0 else { return nil }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard slave >= 0 else { return nil }
        var size = winsize(ws_row: 50, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        handle = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    deinit { close(master) }

    /// All that was written until every writer has gone. Call `handle.close()` first.
    func read() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(master, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }

    /// The lines as a terminal without an end would show them: carriage returns go back, `ESC [ K` wipes.
    static func screen(_ text: String) -> [String] {
        var lines: [[Unicode.Scalar]] = [[]]
        var column = 0
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n": lines.append([])
            case "\u{1B}":
                let end = rest.firstIndex { ("a"..."z").contains($0) || ("A"..."Z").contains($0) } ?? rest.endIndex
                if end < rest.endIndex, rest[end] == "K" { lines[lines.count - 1].removeSubrange(column...) }
                rest = rest[min(end + 1, rest.endIndex)...]
            default:
                if lines[lines.count - 1].count < column {
                    lines[lines.count - 1] += [Unicode.Scalar](
                        repeating: " ", count: column - lines[lines.count - 1].count)
                }
                if column < lines[lines.count - 1].count {
                    lines[lines.count - 1][column] = scalar
                } else {
                    lines[lines.count - 1].append(scalar)
                }
                column += 1
            }
        }
        return lines.map { String(String.UnicodeScalarView($0)) }
    }
}
