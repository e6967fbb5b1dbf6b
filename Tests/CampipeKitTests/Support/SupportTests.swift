import Testing

@testable import CampipeKit

@Suite("Did you mean")
struct NearestTests {
    private static let words = ["url", "username", "password", "max_items", "pre_roll"]

    @Test(
        "the nearest candidate is found, case and dashes count nothing",
        arguments: [
            ("ulr", "url"), ("URL", "url"), ("max-items", "max_items"), ("pasword", "password"),
            ("preroll", "pre_roll"),
            ("user_name", "username"), ("maxitem", "max_items"),
        ])
    func finds(word: String, meant: String) { #expect(Nearest.match(word, in: Self.words) == meant) }

    @Test(
        "what is not near is not guessed", arguments: ["x", "", "fragment", "wurst", String(repeating: "u", count: 65)])
    func refuses(word: String) { #expect(Nearest.match(word, in: Self.words) == nil) }

    @Test("ties go to the earlier candidate; without a near one a short list is shown whole")
    func fixes() {
        #expect(Nearest.match("cat", in: ["bat", "hat"]) == "bat")
        #expect(Nearest.fix("ulr", in: Self.words) == "did you mean \"url\"?")
        #expect(Nearest.fix("zzzzzz", in: ["a", "b"]) == "known: a, b")
        #expect(Nearest.fix("zzzzzz", in: []) == "delete it: none is known here")
        #expect(Nearest.fix("zzzzzz", in: (0..<25).map { "word\($0)" }).hasSuffix("word23, and 1 more"))
        #expect(Nearest.fix("5", in: ["url", "5", "use", "url"]) == "known: url, use")
        #expect(Nearest.match("user", in: ["url", "username"]) == "username")
        #expect(Nearest.match("user", in: ["user_id", "username"]) == nil)
        #expect(Nearest.match("?", in: ["a", "b"]) == nil)
    }
}

@Suite("Log")
struct LogTests {
    @Test("what recurs is said at once, then less and less often, with the count since")
    func recurring() {
        var note = RecurringNote()
        func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }
        #expect(note.happened(at: at(0)) == 1)
        #expect(note.happened(3, at: at(10)) == nil)
        #expect(note.happened(at: at(999)) == nil)
        #expect(note.happened(at: at(1000)) == 5)
        #expect(note.happened(at: at(5000)) == nil)
        #expect(note.happened(at: at(11_000)) == 2)
        // All day long, each second.
        var said = 0
        for second in 12...86_400 { if note.happened(at: at(second * 1000)) != nil { said += 1 } }
        #expect(said == 25)
        // After ten good minutes it is news again.
        #expect(note.happened(at: at(86_400_000 + 599_000)) == nil)
        #expect(note.happened(at: at(86_400_000 + 1_199_000)) != nil)
        #expect(note.happened(at: at(86_400_000 + 1_200_000)) != nil)
    }

    @Test("a line has its facts, the log's own first; what is below the level is not even made")
    func levels() {
        let lines = Lock<[String]>([])
        let log = Log(level: .info, facts: [("node", "front")]) { entry in
            let facts = entry.facts.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            lines.withLock { $0.append("\(entry.level.name) \(entry.message) \(facts)") }
        }
        var made = 0
        func message() -> String {
            made += 1
            return "connected"
        }
        log.debug(message())
        log.with("url", "x").info(message(), ["tries": 3])
        log.warning("slow")
        log.error("lost")
        log.trace("no")
        #expect(
            lines.withLock { $0 } == [
                "info connected node=front url=x tries=3", "warning slow node=front", "error lost node=front",
            ])
        #expect(made == 1)
    }
}

@Suite("Lock")
struct LockTests {
    @Test("many threads count to the sum of their counts")
    func counts() async {
        let lock = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { lock.withLock { $0 += 1 } } } }
        }
        #expect(lock.withLock { $0 } == 8000)
    }
}
