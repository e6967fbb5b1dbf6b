import Testing

@testable import CampipeKit

@Suite("Options of a node")
struct OptionDeclarationTests {
    struct Retention: OptionGroup {
        @Option("Delete what is older.") var maxAge: Duration? = nil
        @Option("Delete the oldest beyond this.") var maxSize: ByteCount? = nil
        func check(at path: FaultPath, into faults: inout [Fault]) {
            if maxAge == nil, maxSize == nil {
                faults.append(Fault(.invalidValue, at: path, "retention without a limit", fix: "add max_age"))
            }
        }
    }

    struct Inner: OptionGroup {
        @Option(1...9, "Depth.") var depth = 3
        @Option("Its retention.") var retention: Retention
    }

    struct Recorder: Sink {
        static let name = "recorder"
        static let summary = "Keeps packets."
        @Option("Where to write.") var path: String
        @Option(0...255, "Cut-off.") var level = 128
        @Option(.zero ... .seconds(60), "Before the event.") var preRoll: Duration? = nil
        @Option("What is deleted.") var retention = Retention()
        @Option("Nested.") var inner: Inner? = nil
        @Option("Password.") var password: Secret? = nil
        @Option("Behind all groups.") var last = 7
        func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    private func faults(_ options: Value.ValueMap) -> [String] {
        Registration(sink: Recorder.self).inspect(options, at: ["sinks", "rec"], siblings: ["type", "input", "link"])
            .faults.map { "\($0.code.text) \($0.path): \($0.sentence)" + "; \($0.fix)" }
    }

    @Test("a schema is learnt from the declaration")
    func schema() throws {
        let schemas = Registration(sink: Recorder.self).descriptor.options
        #expect(schemas.map(\.key) == ["path", "level", "pre_roll", "retention", "inner", "password", "last"])
        #expect(schemas[0].isRequired && schemas[0].defaultText == nil)
        #expect(schemas[1].defaultText == "128" && schemas[1].range == "0…255")
        #expect(schemas[1].minimum == 0 && schemas[1].maximum == 255 && schemas[1].type == .integer)
        #expect(schemas[2].range == "0s…1m" && schemas[2].minimum == nil && !schemas[2].isRequired)
        guard case .group(let inner) = schemas[4].type else { throw CampipeError(.failed, "no group") }
        #expect(inner.map(\.key) == ["depth", "retention"])
        #expect(schemas[5].type == .secret && schemas[5].summary == "Password.")
    }

    @Test("values reach their properties, groups nest, and what stands behind a group is its own")
    func values() throws {
        let options: Value.ValueMap = [
            "path": "a", "level": "9", "pre_roll": "5s", "retention": ["max_age": "14d"],
            "inner": ["depth": "4", "retention": ["max_size": "1GiB"]], "password": "hunter2", "last": "8",
        ]
        #expect(faults(options).isEmpty)
        let box = Registration(sink: Recorder.self).make(options)
        let node = try #require(box as? SinkBox<Recorder>).node
        #expect(node.path == "a" && node.level == 9 && node.preRoll == .seconds(5) && node.last == 8)
        #expect(node.retention.maxAge == .seconds(14 * 86_400) && node.retention.maxSize == nil)
        #expect(node.inner?.depth == 4 && node.inner?.retention.maxSize == .gibibytes(1))
        #expect(node.password?.revealed == "hunter2")
    }

    struct AfterGroup: OptionGroup {
        @Option("A group that must be given.") var retention: Retention
        @Option("Behind it.") var behind = 1
    }

    struct Account: SharedOptions {
        @Option("Who signs in.") var username = ""
        @Option("How often.") var tries = 3
    }
    struct Sharing: OptionGroup {
        @Option("In front.") var first = 1
        var account = Account()
        @Option("Behind it.") var last = 2
    }

    @Test("options that types share are each type's own, in their place among its others")
    func shared() {
        #expect(LearntOptions(Sharing.init).schemas.map(\.key) == ["first", "username", "tries", "last"])
        var faults: [Fault] = []
        let read = Sharing.read(["username": "me", "tries": "5", "last": "8"], at: .root, into: &faults)
        #expect(faults.isEmpty && read?.first == 1 && read?.last == 8)
        #expect(read?.account.username == "me" && read?.account.tries == 5)
    }

    @Test("an option behind a group that must be given is read")
    func behindRequiredGroup() {
        var faults: [Fault] = []
        let group = AfterGroup.read(
            ["retention": ["max_age": "1d"], "behind": "5"], at: .root, into: &faults)
        #expect(faults.isEmpty && group?.behind == 5 && group?.retention.maxAge == .seconds(86_400))
    }

    @Test("what is left out has its default")
    func defaults() throws {
        let node = try #require(Registration(sink: Recorder.self).make(["path": "a"]) as? SinkBox<Recorder>).node
        #expect(node.level == 128 && node.preRoll == nil && node.inner == nil && node.password == nil && node.last == 7)
    }

    @Test(
        "each mistake is told in these words",
        arguments: [
            ([:], ["CAM0021 sinks.rec: \"path\" is missing: Where to write.; add path: with text"]),
            (["path": "a", "levle": "3"], ["CAM0020 sinks.rec.levle: unknown key \"levle\"; did you mean \"level\"?"]),
            (["path": "a", "imput": "3"], ["CAM0020 sinks.rec.imput: unknown key \"imput\"; did you mean \"input\"?"]),
            (
                ["path": "a", "colour": "3"],
                [
                    "CAM0020 sinks.rec.colour: unknown key \"colour\"; known: path, level, pre_roll, retention, inner, "
                        + "password, last, type, input, link"
                ]
            ),
            (
                ["path": "a", "max_age": "3d"],
                ["CAM0028 sinks.rec.max_age: \"max_age\" does not stand here; it belongs under \"retention\""]
            ),
            (["path": "a", "level": "256"], ["CAM0042 sinks.rec.level: \"256\" is out of range; accepted: 0…255"]),
            (["path": "a", "pre_roll": "2m"], ["CAM0042 sinks.rec.pre_roll: \"2m\" is out of range; accepted: 0s…1m"]),
            (
                ["path": "a", "retention": ["max_agee": "1d"]],
                ["CAM0020 sinks.rec.retention.max_agee: unknown key \"max_agee\"; did you mean \"max_age\"?"]
            ),
            (["path": "a", "retention": [:]], ["CAM0040 sinks.rec.retention: retention without a limit; add max_age"]),
            (
                ["path": "a", "retention": "null"],
                ["CAM0040 sinks.rec.retention: retention without a limit; add max_age"]
            ),
            (
                ["path": "a", "retention": "14d"],
                [
                    "CAM0022 sinks.rec.retention: found \"14d\", expected a map of max_age, max_size; write {max_age: 14d}"
                ]
            ),
            (
                ["path": "a", "inner": ["depth": "0"]],
                [
                    "CAM0042 sinks.rec.inner.depth: \"0\" is out of range; accepted: 1…9",
                    "CAM0021 sinks.rec.inner: \"retention\" is missing: Its retention.; "
                        + "add retention: with a map of max_age, max_size",
                ]
            ),
            (["path": "a", "type": "recorder", "link": [:]], []),
        ] as [(Value.ValueMap, [String])])
    func mistakes(options: Value.ValueMap, expected: [String]) { #expect(faults(options) == expected) }

    @Test("all faults are collected, not only the first")
    func collects() { #expect(faults(["level": "x", "pre_roll": "5", "what": "1"]).count == 4) }

    @Test("a fault in the file's order points at the key where the key is wrong")
    func parts() {
        let inspection = Registration(sink: Recorder.self).inspect(["levle": "1"])
        #expect(inspection.faults.map(\.part) == [.key, .key])
        #expect(inspection.faults.allSatisfy { $0.severity == .error })
    }

    @Test(
        "names become snake_case",
        arguments: [
            ("preRoll", "pre_roll"), ("url", "url"), ("maxURLLength", "max_url_length"), ("lumaOnly", "luma_only"),
            ("useTLS", "use_tls"), ("X", "x"),
        ])
    func snakeCase(name: String, key: String) { #expect(LearntOptions.snakeCase(name) == key) }
}

@Suite("Secrets")
struct SecretTests {
    struct Vault: Sink {
        static let name = "vault"
        static let summary = "Has every option that a secret could be put into."
        @Option("One.") var password: Secret? = nil
        @Option("Many.") var passwords: [Secret] = []
        @Option("Number.") var number = 1
        @Option("Rate.") var rate = 1.0
        @Option("Flag.") var flag = false
        @Option("Time.") var time = Duration.zero
        @Option("Size.") var size = ByteCount(bytes: 0)
        @Option("Word.") var word = OptionValueTests.Fit.cover
        @Option("List.") var list: [Int] = []
        @Option(0...5, "Small.") var small = 1
        func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    @Test(
        "no sentence about an option shows a secret, wherever it was put", arguments: ["hunter2", "77777", "42hunter"])
    func faults(secret: String) {
        let scalar = Value.scalar(.init(secret, isQuoted: true, isSecret: true))
        var told = 0
        for schema in Registration(sink: Vault.self).descriptor.options {
            let plain: [Value] =
                schema.type == .secret || schema.type == .list(.secret)
                ? [.plain(secret), ["a": .plain(secret)], [.plain(secret)], .map([secret: ""])] : []
            for value in [scalar, [scalar], ["key": scalar]] + plain {
                var options = Value.ValueMap()
                options[schema.key] = value
                for fault in Registration(sink: Vault.self).inspect(options).faults {
                    told += 1
                    #expect(!fault.sentence.contains(secret), "\(fault)")
                    #expect(!fault.fix.contains(secret), "\(fault)")
                }
            }
        }
        #expect(told > 20)
    }

    @Test("a secret is not shown by description, dump or reflection")
    func shown() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!"\(secret) \(String(reflecting: secret)) \(dumped)".contains("hunter2"))
        #expect(secret.optionText == nil && secret.revealed == "hunter2")
    }
}
