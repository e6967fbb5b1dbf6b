struct SimulateCommand {
    init(_ invocation: Invocation, _ console: Console) {}
    func perform() -> ExitCode { .failed }
}
enum MediaVersions { static let all: [(String, String)] = [] }
