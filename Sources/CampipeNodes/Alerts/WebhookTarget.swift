import CampipeHTTP
import CampipeKit

/// Where a webhook sends to, and how the server is trusted. A value.
struct WebhookTarget: Sendable {
    let url: CameraURL
    /// As it may be shown: the rest of the URL is mostly a key.
    let shown: String
    /// The `Authorization` that the URL's user-info asks for.
    let authorization: String?

    /// - Throws: `.configuration` when it is no http or https URL; nothing of it is in the message.
    init(_ text: String) throws(CampipeError) {
        let url = try CameraURL(text)
        self.url = url
        let scheme = url.text.lowercased().hasPrefix("https") ? "https" : "http"
        let rest = url.text.dropFirst(scheme.count + 3)
        shown = "\(scheme)://\(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })"
        authorization = url.username.map { user in
            "Basic " + Base64.text(Array("\(user):\(url.password ?? "")".utf8))
        }
    }
}

/// The ways of asking.
enum WebhookMethod: String, OptionChoice {
    case post, put
}
