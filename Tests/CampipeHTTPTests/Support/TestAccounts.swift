import CampipeKit

@testable import CampipeHTTP

/// Accounts, each hashed once a run.
enum TestAccounts {
    /// The passwords are the names, backwards.
    static let anna = Account(name: "anna", passwordHash: hash("anna"), role: .viewer, paths: ["/front"])
    static let otto = Account(name: "otto", passwordHash: hash("otto"), role: .viewer, paths: ["/yard"])
    static let root = Account(name: "root", passwordHash: hash("root"), role: .admin)
    static let all = [anna, otto, root]

    static func basic(_ name: String, _ password: String? = nil) -> String {
        "Authorization: Basic \(base64("\(name):\(password ?? String(name.reversed()))"))\r\n"
    }

    private static func hash(_ name: String) -> Secret {
        // An empty hash matches nothing, and the tests say so.
        Secret((try? PasswordHash.make(String(name.reversed()))) ?? "")
    }

    static func base64(_ text: String) -> String { Base64.text(Array(text.utf8)) }
}
