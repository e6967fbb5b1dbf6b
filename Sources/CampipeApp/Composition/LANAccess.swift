import CampipeConfig
import CampipeHTTP
import CampipeKit

/// What `run --lan` adds to a pipeline: all addresses, and a user and a certificate where the file has none.
///
/// The user's password is made at the first start and told once; what is kept is its hash. The certificate signs itself;
/// it is kept while it names all of this machine's addresses, so that browsers ask once.
struct LANAccess: Sendable {
    static let user = "campipe"

    /// The password, when it was made just now.
    private(set) var password: String?
    /// Whether one signs in as `user`.
    private(set) var hasOwnUser = false
    /// Whether browsers will ask about the certificate.
    private(set) var hasOwnCertificate = false
    private(set) var overrides: [Override] = []
    let folder: StateFolder

    /// - Parameters:
    ///   - server: What the file says.
    ///   - mayTell: Whether a password that is made now will be seen by a person.
    /// - Throws: `.failed` when nothing can be kept; `.configuration` when a password would have to be made and told.
    init(
        _ server: ServerSettings, addresses: [String], hostName: String, time: WallTime, mayTell: Bool,
        folder: StateFolder
    ) throws(CampipeError) {
        self.folder = folder
        let host = server.isLoopback ? "0.0.0.0" : server.host
        add("server.listen", ListenAddress(host: host, port: UInt16(clamping: server.port)).description)
        if server.allowsAnyone { return }
        if server.users.isEmpty {
            hasOwnUser = true
            let hash = try hash(mayTell: mayTell)
            add("server.users.\(Self.user).password_hash", hash)
            add("server.users.\(Self.user).role", "admin")
        }
        if server.tls == nil {
            hasOwnCertificate = true
            try renewCertificate(names: Self.names(addresses, hostName), time: time)
            add("server.tls.certificate", folder.file("certificate.pem"))
            add("server.tls.key", folder.file("key.pem"))
        }
    }

    private mutating func add(_ path: String, _ text: String) {
        overrides.append(Override(path: path, text: JSONString.quoted(text), name: "--lan"))
    }

    private mutating func hash(mayTell: Bool) throws(CampipeError) -> String {
        if let kept = folder.read("password-hash")?.split(separator: "\n").first { return String(kept) }
        guard mayTell else {
            throw CampipeError(
                .configuration, "--lan would make a password, and nobody would read it in a log of JSON",
                fix: "start it once without --log-format json, or write users into the file")
        }
        let made = try Self.makePassword()
        let hash = try PasswordHash.make(made)
        try folder.write(Array((hash + "\n").utf8), to: "password-hash")
        password = made
        return hash
    }

    /// Sixteen letters that nobody takes for one another, 80 bits.
    static func makePassword() throws(CampipeError) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")  // 32 of them
        let drawn = try RandomSecret.bytes(16).map { letters[Int($0) % letters.count] }
        return stride(from: 0, to: 16, by: 4).map { String(drawn[$0..<($0 + 4)]) }.joined(separator: "-")
    }

    private static func names(_ addresses: [String], _ hostName: String) -> [String] {
        let isName =
            !hostName.isEmpty
            && hostName.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...122).contains(byte | 32) || byte == 45 || byte == 46
            }
        let short = String(hostName.prefix { $0 != "." })
        return ["localhost", "127.0.0.1"] + (isName ? Set([hostName, short, short + ".local"]).sorted() : [])
            + addresses
    }

    private func renewCertificate(names: [String], time: WallTime) throws(CampipeError) {
        let files = TLSFiles(certificate: folder.file("certificate.pem"), key: folder.file("key.pem"))
        let kept = Set(folder.read("names")?.split(separator: "\n").map(String.init) ?? [])
        let isFresh: Bool
        do throws(CampipeError) {
            let expiry = try TLSContext(files).expiry
            isFresh = expiry.map { $0 - time > .seconds(30 * 86_400) } ?? true
        } catch {
            isFresh = false
        }
        if isFresh, kept.isSuperset(of: names), folder.read("key.pem") != nil { return }
        let made = try SelfSignedCertificate.make(names: names, time: time)
        try folder.write(made.key, to: "key.pem")
        try folder.write(made.certificate, to: "certificate.pem")
        try folder.write(Array((names.joined(separator: "\n") + "\n").utf8), to: "names")
    }
}
