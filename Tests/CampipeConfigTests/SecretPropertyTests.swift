import CampipeKit
import Testing

@testable import CampipeConfig

/// Whatever is written around a secret, no output shows it.
@Suite("Planted secrets")
struct SecretPropertyTests {
    /// A secret that stands in no other text; with characters that YAML reads as its own.
    static func secret(_ random: inout SeededRandom) -> String {
        let word = "Zq\(random.next() % 900 + 100)hunter\(random.next() % 90 + 10)"
        let extras = ["", "", "", "!", "#x", "@", "%", "&", "*"]
        return word + extras[Int(random.next() % UInt64(extras.count))]
    }

    /// What stands behind a key, with the secret in it.
    static let values: [@Sendable (_ secret: String) -> String] = [
        { ": \($0)" }, { ": \"\($0)\"" }, { ": '\($0)'" }, { ": #\($0)" }, { ":  # \($0)" }, { ": *\($0)" },
        { ": &\($0)" }, { ": &\($0) x" }, { ": !\($0)" }, { ": !\($0) x" }, { ": !!\($0) x" }, { ": [\($0)]" },
        { ": [*\($0)]" }, { ": [a, \($0)]" }, { ": {\($0): x}" }, { ": {x: \($0)}" }, { ": {\($0)}" }, { "=\($0)" },
        { " = \($0)" }, { ":\($0)" }, { " \($0)" }, { "\"\($0)\"" }, { "\u{FF1A}\($0)" }, { "\u{FF1A} \($0)" },
        { ": ab, \($0)" }, { ": \($0), x!" }, { ": ab: \($0)" }, { ": \"ab\" \($0)" }, { ": \"\($0)" }, { ": '\($0)" },
        { ": @\($0)" }, { ": %\($0)" }, { ": `\($0)`" }, { ": {a}\($0)" }, { ": [a]\($0)" }, { ": ${\($0)" },
        { ": \"${X_\($0) }\"" }, { ": x ${NONE:-\($0)}" }, { ": |\n        \($0)" },
        { ": >-\n        \($0)\n        x" },
        { ":\n        \($0)" }, { ":\n        - \($0)" }, { ":\n      - *\($0)" }, { ":\n        x: \($0)" },
        { ": \"a\n        \($0)\"" }, { ": a\n        \($0)" }, { ": \u{201C}\($0)\u{201D}" }, { ": ? \($0)" },
        { ":\t\($0)" }, { ": \"\\q\($0)\"" }, { ": \u{200B}\($0)" }, { ":\u{A0}\($0)" }, { ": <<\($0)" },
        { ": !secret \($0)" }, { ": \"!secret \($0)\"" }, { ": - \($0)" }, { ": \($0)}" }, { ": \($0)]" },
        { ": \($0), foo" }, { ": \($0) # \($0)" }, { ": ~ # \($0)" },
    ]

    static let urls: [@Sendable (_ secret: String) -> String] = [
        { "http://u:\($0)@h/v" }, { "http:/u:\($0)@h/v" }, { "u:\($0)@h/v" }, { "http://h/v?password=\($0)" },
        { "http://h/user=a_password=\($0)_channel=1" }, { "http://u:\($0)\n        x@h/" },
        { "http://u:x\n        \($0)@h/" }, { "rtsp://u:\($0)@h:99999/" }, { "htp://u:\($0)@h/" },
    ]

    static let streams: [@Sendable (_ secret: String) -> String] = [
        { "rtmp://live/app/\($0)" }, { "rmtp://live/app/\($0)" }, { "rtmp:/live/app/\($0)" },
        { "rtmps//live/app/\($0)" }, { "RTPM://live/app/\($0)" }, { "live.example/app/\($0)" },
        { "srt://h:1?streamid=\($0)" }, { "srt://h:1?passphrase=\($0)&x=1" },
    ]

    /// A file with the secret, and with a fault or two beside it.
    static func file(_ random: inout SeededRandom, _ secret: String) -> String {
        func pick<Element>(_ elements: [Element]) -> Element { elements[Int(random.next() % UInt64(elements.count))] }
        let key = pick(["password", "username", "passwort_password", "pasword", "api_key", "pwd", "token"])
        let fault = pick(["", "foo: 1", "fps: 3x", "connect_timeout: 3", "bar: [}"])
        let url = pick(["http://h/", "http://h/"])
        switch random.next() % 8 {
        case 0, 1:
            let lines = ["type: camera", "url: \(url)", fault, key + pick(values)(secret)].filter { !$0.isEmpty }
            return "version: 1\nsources:\n  front:\n"
                + lines.map { "      \($0)\n" }.joined() + "sinks: {s: {type: terminal, input: front}}\n"
        case 2, 3:
            let parts = ["type: camera", "url: '\(url)'", key + pick(values)(secret), fault].filter { !$0.isEmpty }
            return "version: 1\nsources:\n  front: {\(parts.joined(separator: ", "))}\n"
                + "sinks: {s: {type: terminal, input: front}}\n"
        case 4:
            let address = pick(urls)(secret)
            let quote = pick(["", "\"", "'"])
            return "version: 1\nsources:\n  front:\n      type: camera\n      url: \(quote)\(address)\(quote)\n"
                + "      \(fault)\n      # password: \(secret)\n      urk: 1 # token = \(secret)\n"
        case 5:
            // As keys and as names.
            let address = pick(urls)(secret).replacing("\n", with: "")
            return
                "version: 1\nsources:\n  \"\(address)\": {type: camera, \"\(address)\": x, \(fault)}\nsinks: {s: {type: file, "
                + "url: \"\(pick(streams)(secret))\", input: \"\(address)\"}}\n"
        case 6:
            let value = pick(values)(secret)
            return "version: 1\nserver:\n  users:\n    me:\n      password_hash\(value)\n  \(fault)\n"
        default:
            let value = pick(values)(secret)
            return "version: 1\ntemplates:\n  t:\n    params: [password]\n    sources: {c: {type: camera, url: x, "
                + "password: \"{password}\", fps: x}}\ncameras:\n  yard:\n    use: t\n    password\(value)\n"
        }
    }

    @Test("no text, JSON or list of variables has one in it", arguments: 0..<20)
    func planted(seed: UInt64) {
        var random = SeededRandom(seed)
        for _ in 0..<100 {
            let secret = Self.secret(&random)
            let core = String(secret.prefix { $0.isLetter || $0.isNumber })
            let text = Self.file(&random, secret)
            let file = read(text, environment: ["X": "1"])
            let shown =
                file.report.text() + file.report.json()
                + file.report.warningLines(except: .noSink).joined()
                + (file.description?.variables.map { "\($0)" }.joined() ?? "")
            #expect(!shown.contains(core), "\(text)\n\(shown)")
        }
    }

    @Test("nor one that `--set` brings, wherever it goes", arguments: 0..<4)
    func overridden(seed: UInt64) {
        var random = SeededRandom(seed)
        for value in Self.values + Self.urls {
            let secret = Self.secret(&random)
            let core = String(secret.prefix { $0.isLetter || $0.isNumber })
            for path in ["sources.a.password", "sources.a.username", "sources.nope.password", "server.users.me"] {
                let shown = read(
                    "version: 1\nsources: {a: {type: camera, url: x}}\nsinks: {s: {type: terminal, input: a}}",
                    overrides: [
                        Override(path: path, text: String(value(secret).drop { ":= ".contains($0) })),
                        Override(path: "sources.a.fps", text: "x"),
                    ]
                ).report
                #expect(!(shown.text() + shown.json()).contains(core), "\(value(secret))\n\(shown.text())")
            }
        }
    }
}

/// Numbers that are the same each time (SplitMix64).
struct SeededRandom {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
