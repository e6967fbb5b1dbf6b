import CampipeHTTP
import CampipeKit

/// Who may see an `http` sink's stream, where the server has users.
enum StreamAccess: String, OptionChoice {
    case `public`, viewer, admin

    /// Who may have what a request below a stream's path, or one of its aliases, asks for. The state names viewers.
    func route(_ request: HTTPRequest, of path: String) -> RouteAccess {
        if StreamCall(request)?.kind == .state { return .admin }
        switch self {
        case .public: return .open
        case .viewer: return .viewer(of: path)
        case .admin: return .admin
        }
    }

    /// Whether somebody may see a stream's pictures.
    func shows(_ path: String, to visitor: Visitor) -> Bool {
        let request = HTTPRequest(method: "GET", path: path)
        return visitor.may(route(request, of: path), request)
    }
}

extension WebStream {
    /// Who may have what a request asks for.
    func access(_ request: HTTPRequest) -> RouteAccess { access.route(request, of: path) }
}
