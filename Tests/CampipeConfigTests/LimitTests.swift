import CampipeKit
import Glibc
import Testing

@testable import CampipeConfig

/// Nothing in a file can make the parser hang or use over 64 MiB.
@Suite("Limits", .serialized)
struct LimitTests {
    private static let size = 1 << 20

    private static func filled(_ unit: String, before: String = "", after: String = "") -> String {
        before + String(repeating: unit, count: (size - before.utf8.count - after.utf8.count) / unit.utf8.count) + after
    }

    private static func numbered(_ count: Int, before: String = "", after: String = "", _ line: (Int) -> String)
        -> String
    {
        var text = before
        for index in 0..<count where text.utf8.count < size - 200 { text += line(index) }
        return text + after
    }

    /// A text of the greatest size, its name, and the code that ends it.
    struct Bomb: Sendable {
        let name: String
        let text: @Sendable () -> String
        let code: FaultCode

        init(_ name: String, _ text: @autoclosure @escaping @Sendable () -> String, _ code: FaultCode) {
            self.name = name
            self.text = text
            self.code = code
        }
    }

    static let bombs: [Bomb] = [
        .init("lists in lists", filled("["), .tooDeep),
        .init("maps in maps", filled("{a: "), .tooDeep),
        .init("keys of keys", filled("? "), .tooDeep),
        .init("dashes", filled("- "), .tooDeep),
        .init("many values", filled("a,", before: "a: [", after: "]"), .tooLarge),
        .init("many keys", numbered(200_000) { "k\($0): 1\n" }, .tooLarge),
        .init(
            "unknown keys of one node",
            numbered(9_990, before: "sources:\n  a:\n    type: camera\n") {
                "    urk\($0)_key_that_is_quite_long: 1\n"
            }, .unknownKey
        ),
        .init(
            "unknown references",
            numbered(4_000, before: "version: 1\nsinks:\n") {
                "  node_\($0): {type: http, path: /p, input: noed_\($0 * 7)}\n"
            }, .unknownInput
        ),
        .init(
            "aliases of aliases",
            numbered(40, before: "a0: &a0 [x, x, x, x, x, x, x, x, x]\n") {
                "a\($0 + 1): &a\($0 + 1) [*a\($0), *a\($0), *a\($0), *a\($0), *a\($0), *a\($0), *a\($0)]\n"
            }, .tooLarge
        ),
        .init("tags", numbered(90_000) { "%TAG !t\($0)! tag:x\n" }, .tagNotAllowed),
        .init(
            "tags behind a document", numbered(90_000, before: "a: 1\n...\n") { "%TAG !t\($0)! tag:x\n" },
            .tagNotAllowed),
        .init("documents", filled("---\n"), .severalDocuments),
        .init("an endless comment", filled("#"), .emptyFile),
        .init("an endless word", filled("a"), .wrongKind),
        .init("an endless quote", filled("a", before: "a: \""), .syntax),
        .init("duplicates", filled("a: 1\n", before: "sources:\n"), .duplicateKey),
        .init(
            "blanks before flow", String(repeating: " ", count: 500_000) + filled("a,", before: "[").prefix(500_000),
            .tooLarge
        ),
        .init(
            "a chain of transforms",
            numbered(4_000, before: "version: 1\ntransforms:\n") { "  t\($0): {type: scale, input: t\($0 + 1)}\n" },
            .unknownInput
        ),
        .init(
            "a ring of transforms",
            numbered(4_000, before: "version: 1\ntransforms:\n", after: "  t4000: {type: scale, input: t0}\n") {
                "  t\($0): {type: scale, input: t\($0 + 1)}\n"
            }, .cycle
        ),
        .init(
            "many nodes", numbered(9_000, before: "version: 1\nsinks:\n") { "  n\($0): {type: http, path: /p}\n" },
            .tooLarge
        ),
        .init(
            "patterns",
            numbered(900, before: "version: 1\ntransforms:\n") {
                "  t\($0): {type: grid, inputs: [\"*t*\", \"t*t*t*t*t*x\", \"*\"]}\n"
            }, .tooLarge
        ),
        .init(
            "a long parameter put in often",
            "version: 1\ntemplates:\n  t:\n    params: [p]\n    sources: {a: {type: camera, url: \""
                + String(repeating: "{p}", count: 1000) + "\"}}\ncameras:\n  c: {use: t, p: "
                + String(repeating: "x", count: 500_000) + "}\n", .tooLarge
        ),
        .init(
            "a large template used often",
            "version: 1\ntemplates:\n  t:\n    sources:\n"
                + (0..<3000).map { "      s\($0): {type: camera, url: x}\n" }.joined() + "cameras:\n"
                + (0..<3000).map { "  c\($0): {use: t}\n" }.joined(), .tooLarge
        ),
        .init(
            "misread values behind many others",
            "a: [" + String(repeating: "abcdefghijklmnop, ", count: 45_000) + "]\n"
                + (0..<100).map { "k\($0): %H\n" }.joined(), .quoteIt
        ),
        .init(
            "misread values on one long line",
            filled("a,", before: "b: [[", after: "], ${A}, ${B}, ${C}, ${D}, ${E}, ${F}]").replacing("a,", with: " "),
            .quoteIt
        ),
        .init(
            "unknown fields in one text",
            filled(
                "{ab}", before: "version: 1\ntransforms: {o: {type: fields, input: x, text: \"", after: "\"}}\n"),
            .unknownField
        ),
        .init(
            "texts with unknown fields on one line",
            numbered(2_000, before: "version: 1\ntransforms: {", after: "}\n") {
                "o\($0): {type: fields, input: x, text: \"{a}{b}{c}{d}{e}{f}{g}{h}\"}, "
            }, .unknownField
        ),
        .init(
            "references of many copies",
            "version: 1\ntemplates:\n  t:\n    sources: {cam: {type: camera, url: x}}\n    transforms:\n"
                + "      o: {type: overlay, input: cam, events: ["
                + String(repeating: "cam.events, ", count: 590) + "cam.events]}\n"
                + "    sinks: {s: {type: terminal, input: o}}\ncameras:\n"
                + (0..<110).map { "  c\($0): {use: t}\n" }.joined(), .tooLarge
        ),
        .init("too large", String(repeating: "a: 1\n", count: 300_000), .tooLarge),
    ]

    /// Files without a fault, as large as they may be.
    static let largest: [(name: String, text: @Sendable () -> String)] = [
        (
            "references",
            {
                "version: 1\ntemplates:\n  t:\n    sources: {cam: {type: camera, url: x}}\n    transforms:\n"
                    + "      o: {type: overlay, input: cam, events: ["
                    + String(repeating: "cam.events, ", count: 70) + "cam.events]}\n"
                    + "    sinks: {s: {type: terminal, input: o}}\ncameras:\n"
                    + (0..<110).map { "  c\($0): {use: t}\n" }.joined()
            }
        ),
        (
            "nodes",
            {
                "version: 1\ntemplates:\n  t:\n    params: [url]\n    sources: {cam: {type: camera, url: \"{url}\"}}\n"
                    + "    sinks: {s: {type: terminal, input: cam, when: cam.events}}\ncameras:\n"
                    + (0..<2048).map { "  c\($0): {use: t, url: \"http://h/\($0)\"}\n" }.joined()
            }
        ),
    ]

    @Test("nor does the largest file without a fault", arguments: largest.map(\.name))
    func large(name: String) async throws {
        await #expect(processExitsWith: .success) { [name] in
            let source = try #require(Self.largest.first { $0.name == name }).text()
            let before = Self.peak(reset: true)
            let file = read(source)
            #expect(file.description != nil, "\(file.report.text().prefix(1000))")
            #if !ASAN
                if let before, let after = Self.peak(reset: false) {
                    #expect(after - before < 56 << 10, "\(after - before) KiB")
                }
            #else
                _ = before
            #endif
        }
    }

    @Test("Nothing in a file takes over 64 MiB or more than a few seconds", arguments: bombs.map(\.name))
    func bomb(name: String) async throws {
        // A process of its own: its memory and processor time are those of the file, whatever else runs.
        await #expect(processExitsWith: .success) { [name] in
            let bomb = try #require(Self.bombs.first { $0.name == name })
            let source = bomb.text()
            let before = Self.peak(reset: true)
            let start = clock()
            let file = read(source)
            let text = file.report.text() + file.report.json()
            let seconds = Double(clock() - start) / 1_000_000
            let after = Self.peak(reset: false)
            #expect(file.report.diagnostics.contains { $0.code == bomb.code }, "\(file.report.diagnostics.prefix(3))")
            #expect(text.utf8.count < 2 << 20)
            // A debug build; a quadratic pass over a mebibyte takes minutes.
            #expect(seconds < 20)
            // The address sanitizer keeps what was freed for a while, and counts as the file's.
            #if !ASAN
                if let before, let after {
                    #expect(after - before < 64 << 10, "\(after - before) KiB for \(source.utf8.count) bytes")
                }
            #else
                _ = (before, after)
            #endif
        }
    }

    /// The process's peak of resident memory in KiB, from /proc; `reset` sets it to what is resident now.
    private static func peak(reset: Bool) -> Int? {
        if reset, let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        guard let file = fopen("/proc/self/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix("VmHWM:") {
                return text.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
            }
        }
        return nil
    }
}
