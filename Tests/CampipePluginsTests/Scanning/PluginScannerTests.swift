import CampipeKit
import Foundation
import Testing

@testable import CampipePlugins

/// Each of these plugins would end the program that loads it.
@Suite("Plugins looked at in a child process")
struct PluginScannerTests {
    private let workshop: Workshop
    private let host: HostIdentity
    private let entry = "void *campipe_plugin_contents(void) { return 0; }\n"
    private let start = "__attribute__((constructor)) static void start(void)"

    init() throws {
        workshop = try Workshop()
        host = try Workshop.host
    }

    private func scanner(_ deadline: Duration = .seconds(60), cache: PluginCache? = nil) -> PluginScanner {
        PluginScanner(program: Workshop.program, host: host, cache: cache, deadline: deadline)
    }

    private func object(_ name: String, _ source: String) throws -> String {
        try workshop.object(name, entry + source, handshake: try .fitting(types: [.init(.sink, "notify")]))
    }

    @Test("one that crashes when it is loaded is refused, and its types are known all the same")
    func crash() throws {
        let path = try object("crash", "\(start) { *(volatile int *)0 = 1; }")
        let finding = scanner().scan(path)
        #expect(finding.refusal?.sentence == "\(path) crashed while it was looked at (signal 11)")
        #expect(finding.names == [.init(.sink, "notify")])
        #expect(finding.types.isEmpty && finding.object == nil)
    }

    @Test("one that crashes when it is asked for its types is refused")
    func crashAsked() throws {
        let path = try workshop.object(
            "asked", "void *campipe_plugin_contents(void) { __builtin_trap(); }", handshake: try .fitting())
        let finding = scanner().scan(path)
        #expect(finding.refusal?.sentence.hasPrefix("\(path) crashed while it was looked at (signal ") == true)
    }

    @Test("one that hangs when it is loaded is killed at the deadline")
    func hang() throws {
        let path = try object("hang", "#include <unistd.h>\n\(start) { for (;;) pause(); }")
        let finding = scanner(.seconds(1)).scan(path)
        #expect(finding.refusal?.sentence == "\(path) said nothing in 1 s while it was looked at")
    }

    @Test("one that ends the program is refused, whatever code it ends it with", arguments: [0, 3])
    func exit(code: Int) throws {
        let path = try object("exit", "#include <stdlib.h>\n\(start) { exit(\(code)); }")
        #expect(
            scanner().scan(path).refusal?.sentence
                == "\(path) ended the program that looked at it, with code \(code)")
    }

    @Test("one that lacks a symbol is refused by its name")
    func symbol() throws {
        let path = try object("symbol", "void nobody_has_this(void);\n\(start) { nobody_has_this(); }")
        let sentence = scanner().scan(path).refusal?.sentence
        #expect(sentence?.hasPrefix("\(path) cannot be loaded: ") == true)
        #expect(sentence?.contains("nobody_has_this") == true)
    }

    @Test("it gets no descriptor, no variable and no input of ours")
    func bare() throws {
        let left = workshop.path("left")
        let secret = open(left, O_RDWR | O_CREAT, 0o600)
        defer { close(secret) }
        // Not closed by the system when another program is started.
        #expect(secret > 2 && fcntl(secret, F_SETFD, 0) == 0)
        let path = try object(
            "bare",
            """
            #include <stdlib.h>
            #include <unistd.h>
            #include <fcntl.h>
            \(start) {
                char one;
                int open = 0;
                for (int number = 5; number < 256; number++) open += fcntl(number, F_GETFD) >= 0;
                exit(40 + (open > 0) + 2 * (getenv("HOME") != 0) + 4 * (read(0, &one, 1) != 0));
            }
            """)
        #expect(scanner().scan(path).refusal?.sentence.hasSuffix(", with code 40") == true)
    }

    @Test("what it prints is no answer")
    func garbage() throws {
        let path = try workshop.object(
            "garbage",
            """
            #include <stdio.h>
            #include <stdlib.h>
            void *campipe_plugin_contents(void) { puts("{\\"types\\":{\\"_0\\":[]}}"); fflush(stdout); _Exit(0); }
            """, handshake: try .fitting())
        #expect(scanner().scan(path).refusal?.sentence.hasSuffix("with code 0") == true)
    }

    @Test("what was found is kept until the file changes, also that it crashes")
    func kept() throws {
        let cache = PluginCache(folder: workshop.path("cache"))
        let mark = workshop.path("runs")
        let count =
            "#include <stdio.h>\n\(start) { fputc('x', fopen(\"\(mark)\", \"a\")); fflush(0); __builtin_trap(); }"
        let path = try object("counted", count)
        func runs() -> Int { (try? Data(contentsOf: URL(filePath: mark)))?.count ?? 0 }
        let first = scanner(cache: cache).scan(path)
        #expect(runs() == 1 && first.refusal != nil)
        #expect(scanner(cache: cache).scan(path) == first)
        #expect(runs() == 1)
        _ = try object("counted", count + "\nint more = 1;")
        #expect(scanner(cache: cache).scan(path).refusal == first.refusal)
        #expect(runs() == 2)
    }
}
