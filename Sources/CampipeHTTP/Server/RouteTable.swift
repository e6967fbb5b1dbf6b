import CampipeKit

/// Which handler takes which path.
struct RouteTable: Sendable {
    struct Route: Sendable {
        var methods: [String]
        var coversBelow: Bool
        var access: RouteAccess
        var handler: HTTPHandler
    }
    private var routes: [String: Route] = [:]

    /// - Throws: `.configuration` when the path is malformed or taken.
    mutating func add(_ path: String, _ route: Route) throws(CampipeError) {
        guard path.hasPrefix("/"), path == "/" || !path.hasSuffix("/") else {
            throw CampipeError(
                .configuration, "cannot serve \(path)", fix: "a path begins with a slash and does not end with one")
        }
        guard routes[path] == nil else {
            throw CampipeError(.configuration, "cannot serve \(path): the path is taken", fix: "choose another path")
        }
        routes[path] = route
    }

    mutating func remove(_ path: String) { routes[path] = nil }

    /// The route of a path: itself, else the nearest one above it that covers what is below.
    ///
    /// - Returns: The route, and the part of the path behind it without the slash.
    func find(_ path: String) -> (route: Route, subpath: String)? {
        if let exact = routes[path] { return (exact, "") }
        var above = path[...]
        while let slash = above.lastIndex(of: "/") {
            above = above[..<slash]
            let name = above.isEmpty ? "/" : String(above)
            if let route = routes[name], route.coversBelow {
                return (route, String(path[path.index(after: slash)...]))
            }
        }
        return nil
    }
}
