import CProcess
import CampipeKit
import Foundation
import Glibc

/// The program as its own child, which loads one plugin, does one thing with it and ends: what the plugin does meanwhile
/// ends nobody else.
package enum PluginChild {
    /// The first word of its command line.
    package static let word = "__plugin"

    package enum Task: String {
        /// Says what the plugin brings, as JSON.
        case describe
        /// Runs the conformance suite, and says what it found, as JSON.
        case check
        /// Runs the tests that it was built with.
        case test
    }

    /// What `describe` says.
    enum Answer: Codable {
        case types([NodeDescriptor])
        case refused(PluginRefusal)
    }

    /// Why a plugin was refused by a child that did not get to its task: what the line that it wrote says.
    package static func refusal(in line: some Collection<UInt8>) -> PluginRefusal? {
        guard case .refused(let refusal)? = try? JSONDecoder().decode(Answer.self, from: Data(line)) else { return nil }
        return refusal
    }

    /// This program's file.
    package static var program: String { FilePlace.target(ofLink: "/proc/self/exe") ?? "/proc/self/exe" }

    /// The environment of such a child: none, but for what the loader needs; no backtrace of a crash, which takes time.
    package static var environment: [String: String] {
        var environment = ["SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C.UTF-8"]
        if let path = unsafe getenv("LD_LIBRARY_PATH") { environment["LD_LIBRARY_PATH"] = unsafe String(cString: path) }
        return environment
    }

    /// Does what its command line says.
    ///
    /// - Parameters:
    ///   - words: What stands behind `word`.
    ///   - program: Where this program lies.
    /// - Returns: The exit code.
    package static func run(_ words: [String], program: String) -> Int32 {
        guard words.count >= 2, let task = Task(rawValue: words[0]) else { return 2 }
        // What the plugin prints is no answer.
        let answers = dup(STDOUT_FILENO)
        if task != .test { dup2(STDERR_FILENO, STDOUT_FILENO) }
        cprocess_end_with_parent()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        let path = words[1]
        do throws(PluginRefusal) {
            let host = try host(of: program, for: path)
            switch task {
            case .describe:
                let library = try PluginLibrary(try CheckedObject.checking(path, host: host))
                write(Answer.types(library.registrations.map(\.descriptor)), to: answers)
            case .check:
                let library = try PluginLibrary(try CheckedObject.checking(path, host: host))
                for registration in library.registrations {
                    write(CheckedType(registration), to: answers)
                }
            case .test:
                try PluginLibrary.runTests(
                    of: try CheckedObject.checking(path, host: host, entry: PluginHandshake.testEntry))
            }
            return 0
        } catch {
            write(Answer.refused(error), to: answers)
            return 1
        }
    }

    private static func host(of program: String, for path: String) throws(PluginRefusal) -> HostIdentity {
        do throws(CampipeError) { return try HostIdentity(program: program) } catch {
            throw .unknownHost(path, error.message)
        }
    }

    /// A line of JSON.
    private static func write(_ answer: some Encodable, to descriptor: Int32) {
        guard let data = try? JSONEncoder().encode(answer) else { return }
        var bytes = Array(data)[...]
        bytes.append(UInt8(ascii: "\n"))
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
