import CampipeKit
import Glibc

/// Reads a password: from a terminal twice and unseen, else the first line of what comes.
struct PasswordInput: Sendable {
    private let descriptor: Int32

    static let standardInput = PasswordInput(descriptor: STDIN_FILENO)
    private static let limit = 1024

    /// - Parameter descriptor: Stays the caller's.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Parameter twice: Whether a terminal is asked once more, since nothing else tells that it was typed right.
    /// - Throws: `.configuration` for an empty password, one that is not UTF-8 or over 1024 bytes, or two that differ;
    ///   `.failed` when it was broken off.
    func read(_ console: Console, twice: Bool = true) throws(CampipeError) -> String {
        let line: [UInt8]
        if isatty(descriptor) == 1 {
            line = try readUnseen("Password: ", console)
            if twice, try readUnseen("Once more: ", console) != line {
                throw CampipeError(.configuration, "the two are not the same")
            }
        } else {
            line = try readLine()
        }
        guard let text = String(validating: line, as: UTF8.self), !text.utf8.contains(0) else {
            throw CampipeError(.configuration, "the password is not UTF-8")
        }
        guard !text.isEmpty else { throw CampipeError(.configuration, "the password is empty") }
        return text
    }

    /// Nil at the end.
    private func next() throws(CampipeError) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = unsafe Glibc.read(descriptor, &byte, 1)
            if count == 1 { return byte }
            if count == 0 { return nil }
            if errno != EINTR { throw .system("cannot read the password", errno: errno) }
        }
    }

    private func readLine() throws(CampipeError) -> [UInt8] {
        var line: [UInt8] = []
        while let byte = try next(), byte != UInt8(ascii: "\n") {
            line.append(byte)
            try Self.check(line)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }

    private static func check(_ line: [UInt8]) throws(CampipeError) {
        if line.count > limit { throw CampipeError(.configuration, "the password is longer than \(limit) bytes") }
    }

    /// Letter by letter, so that Control-C can put the terminal back before it ends the program.
    private func readUnseen(_ prompt: String, _ console: Console) throws(CampipeError) -> [UInt8] {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else {
            throw .system("cannot hide what is typed", errno: errno)
        }
        var unseen = before
        unseen.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard unsafe tcsetattr(descriptor, TCSAFLUSH, &unseen) == 0 else {
            throw .system("cannot hide what is typed", errno: errno)
        }
        console.complain(prompt)
        defer {
            unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
            console.complain("\n")
        }
        var line: [UInt8] = []
        while let byte = try next() {
            switch byte {
            case 10, 13: return line
            case 3, 4, 26: throw CampipeError(.failed, "broken off")
            case 8, 127:
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            case 21: line = []
            default: line.append(byte)
            }
            try Self.check(line)
        }
        return line
    }
}
