/// Who may use a route. Each route states it.
package indirect enum RouteAccess: Sendable {
    /// Anyone at all.
    case open
    /// Anyone, and what somebody is shown depends on who it is: whoever gives a password is asked for the right one.
    case personal
    /// Whoever has signed in; what he is shown is up to the handler (`HTTPRequest.visitor`).
    case signedIn
    /// Admins, and viewers who may see the stream at this path.
    case viewer(of: String)
    case admin
    /// Another for each request; must not block.
    case each(@Sendable (HTTPRequest) -> RouteAccess)

    /// What it comes to for a request.
    func resolved(_ request: HTTPRequest) -> RouteAccess {
        if case .each(let decide) = self { decide(request).resolved(request) } else { self }
    }
}
