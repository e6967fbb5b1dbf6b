import Testing

@testable import CampipeKit

@Suite("Secrets that a node was given")
struct KnownSecretsTests {
    private static func secret(_ text: String) -> Value { .scalar(.init(text, isQuoted: true, isSecret: true)) }

    private let url = "rtsps://10.0.0.9:7441/AbCdEfToken?x=1"
    private var secrets: KnownSecrets {
        KnownSecrets([
            "url": Self.secret(url), "pin": Self.secret("123"), "name": "porch", "list": [Self.secret("hunter2")],
        ])
    }

    @Test(
        "They are hidden wherever they stand, and what stands behind the host of a secret URL by itself too",
        arguments: [
            ("cannot open rtsps://10.0.0.9:7441/AbCdEfToken?x=1: no answer", "cannot open ***: no answer"),
            ("cannot open rtsps://***@10.0.0.9:7441/AbCdEfToken?x=1", "cannot open rtsps://***@10.0.0.9:7441/***"),
            ("hunter2, hunter2", "***, ***"), ("porch 123", "porch 123"), ("", ""),
        ])
    func hidden(text: String, expected: String) {
        #expect(secrets.hidden(text) == expected)
    }

    @Test("An option that is declared secret is one, inside a list and a group too")
    func declared() {
        let schemas = LearntOptions(Guarded.init).schemas
        let secrets = KnownSecrets(["token": "abcdef", "name": "porch"], schemas)
        #expect(secrets.hidden("abcdef at porch") == "*** at porch")
    }

    @Test("An error, its cause and its facts show none, and neither does the log")
    func errors() {
        let cause = CampipeError(.failed, "no \(url)")
        let error = CampipeError(
            .unavailable, "cannot open \(url)", fix: "mend hunter2", context: [("at", url)], cause: cause)
        let hidden = secrets.hidden(error as any Error)
        #expect(hidden.description == "cannot open ***: no ***; mend ***")
        #expect(hidden.context.map(\.value) == ["***"])
        #expect(hidden.kind == .unavailable)
        let entries = Lock<[Log.Entry]>([])
        let log = secrets.hidden(
            Log(level: .info, facts: [("node", "a")]) { entry in entries.withLock { $0.append(entry) } })
        log.warning("lost \(url)", ["cause": error, "count": 3])
        let entry = entries.withLock { $0[0] }
        #expect(entry.message == "lost ***")
        #expect(entry.facts.map(\.value) == ["a", "cannot open ***: no ***; mend ***", "3"])
        #expect(entry.facts.last?.content == .integer(3))
    }

    private struct Guarded: Sink {
        static let name = "guarded"
        static let summary = "Has a secret."
        @Option("Who it is.") var token: Secret? = nil
        @Option("How it is called.") var name = ""
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    @Test(
        "What a terminal would obey is spelt out",
        arguments: [
            ("text/html\u{1b}[31m", "text/html\\u001b[31m"), ("a\nb", "a\\u000ab"), ("a\u{9b}b", "a\\u009bb"),
            ("\u{202e}abc", "\\u202eabc"), ("Größe 5", "Größe 5"),
        ])
    func printable(text: String, expected: String) {
        #expect(PrintableText.escaping(text) == expected)
        #expect("\(CampipeError(.failed, text))" == (text == "a\nb" ? text : expected))
    }
}
