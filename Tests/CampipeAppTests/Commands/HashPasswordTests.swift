import CampipeKit
import Dispatch
import Glibc
import Foundation
import Testing

@testable import CampipeApp

@Suite("campipe hash-password")
struct HashPasswordTests {
    private func run(_ input: [UInt8]) -> (code: ExitCode, output: String, error: String) {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(input))
        try? pipe.fileHandleForWriting.close()
        let captured = Captured()
        let reading = PasswordInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        let code = HashPasswordCommand(captured.console(), input: reading).perform()
        return (code, captured.output, captured.error)
    }

    @Test("it prints the hash of the first line alone", arguments: ["hunter22", "hunter22\n", "hunter22\r\nmore\n"])
    func hash(input: String) throws {
        let result = run(Array(input.utf8))
        #expect(result.code == .ok && result.error == "")
        #expect(result.output.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$") && result.output.hasSuffix("\n"))
        #expect(result.output.count(where: { $0 == "\n" }) == 1)
    }

    @Test(
        "an empty password, one that is no text, and one without an end are refused",
        arguments: [
            ([], "empty"), ([10], "empty"), ([0xFF, 10], "not UTF-8"), ([65, 0, 65], "not UTF-8"),
            ([UInt8](repeating: 65, count: 2000), "longer than 1024"),
        ] as [([UInt8], String)])
    func refused(input: [UInt8], words: String) {
        let result = run(input)
        #expect(result.code == .failed && result.output == "" && result.error.contains(words), "\(result.error)")
    }

    @Test(
        "on a terminal it asks twice and shows nothing; Control-C leaves the terminal as it was",
        arguments: [
            (["hunter2x\u{7F}2\n", "hunter22\n"], ExitCode.ok, ""), (["hunter22\n", "hunter23\n"], .failed, "same"),
            (["hunt\u{3}"], .failed, "broken off"), (["\u{4}"], .failed, "broken off"),
        ] as [([String], ExitCode, String)])
    func terminal(typed: [String], code: ExitCode, words: String) throws {
        let terminal = try PseudoTerminal()
        let captured = Captured()
        let ended = DispatchSemaphore(value: 0)
        let result = Lock(ExitCode.usage)
        Thread {
            let input = PasswordInput(descriptor: terminal.slave)
            let code = HashPasswordCommand(captured.console(), input: input).perform()
            result.withLock { $0 = code }
            ended.signal()
        }.start()
        for (text, prompt) in zip(typed, ["Password: ", "Once more: "]) {
            for _ in 0..<6000 where !captured.error.contains(prompt) { usleep(10_000) }
            terminal.type(text)
        }
        #expect(ended.wait(timeout: .now() + .seconds(60)) == .success)
        #expect(
            result.withLock { $0 } == code && (words.isEmpty || captured.error.contains(words)), "\(captured.error)")
        #expect(captured.output.hasPrefix("$argon2id$") == (code == .ok))
        #expect(!terminal.shown().contains("hunt"))
        var now = termios()
        tcgetattr(terminal.slave, &now)
        #expect(now.c_lflag & tcflag_t(ECHO) != 0 && now.c_lflag & tcflag_t(ISIG) != 0)
    }
}
