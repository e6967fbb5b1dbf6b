internal import CampipeKit

/// Reads the `server` map and checks what its keys mean together.
enum ServerReading {
    /// Beyond the loopback interface there are users and TLS, or `auth: none` was written.
    static func read(
        _ entries: [LocatedValue.Entry], at path: FaultPath, into findings: inout Findings
    ) -> ServerSettings {
        let map = Value.ValueMap(entries.map { Value.ValueMap.Entry($0.key, $0.value.value) })
        if let keys = ServerKeys.read(.map(map), at: path, into: &findings.faults) {
            return checked(keys, without: [], at: path, &findings)
        }
        var faulty: Set<String> = []
        var whole = Value.ValueMap()
        // What is wrong with one key hides nothing that is wrong with another.
        for entry in map.entries {
            var faults: [Fault] = []
            if ServerKeys.read(.map(Value.ValueMap([entry])), at: path, into: &faults) != nil {
                whole.entries.append(entry)
            } else {
                faulty.insert(
                    ServerKeys.keys.contains(entry.key)
                        ? entry.key : Nearest.match(entry.key, in: ServerKeys.keys) ?? entry.key)
            }
        }
        var faults: [Fault] = []
        guard let keys = ServerKeys.read(.map(whole), at: path, into: &faults) else { return ServerSettings() }
        return checked(keys, without: faulty, at: path, &findings)
    }

    /// - Parameter faulty: The keys that something else is wrong with: of them nothing is known but that they are there.
    private static func checked(
        _ keys: ServerKeys, without faulty: Set<String>, at path: FaultPath, _ findings: inout Findings
    ) -> ServerSettings {
        var settings = ServerSettings()
        settings.allowsAnyone = keys.auth != nil
        settings.tls = keys.tls.map { ServerSettings.TLS(certificate: $0.certificate, key: $0.key) }
        settings.users = (keys.users?.users ?? []).map { name, keys in
            ServerSettings.User(
                name: name, passwordHash: keys.passwordHash, isAdmin: keys.role == .admin, paths: keys.paths)
        }
        settings.cors = keys.cors
        settings.frameAncestors = keys.frameAncestors
        settings.hosts = keys.hosts
        settings.limits = ClientLimits(
            clients: keys.limits.clients, clientsPerAddress: keys.limits.clientsPerAddress,
            request: keys.limits.request, idle: keys.limits.idle, stall: keys.limits.stall)
        checkOrigins(keys.cors, at: path.key("cors"), takesAny: true, &findings)
        checkOrigins(keys.frameAncestors, at: path.key("frame_ancestors"), takesAny: false, &findings)
        checkHosts(keys.hosts, at: path.key("hosts"), &findings)
        guard !faulty.contains("listen") else { return settings }
        guard let address = ListenAddress(keys.listen) else {
            findings.report(
                .invalidValue, at: path.key("listen"), "\"\(keys.listen.prefix(80))\" is no address to listen on",
                fix: ListenAddress.fix(keys.listen))
            return settings
        }
        settings.host = address.host
        settings.port = address.port
        settings.isLoopback = address.isLoopback
        checkSafety(settings, address, without: faulty, at: path, &findings)
        return settings
    }

    private static func checkSafety(
        _ settings: ServerSettings, _ address: ListenAddress, without faulty: Set<String>, at path: FaultPath,
        _ findings: inout Findings
    ) {
        let hasUsers = !settings.users.isEmpty || faulty.contains("users")
        if settings.allowsAnyone, hasUsers {
            findings.report(
                .invalidValue, at: path.key("auth"), "auth: none lets anyone look, and there are users who sign in",
                fix: "delete one of them", related: path.key("users"))
        }
        guard !address.isLoopback, !settings.allowsAnyone, !faulty.contains("auth") else { return }
        if !hasUsers {
            findings.report(
                .unsafeListen, at: path.key("listen"),
                address.isNumeric
                    ? "\(address.host) can be reached by others, and nobody has to sign in"
                    : "others may reach \(address.host), wherever that name leads, and nobody has to sign in",
                fix: "add users and tls under server, start with run --lan, which makes them, or listen on 127.0.0.1; "
                    + "auth: none under server (--set server.auth=none) lets anyone look")
        } else if settings.tls == nil, !faulty.contains("tls") {
            findings.report(
                .unsafeListen, at: path.key("listen"),
                "\(address.host) can be reached by others, and passwords would cross the network for all to read",
                fix: "add tls: {certificate: FILE, key: FILE} under server, or listen on 127.0.0.1 behind a proxy "
                    + "that speaks https")
        }
    }

    /// `https://home.example:8123`: a scheme, a host, maybe a port, nothing behind.
    private static func checkOrigins(
        _ origins: [String], at path: FaultPath, takesAny: Bool, _ findings: inout Findings
    ) {
        for (index, origin) in origins.enumerated() where !(takesAny && origin == "*") {
            let scheme = origin.hasPrefix("https://") ? "https://" : "http://"
            let rest = origin.hasPrefix(scheme) ? origin.dropFirst(scheme.count) : origin[...]
            let host = rest.prefix { $0 != "/" }
            if origin.hasPrefix(scheme), rest == host, isHost(host) { continue }
            findings.report(
                .invalidValue, at: path.index(index), "\"\(origin.prefix(80))\" is no origin",
                fix: isHost(host) && !rest.contains("//")
                    ? "write \(origin.hasPrefix(scheme) ? scheme : "https://")\(host)"
                    : "write one like https://home.example")
        }
    }

    private static func checkHosts(_ hosts: [String], at path: FaultPath, _ findings: inout Findings) {
        for (index, host) in hosts.enumerated() where !isHost(host[...]) || host.contains(":") {
            findings.report(
                .invalidValue, at: path.index(index), "\"\(host.prefix(80))\" is no name of a host",
                fix: "write the name alone, such as cam.home.example")
        }
    }

    private static func isHost(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0 | 32) || [45, 46, 58, 91, 93, 95].contains($0)
            }
    }
}
