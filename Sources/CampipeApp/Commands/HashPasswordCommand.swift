import CampipeHTTP
import CampipeKit

/// `campipe hash-password`: a password from standard input, its hash on standard output, and nothing else.
struct HashPasswordCommand {
    private let console: Console
    private let input: PasswordInput

    init(_ console: Console, input: PasswordInput = .standardInput) {
        self.console = console
        self.input = input
    }

    func perform() -> ExitCode {
        do throws(CampipeError) {
            let password = try input.read(console)
            console.print(try PasswordHash.make(password) + "\n")
            return .ok
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
    }
}
