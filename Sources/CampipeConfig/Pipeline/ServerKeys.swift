internal import CampipeKit

/// Who may use the server.
enum Authentication: String, OptionChoice {
    case none
}

/// The keys of `server`.
struct ServerKeys: OptionGroup {
    @Option("Where the HTTP server listens, host:port.") var listen = "127.0.0.1:8080"
    @Option("Who may use it without signing in; none lets anyone who reaches it.") var auth: Authentication? = nil
    @Option("Certificate and key for https; left out, plain http is spoken.") var tls: TLSKeys? = nil
    @Option("Who may sign in, by name; left out, nobody has to.") var users: UserMap? = nil
    @Option("Origins whose pages may read the answers, such as https://home.example; \"*\" for any.")
    var cors: [String] = []
    @Option("Origins whose pages may show the server's pages in a frame.") var frameAncestors: [String] = []
    @Option("Names by which browsers may reach a server without users, beside this machine's own.")
    var hosts: [String] = []
    @Option("What one client may take.") var limits = ClientLimitKeys()
}

/// The keys of `server.limits`.
struct ClientLimitKeys: OptionGroup {
    @Option(16...100_000, "Connections at once; the next is told to come back.") var clients = 2048
    @Option(
        1...100_000,
        "Of them from one address, but this machine's own; left out, half. Of IPv6 the first 64 bits count.")
    var clientsPerAddress: Int? = nil
    @Option(.milliseconds(100)...(.seconds(600)), "How long a request may take to come, from its first byte.")
    var request = Duration.seconds(10)
    @Option(.milliseconds(100)...(.seconds(3600)), "How long a connection may stay open between two requests.")
    var idle = Duration.seconds(30)
    @Option(.milliseconds(100)...(.seconds(3600)), "How long a client may take nothing of what waits for it.")
    var stall = Duration.seconds(30)
}

/// The keys of `server.tls`.
struct TLSKeys: OptionGroup {
    @Option("PEM file of the server's certificate, then those up to its root.")
    var certificate: String
    @Option("PEM file of its private key, without a passphrase.") var key: String

    func check(at path: FaultPath, into faults: inout [Fault]) {
        for (name, file) in [("certificate", certificate), ("key", key)] {
            if let fault = HomePath.fault(file, at: path.key(name)) { faults.append(fault) }
        }
    }
}

/// What a user may see.
enum UserRole: String, OptionChoice {
    case viewer, admin
}

/// The keys of each user.
struct UserKeys: OptionGroup {
    @Option("What campipe hash-password prints, in quotes.") var passwordHash: Secret
    @Option("What the user may see: streams, or everything.") var role = UserRole.viewer
    @Option("The paths of the streams that a viewer may see; left out, all that viewers may see.")
    var paths: [String]? = nil

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let problem = HashText.problem(passwordHash.revealed) {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("password_hash"), problem,
                    fix: "write what campipe hash-password prints, in quotes"))
        }
        if paths != nil, role == .admin {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("paths"), "an admin sees everything, so paths limits nothing",
                    fix: "delete it, or write role: viewer"))
        }
        if let paths, paths.isEmpty {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("paths"), "the list is empty, so the user would see nothing",
                    fix: "name paths, such as [/front], or delete the user or \"paths\""))
        }
        for (index, shown) in (paths ?? []).enumerated()
        where !shown.hasPrefix("/") || shown.count > 1 && shown.hasSuffix("/") {
            let inner = shown.split(separator: "/").joined(separator: "/")
            faults.append(
                Fault(
                    .invalidValue, at: path.key("paths").index(index), "\"\(shown.prefix(80))\" is no path of a stream",
                    fix: "write /\(inner)"))
        }
    }
}

/// `server.users`: names to what they may see, in the file's order.
struct UserMap: OptionValue {
    var users: [(name: String, keys: UserKeys)] = []

    static var optionType: OptionType { .map(UserKeys.optionType) }
    static var optionPlaceholder: UserMap { UserMap() }
    var optionText: String? { nil }

    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> UserMap? {
        guard case .map(let map) = value, !map.entries.isEmpty else {
            faults.append(
                Fault(
                    .wrongKind, at: path,
                    "found \(value.isEmptyMap ? "no user" : value.kindText), expected a map of users",
                    fix: "write each as name: {password_hash: \"...\"}, the hash by campipe hash-password"))
            return nil
        }
        let before = faults.count
        var result = UserMap()
        for entry in map.entries {
            let place = path.key(entry.key)
            if !NameCheck.isName(entry.key) {
                faults.append(
                    Fault(
                        .invalidName, at: place,
                        "\"\(entry.key.prefix(80))\" is no name for a user: letters, digits, _ and -, at most 64",
                        fix: "write \(NameCheck.suggestion(entry.key))", part: .key))
                continue
            }
            if case .scalar(let scalar) = entry.value, !scalar.isNull {
                faults.append(
                    Fault(
                        .wrongKind, at: place,
                        "found a word, expected a map of \(UserKeys.keys.joined(separator: ", "))",
                        fix: "write \(entry.key): {password_hash: \"...\"}, the hash by campipe hash-password"))
                continue
            }
            if let keys = UserKeys.read(whole(entry.value, at: place, into: &faults), at: place, into: &faults) {
                result.users.append((entry.key, keys))
            }
        }
        return faults.count == before ? result : nil
    }

    /// In braces YAML cuts a hash without quotes at its commas, and takes the pieces for keys; they are said once.
    private static func whole(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Value {
        guard case .map(var map) = value, map.entries.contains(where: { HashText.isPiece($0.key) }) else {
            return value
        }
        faults.append(
            Fault(
                .quoteIt, at: path.key("password_hash"), "YAML cuts the hash at its commas",
                fix: "put quotes around it"))
        map.entries.removeAll { HashText.isPiece($0.key) }
        if let hash = map["password_hash"], case .scalar(let scalar) = hash, scalar.text.hasPrefix("$argon2id$") {
            map["password_hash"] = .text(HashText.example)
        }
        return .map(map)
    }
}

/// The shape of a password's hash; whether it is anybody's is not known here.
enum HashText {
    /// One of no password that anybody has.
    static let example = "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$" + String(repeating: "A", count: 43)

    /// What is wrong with a hash; nil when nothing is. A cost that no login should have is refused: a check would
    /// take that memory.
    static func problem(_ text: String) -> String? {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19",
            text.utf8.count < 128, isBase64(parts[4]), isBase64(parts[5])
        else { return "this is no hash of a password" }
        let costs = parts[3].split(separator: ",").map { $0.split(separator: "=", omittingEmptySubsequences: false) }
        guard costs.count == 3, zip(costs, ["m", "t", "p"]).allSatisfy({ $0.count == 2 && $0[0] == $1 }),
            let memory = Int(costs[0][1]), let passes = Int(costs[1][1]), let lanes = Int(costs[2][1])
        else { return "this is no hash of a password" }
        guard (8...1_048_576).contains(memory), (1...16).contains(passes), lanes == 1 else {
            return "this hash costs more than a login should: at most 1 GiB and 16 passes on one lane"
        }
        return nil
    }

    /// Whether a key is what follows a comma of a hash.
    static func isPiece(_ key: String) -> Bool { key.hasPrefix("t=") || key.hasPrefix("p=") }

    private static func isBase64(_ text: Substring) -> Bool {
        text.utf8.count >= 11
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0 | 32) || $0 == UInt8(ascii: "+")
                    || $0 == UInt8(ascii: "/")
            }
    }
}

extension Value {
    fileprivate var isEmptyMap: Bool { if case .map(let map) = self { map.entries.isEmpty } else { isNull } }
}
