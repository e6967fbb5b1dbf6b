package import CampipeKit
import Glibc

/// The program of a child, and what it may use.
package struct ChildCommand: Sendable {
    /// The program's file.
    package let path: String
    /// What it is called with, its own name not among it.
    package var arguments: [String]
    /// Its whole environment.
    package var environment: [String: String]
    package var limits: Limits
    /// How long a child may take to say that it is ready.
    package var startLimit: Duration
    /// How long it may take to answer one message.
    package var answerLimit: Duration
    /// How long it may take to end once it was told.
    package var endLimit = Duration.seconds(2)

    /// What the system lets it use.
    package struct Limits: Sendable {
        package var memory: ByteCount?
        package var descriptors: Int
        package var processorTime: Duration?

        package init(memory: ByteCount? = nil, descriptors: Int = 256, processorTime: Duration? = nil) {
            self.memory = memory
            self.descriptors = descriptors
            self.processorTime = processorTime
        }
    }

    /// - Parameter program: A path, or a name that is looked for in `PATH`.
    /// - Throws: `.notFound` when there is no such program.
    package init(
        _ program: String, arguments: [String] = [], environment: [String: String] = [:], limits: Limits = Limits(),
        startLimit: Duration = .seconds(20), answerLimit: Duration = .seconds(10)
    ) throws(CampipeError) {
        guard let path = Self.find(program) else {
            throw CampipeError(
                .notFound, "there is no program \"\(program)\"",
                fix: program.contains("/")
                    ? "name a file that may be run; a relative path starts at the working directory"
                    : "install it, or write its whole path")
        }
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.limits = limits
        self.startLimit = startLimit
        self.answerLimit = answerLimit
    }

    private static func find(_ program: String) -> String? {
        func isProgram(_ path: String) -> Bool {
            var status = stat()
            return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
        }
        if program.contains("/") { return isProgram(program) ? program : nil }
        let folders = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        for folder in folders.split(separator: ":") where isProgram("\(folder)/\(program)") {
            return "\(folder)/\(program)"
        }
        return nil
    }
}
