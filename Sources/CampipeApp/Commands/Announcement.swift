import CampipeConfig
import CampipeHTTP
import CampipeKit

/// What `run` says once it serves: where, and the line that opens it to the house. A value.
struct Announcement: Equatable {
    private let name: String
    /// The addresses to open in a browser.
    let pages: [String]
    /// The command line that shows it to everyone in the network; nil when it does so already.
    let opening: String?

    /// - Parameters:
    ///   - name: The pipeline's.
    ///   - paths: What is served.
    ///   - address: Where the server listens.
    ///   - isSecure: Whether it speaks https.
    ///   - machine: This machine's addresses as others see them.
    ///   - variables: What the file took from the environment.
    ///   - command: The program as it was called.
    ///   - words: The command line behind it.
    init(
        name: String, paths: [String], address: ListenAddress, isSecure: Bool = false, machine: [String],
        variables: [UsedVariable] = [], command: String, words: [String]
    ) {
        self.name = name
        let hosts = address.isForAll ? ["127.0.0.1"] + machine : [address.host]
        pages = hosts.flatMap { host in
            paths.map { ListenAddress(host: host, port: address.port).url(isSecure: isSecure) + $0 }
        }
        opening =
            address.isLoopback
            ? (variables.compactMap(Self.assignment) + [
                Self.opening(port: address.port, command: command, words: words)
            ]).joined(separator: " ") : nil
    }

    /// The lines for a person.
    var text: String {
        var text = "campipe serves \(name):\n" + pages.map { "  \($0)\n" }.joined()
        if let opening {
            text += "Only this machine sees it. For everyone in your network, stop it and write:\n  \(opening)\n"
        }
        return text
    }

    /// The same command line, for all addresses and who has the password; what looks like a password in it is left out.
    private static func opening(port: UInt16, command: String, words: [String]) -> String {
        var words = words[...]
        var kept: [String] = []
        var rest: [String] = []
        while let word = words.popFirst() {
            switch word {
            case "--":
                rest = [word] + words
                words = []
            case "--listen": _ = words.popFirst()
            case "--lan": continue
            case "--set": if let assignment = words.popFirst() { kept += [word, shown(assignment)] }
            case _ where word.hasPrefix("--set="): kept += ["--set", shown(String(word.dropFirst("--set=".count)))]
            case _ where word.hasPrefix("--listen="): continue
            default: kept.append(word)
            }
        }
        kept += ["--listen", "0.0.0.0:\(port)", "--lan"] + rest
        return ([command] + kept).map(quoted).joined(separator: " ")
    }

    /// Variables that every shell has by itself.
    private static let common: Set<String> = ["HOME", "USER", "LOGNAME", "PATH", "PWD", "SHELL"]

    /// A variable as it stands before a command; what may not be shown is the shell's own value, and where it has none
    /// the shell says so instead of starting with another camera.
    private static func assignment(_ variable: UsedVariable) -> String? {
        let name = variable.name
        if common.contains(name) { return nil }
        return variable.value.map { "\(name)=\(quoted($0))" }
            ?? "\(name)=\"${\(name):?may be secret, so fill it in here}\""
    }

    private static func shown(_ assignment: String) -> String {
        guard let equals = assignment.firstIndex(of: "=") else { return assignment }
        let value = assignment[assignment.index(after: equals)...]
        let path = assignment[..<equals].lowercased()
        let isSecret = SecretText.isSecretName(path) || ["username", "key"].contains { path.contains($0) }
        return isSecret || value.contains("@") || value.contains("?") || SecretText.hidden(assignment) != assignment
            ? assignment[..<equals] + "=..." : assignment
    }

    /// A word as a shell takes it for one.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (97...122).contains(byte | 32) || "_./:=@%+,-".utf8.contains(byte)
        }
        if isPlain, !word.isEmpty { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
