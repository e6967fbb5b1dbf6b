import CampipeHTTP
import CampipeMedia

/// `campipe version`.
struct VersionCommand {
    /// What this is; CHANGELOG.md says what each version brought.
    static let version = "0.1.0"

    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        let parts = [
            ("campipe", Self.version), ("swift", Self.swiftVersion), ("ffmpeg", MediaVersions.ffmpeg),
            ("curl", HTTPVersions.curl),
        ]
        if invocation[Flags.json] {
            console.print(JSONString.object(parts.map { (key: $0.0, value: $0.1) }) + "\n")
        } else {
            console.print("campipe \(Self.version)\n")
            for (name, version) in parts.dropFirst() { console.print("  \(name) \(version)\n") }
        }
        return .ok
    }

    private static var swiftVersion: String {
        #if swift(>=6.4)
            "6.4 or later"
        #elseif swift(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
