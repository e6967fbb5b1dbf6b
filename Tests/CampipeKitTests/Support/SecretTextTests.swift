import Testing

@testable import CampipeKit

@Suite("Secrets in texts")
struct SecretTextTests {
    @Test(
        "User-info and secret fields of a URL are hidden, the rest stands",
        arguments: [
            ("http://u:p@h/x", "http://***@h/x"),
            ("cannot open rtsp://a:b@c/d@e/f: no", "cannot open rtsp://***@e/f: no"),
            ("http://h/v?user=a&pwd=secret", "http://h/v?user=a&pwd=***"),
            ("http://h/v?PASSWORD=x&y=1#z", "http://h/v?PASSWORD=***&y=1#z"),
            ("http://h/v?token=a%20b c", "http://h/v?token=*** c"),
            ("'http://h/?loginuse=a&loginpas=b'", "'http://h/?loginuse=a&loginpas=***'"),
            ("u:p@h/v?access_token=1&auth=2&key=3", "u:p@h/v?access_token=***&auth=***&key=***"),
            ("http://h/?userpass=1;pw=2", "http://h/?userpass=***"),
            ("http://u:p@h/?pwd=q", "http://***@h/?pwd=***"),
            ("http://h/v?keyframe=1&author=me", "http://h/v?keyframe=1&author=me"),
            ("a=b, who@example.org, x ? pwd", "a=b, who@example.org, x ? pwd"),
            ("?pwd=", "?pwd="), ("", ""),
        ])
    func hidden(text: String, expected: String) {
        #expect(SecretText.hidden(text) == expected)
    }

    @Test("The passwords of a text are told apart from names")
    func secrets() {
        #expect(SecretText.secrets(in: "http://me:p:w@h/?user=a&pwd=b") == ["p:w", "b"])
        #expect(SecretText.secrets(in: "http://me@h/") == [])
    }

    @Test("A list of words has commas and one and", arguments: [(0, ""), (1, "a"), (2, "a and a"), (3, "a, a and a")])
    func words(count: Int, expected: String) {
        #expect(WordList.and([String](repeating: "a", count: count)) == expected)
        #expect(WordList.and((0..<20).map(String.init)) == "0, 1, 2, 3, 4, 5, 6 and 13 more")
    }
}
