internal import CampipeKit

/// What users and sinks say of one another: paths that nobody serves, limits that limit nobody.
enum AccessCheck {
    static func check(_ drafts: [NodeDraft], _ server: ServerSettings, findings: inout Findings) {
        let sinks = drafts.filter { $0.keys.enabled && $0.inspection?.httpPaths.isEmpty == false }
        let served = sinks.flatMap { $0.inspection?.httpPaths ?? [] }
        // Where something could not be read, it may be what serves the path.
        if !findings.hasErrors {
            for user in server.users {
                for (index, path) in (user.paths ?? []).enumerated()
                where !served.contains(where: { $0 == path || path == "/" || $0.hasPrefix(path + "/") }) {
                    findings.report(
                        .unknownPath,
                        at: FaultPath([.key("server"), .key("users"), .key(user.name), .key("paths")])
                            .index(index), "no sink serves \(path), so \(user.name) sees nothing there",
                        fix: Nearest.fix(path, in: served), severity: .warning)
                }
            }
        }
        guard server.allowsAnyone else { return }
        for sink in sinks {
            guard case .scalar(let scalar) = sink.options["access"], scalar.text != "public" else { continue }
            findings.report(
                .unsafeListen, at: sink.path.key("access"),
                "auth: none lets anyone see it, so access: \(scalar.text) keeps nobody out",
                fix: "add users under server, or delete it", severity: .warning)
        }
    }
}
