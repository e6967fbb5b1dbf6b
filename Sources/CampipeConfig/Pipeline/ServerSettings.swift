package import CampipeKit

/// What the `server` map says.
package struct ServerSettings: Hashable, Sendable {
    /// Where a certificate and its key lie.
    package struct TLS: Hashable, Sendable {
        package var certificate: String
        package var key: String
    }

    /// Somebody who may sign in.
    package struct User: Hashable, Sendable {
        package var name: String
        /// argon2id, as `campipe hash-password` prints it.
        package var passwordHash: Secret
        package var isAdmin: Bool
        /// The paths that a viewer may see; nil for all that viewers may see.
        package var paths: [String]?
    }

    /// Where the HTTP server listens; an address that others reach has users and TLS beside it, or `auth: none`.
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 8080
    /// Whether only this machine reaches it.
    package var isLoopback = true
    /// Whether `auth: none` was written: anyone may look.
    package var allowsAnyone = false
    /// Nil speaks plain HTTP.
    package var tls: TLS?
    /// In the file's order; without any nobody has to sign in.
    package var users: [User] = []
    /// The origins whose pages may read the answers; `*` for any.
    package var cors: [String] = []
    /// The origins whose pages may show this server's pages in a frame.
    package var frameAncestors: [String] = []
    /// Names by which the server may be reached, beside this machine's own.
    package var hosts: [String] = []
    /// What one client may take.
    package var limits = ClientLimits()
}

/// What `limits` of `server` says: what one client may take.
package struct ClientLimits: Hashable, Sendable {
    /// Connections at once.
    package var clients = 2048
    /// Of them from one address that is not this machine's; nil is half.
    package var clientsPerAddress: Int?
    /// From a request's first byte to its last.
    package var request = Duration.seconds(10)
    /// Between two requests.
    package var idle = Duration.seconds(30)
    /// Without taking anything of what waits for it.
    package var stall = Duration.seconds(30)
}
