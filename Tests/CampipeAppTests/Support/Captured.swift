import CampipeKit
import Foundation

@testable import CampipeApp

/// A console that keeps what is written, and a command run on it.
final class Captured: Sendable {
    private let texts = Lock((output: "", error: ""))
    private let failure: Int32

    /// - Parameter failure: The error number that writing to standard output ends with.
    init(failure: Int32 = 0) { self.failure = failure }

    var output: String { texts.withLock { $0.output } }
    var error: String { texts.withLock { $0.error } }

    func console(_ environment: [String: String] = [:], isTerminal: Bool = false) -> Console {
        Console(
            environment: environment, isOutputTerminal: isTerminal, isErrorTerminal: isTerminal,
            output: { [texts, failure] text in
                texts.withLock { $0.output += text }
                return failure
            },
            error: { [texts] text in texts.withLock { $0.error += text } })
    }

    /// Runs a command line.
    static func run(
        _ words: [String], _ environment: [String: String] = [:], isTerminal: Bool = false
    ) -> (code: Int32, output: String, error: String) {
        let captured = Captured()
        let code = Program.run(words, captured.console(environment, isTerminal: isTerminal))
        return (code, captured.output, captured.error)
    }
}

/// A folder that goes with its owner.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "campipe-app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file in it.
    ///
    /// - Returns: Its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path(percentEncoded: false)
    }
}
