import CampipeKit
import Dispatch
import Foundation
import Glibc
import Testing

/// The built program as a process of its own. Whatever happens, it is gone when its owner is.
final class Child: Sendable {
    private let process: Process
    private let folder: TemporaryFolder
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - words: The command line behind the program's name.
    ///   - environment: Added to this process's own.
    ///   - input: Its standard input; nil is empty.
    ///   - output: Where its standard output goes; nil is a file.
    ///   - error: Where its standard error goes; nil is a file.
    init(
        _ words: [String], environment: [String: String] = [:], input: FileHandle? = nil, output: FileHandle? = nil,
        error: FileHandle? = nil
    ) throws {
        folder = try TemporaryFolder()
        process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "campipe")
        process.arguments = words
        process.currentDirectoryURL = folder.url
        // What it keeps for itself goes with it.
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_STATE_HOME": folder.url.path]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = input ?? FileHandle.nullDevice
        for name in ["output", "error"] { _ = try folder.file(name, "") }
        process.standardOutput = try output ?? FileHandle(forWritingTo: folder.url.appending(path: "output"))
        process.standardError = try error ?? FileHandle(forWritingTo: folder.url.appending(path: "error"))
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var output: String { read("output") }
    var error: String { read("error") }
    /// Where it runs.
    var url: URL { folder.url }

    private func read(_ name: String) -> String {
        (try? String(contentsOf: folder.url.appending(path: name), encoding: .utf8)) ?? ""
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until it ends: the exit code; nil when a signal ended it, or it did not end in time.
    func wait(_ seconds: Int = 60) -> Int32? {
        guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// Waits until something is so.
    func wait(_ seconds: Int = 60, until condition: (Child) -> Bool) -> Bool {
        let clock = SystemClock()
        let deadline = clock.now + .seconds(seconds)
        while !condition(self) {
            guard clock.now < deadline, process.isRunning else { return condition(self) }
            usleep(20_000)
        }
        return true
    }

    /// The port that it says it serves on.
    func port() throws -> UInt16 {
        var found: UInt16?
        _ = wait { child in
            found = (child.error + child.output).matches(of: /https?:\/\/127\.0\.0\.1:(\d+)/).first.flatMap {
                UInt16($0.1)
            }
            return found != nil
        }
        return try #require(found, "no port in \(error)")
    }

    /// Runs a command line to its end.
    static func run(
        _ words: [String], environment: [String: String] = [:], _ seconds: Int = 60
    ) throws -> (code: Int32?, output: String, error: String) {
        let child = try Child(words, environment: environment)
        let code = child.wait(seconds)
        return (code, child.output, child.error)
    }
}
