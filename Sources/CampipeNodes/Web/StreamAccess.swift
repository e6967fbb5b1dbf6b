import CampipeHTTP
import CampipeKit

/// Who may see an `http` sink's stream, where the server has users.
enum StreamAccess: String, OptionChoice { case `public`, viewer, admin }

extension WebStream {
    /// Who may have what a request below the path, or one of its aliases, asks for. The state names viewers.
    func access(_ request: HTTPRequest) -> RouteAccess {
        if StreamCall(request)?.kind == .state { return .admin }
        switch access {
        case .public: return .open
        case .viewer: return .viewer(of: path)
        case .admin: return .admin
        }
    }

    /// Whether somebody may see the pictures.
    func isVisible(to visitor: Visitor) -> Bool {
        let request = HTTPRequest(method: "GET", path: path)
        return visitor.may(access(request), request)
    }
}
