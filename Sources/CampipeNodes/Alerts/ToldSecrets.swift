import CampipeKit

/// The secrets that a server or a program was told by an alert, so that what it says of them is not shown. A value.
struct ToldSecrets: Hashable, Sendable {
    /// Shorter ones are too much like anything else.
    private static let least = 4

    private let secrets: [String]

    init(_ secrets: [String]) {
        // The longest first: one may be a part of another.
        self.secrets = secrets.filter { $0.utf8.count >= Self.least }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Those among a program's words: what stands behind `--password` or in `token=…`, behind `Authorization: Bearer`,
    /// and in URLs.
    init(argv: [String]) {
        var secrets: [String] = []
        for (index, word) in argv.enumerated() {
            secrets += SecretText.secrets(in: word) + SecretText.credentials(in: word)
            if index > 0, argv[index - 1].hasPrefix("-"), !argv[index - 1].contains("="),
                SecretText.isSecretName(argv[index - 1])
            {
                secrets.append(word)
            }
            if let mark = word.firstIndex(where: { $0 == "=" || $0 == ":" }), SecretText.isSecretName(word[..<mark]) {
                secrets.append(String(word[word.index(after: mark)...].drop { $0 == " " }))
            }
        }
        self.init(secrets)
    }

    /// A text without them, also where it was cut in the midst of one.
    func hidden(_ text: String) -> String {
        var text = text
        for secret in secrets {
            text = text.replacing(secret, with: SecretText.stars)
            let longest = min(secret.count, text.count)
            guard longest >= Self.least else { continue }
            let cut = (Self.least...longest).reversed().first { text.hasSuffix(secret.prefix($0)) }
            if let cut { text = text.dropLast(cut) + SecretText.stars }
        }
        return text
    }
}
