/// Who asks, as far as that is known. A value.
package enum Visitor: Sendable, Hashable {
    /// The server has no accounts: everybody is everything.
    case anyone
    /// Somebody who has not signed in.
    case nobody
    case user(Account)

    /// Whether it is allowed to use a route.
    package func may(_ access: RouteAccess, _ request: HTTPRequest) -> Bool {
        switch (access.resolved(request), self) {
        case (_, .anyone), (.open, _), (.personal, _): true
        case (_, .nobody): false
        case (.signedIn, .user): true
        // `resolved` leaves none.
        case (.each, .user): false
        case (.admin, .user(let account)): account.role == .admin
        case (.viewer(let path), .user(let account)): account.role == .admin || Self.covers(account.paths, path)
        }
    }

    private static func covers(_ paths: [String]?, _ path: String) -> Bool {
        guard let paths else { return true }
        return paths.contains { path == $0 || path.hasPrefix($0 == "/" ? $0 : $0 + "/") }
    }
}
