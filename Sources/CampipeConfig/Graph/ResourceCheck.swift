internal import CampipeKit

/// What only one node can have: an HTTP path with everything below it, the files of a pattern.
struct ResourceCheck {
    /// The HTTP paths that the server keeps for itself, with everything below them.
    private static let reservedPaths = ["/api", "/metrics", "/healthz", "/readyz", "/stream", "/snapshot", "/state"]

    private var files: [String: NodeDraft] = [:]
    private var terminal: NodeDraft?
    /// The HTTP paths, as they were given.
    private var served: [String: (draft: NodeDraft, option: String)] = [:]
    /// For each path above a served one: the first that is served below it.
    private var below: [String: String] = [:]

    static func check(_ drafts: [NodeDraft], findings: inout Findings) {
        var check = ResourceCheck()
        for draft in drafts where draft.keys.enabled {
            for resource in draft.inspection?.resources ?? [] {
                switch resource.kind {
                case .httpPath: check.checkPath(resource, draft, &findings)
                case .filePattern: check.checkFiles(resource, draft, &findings)
                case .terminal: check.checkTerminal(resource, draft, &findings)
                }
            }
        }
    }

    private mutating func checkFiles(_ resource: NodeResource, _ draft: NodeDraft, _ findings: inout Findings) {
        let written = resource.name.replacing("{id}", with: draft.id)
        // Another field of the node's own may tell the files apart.
        if written.contains("{") { return }
        let name = Self.folded(written)
        guard let holder = files[name] else {
            files[name] = draft
            return
        }
        report(
            "\(resource.name) is written by \(holder.id) already", resource, draft,
            holder, related: holder.path.key(resource.option), &findings)
    }

    /// One node shows its pictures in it, the first to come; the pipeline runs all the same.
    private mutating func checkTerminal(_ resource: NodeResource, _ draft: NodeDraft, _ findings: inout Findings) {
        guard let holder = terminal else {
            terminal = draft
            return
        }
        findings.report(
            .pathInUse, at: draft.path.key(resource.option),
            "\(holder.id) shows its pictures in the terminal already, and one node can",
            fix: "write enabled: false on one of them", severity: .warning, related: holder.path.key(resource.option))
    }

    private mutating func checkPath(_ resource: NodeResource, _ draft: NodeDraft, _ findings: inout Findings) {
        let place = draft.path.key(resource.option)
        let name = Self.normalized(path: resource.name)
        let steps = name.split(separator: "/")
        if steps.contains(".") || steps.contains("..") {
            let folded = Self.folded(name)
            let isFree = !Self.isReserved(folded) && served[folded] == nil
            findings.report(
                .invalidValue, at: place, "\(resource.name) is no path that can be served: browsers resolve . and ..",
                fix: isFree ? "write \(folded)" : "write it without them")
            if isFree { served[folded] = (draft, resource.option) }
            return
        }
        if Self.isReserved(name) {
            findings.report(
                .reservedPath, at: place, "the path \(resource.name) belongs to the server itself",
                fix: draft.camera == nil
                    ? "take another, such as /\(Self.isReserved("/\(draft.id)") ? "camera" : draft.id)"
                    : "take another, such as \"/cam-{camera}\"")
            return
        }
        var above: [String] = []
        for step in steps.dropLast() { above.append((above.last ?? "") + "/" + step) }
        if let other = served[name] {
            report(
                "\(resource.name) is served by \(other.draft.id) already", resource, draft,
                other.draft, related: other.draft.path.key(other.option), &findings)
        } else if let owner = above.first(where: { served[$0] != nil }), let other = served[owner] {
            report(
                "\(resource.name) lies below \(owner), which \(other.draft.id) serves", resource, draft,
                other.draft, related: other.draft.path.key(other.option), &findings)
        } else if let inner = below[name], let other = served[inner] {
            report(
                "\(inner), which \(other.draft.id) serves, lies below \(resource.name)", resource, draft,
                other.draft, related: other.draft.path.key(other.option), &findings)
        } else {
            served[name] = (draft, resource.option)
            for path in above where below[path] == nil { below[path] = name }
        }
    }

    private func report(
        _ sentence: String, _ resource: NodeResource, _ draft: NodeDraft, _ other: NodeDraft, related: FaultPath,
        _ findings: inout Findings
    ) {
        // Where it stands in it already, another node than the template's own copy has the same.
        let lacksCamera = draft.camera.map { !resource.name.contains($0.name) && $0 != other.camera } ?? false
        findings.report(
            .pathInUse, at: draft.path.key(resource.option), sentence,
            fix: lacksCamera ? "put {camera} into it" : "give each its own", related: related)
    }

    private static func normalized(path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The same files have one spelling: without `.` and `..` steps and doubled slashes.
    private static func folded(_ path: String) -> String {
        var steps: [Substring] = []
        for step in path.split(separator: "/") where step != "." {
            if step == "..", let last = steps.last, last != ".." {
                steps.removeLast()
            } else if step != ".." || !path.hasPrefix("/") {
                steps.append(step)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + steps.joined(separator: "/")
    }

    private static func isReserved(_ path: String) -> Bool {
        path == "/" || reservedPaths.contains { path == $0 || path.hasPrefix($0 + "/") || isNumbered(path, $0) }
    }

    /// Whether it is the name of a stream by its number: `/stream_0`.
    private static func isNumbered(_ path: String, _ name: String) -> Bool {
        guard path.hasPrefix(name + "_") else { return false }
        let number = path.utf8.dropFirst(name.utf8.count + 1)
        return !number.isEmpty && number.allSatisfy { (48...57).contains($0) }
    }
}
