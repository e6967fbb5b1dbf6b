package import CampipeKit

/// The `proxy` of a camera. It may hold a password, and is shown nowhere.
package enum CameraProxy {
    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// As libcurl takes it: nil leaves it to the environment, empty is none.
    package static func text(_ proxy: Secret?) -> String? {
        proxy.map { $0.revealed == "none" ? "" : $0.revealed }
    }

    /// Why it names no proxy; nil when it does.
    static func fault(_ proxy: Secret?, at path: FaultPath) -> Fault? {
        guard let text = proxy?.revealed, text != "none" else { return nil }
        let scheme = text.contains("://") ? CameraScheme.scheme(of: text) : "http"
        guard schemes.contains(scheme) else {
            return Fault(
                .invalidValue, at: path, "there is no proxy of the kind \"\(scheme.prefix(40))\"",
                fix: Nearest.fix(scheme, in: schemes))
        }
        let host = text.split(separator: "/", omittingEmptySubsequences: true).dropFirst(text.contains("://") ? 1 : 0)
        guard let first = host.first, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), first.last != "@" else {
            return Fault(
                .invalidValue, at: path, "the proxy has no host", fix: "write http://192.168.1.1:3128, or none")
        }
        return nil
    }
}
