import CampipeConfig
import CampipeHTTP

extension HTTPServer.Options {
    /// The server's options as a file sets them.
    init(_ settings: ServerSettings) {
        self.init()
        maxConnections = settings.limits.clients
        connectionsPerAddress = settings.limits.clientsPerAddress
        headerTimeout = settings.limits.request
        idleTimeout = settings.limits.idle
        writeTimeout = settings.limits.stall
        accounts = settings.users.map { user in
            Account(
                name: user.name, passwordHash: user.passwordHash, role: user.isAdmin ? .admin : .viewer,
                paths: user.paths)
        }
        cors = CORS(origins: settings.cors)
        frameAncestors = settings.frameAncestors
        // Whoever may look is told by being on this machine, so what a browser on it is led to must not pass for that.
        if settings.isLoopback, settings.users.isEmpty, !settings.allowsAnyone {
            hosts = .thisMachine(and: settings.hosts + [settings.host])
        }
    }
}

extension TLSFiles {
    /// Nil without TLS.
    init?(_ settings: ServerSettings.TLS?) {
        guard let settings else { return nil }
        self.init(certificate: settings.certificate, key: settings.key)
    }
}
