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

    static func base64(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                result.append(place <= group.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
