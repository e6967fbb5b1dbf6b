import Foundation
import Glibc
import Testing

@testable import CampipeApp

/// The largest files that are accepted, read and planned as a user would have it.
@Suite("The largest files", .serialized)
struct LargestFileTests {
    private static let cameras = "    sources: {cam: {type: camera, url: \"{url}\"}}\n"

    private static func file(_ template: String, cameras count: Int) -> String {
        "version: 1\ntemplates:\n  t:\n    params: [url]\n" + cameras + template + "cameras:\n"
            + (0..<count).map { "  c\($0): {use: t, url: 'http://h/\($0)'}\n" }.joined()
    }

    static let files: [(name: String, text: @Sendable () -> String)] = [
        (
            "nodes",
            { file("    sinks: {s: {type: http, input: cam, path: \"/{camera}\", when: cam.events}}\n", cameras: 2048) }
        ),
        (
            "references",
            {
                file(
                    "    transforms:\n      o: {type: overlay, input: cam, text: x, events: ["
                        + [String](repeating: "cam.events", count: 70).joined(separator: ", ")
                        + "]}\n    sinks: {s: {type: http, input: o, path: \"/{camera}\"}}\n", cameras: 112)
            }
        ),
    ]

    @Test("neither validate nor graph takes 64 MiB more for one than for a small file", arguments: files.map(\.name))
    func memory(name: String) async throws {
        // A process of its own: its memory is that of the file, whatever else runs.
        await #expect(processExitsWith: .success) { [name] in
            let folder = try TemporaryFolder()
            func path(_ name: String, _ text: String) throws -> String {
                let url = folder.url.appending(path: name)
                try Data(text.utf8).write(to: url)
                return url.path(percentEncoded: false)
            }
            let small = try path("small.yaml", Self.file("    sinks: {s: {type: log, input: cam}}\n", cameras: 1))
            let large = try path("large.yaml", try #require(Self.files.first { $0.name == name }).text())
            for command in ["validate", "graph"] {
                #expect(Captured.run([command, small]).code == 0)
                let before = Self.peak(reset: true)
                let result = Captured.run([command, large])
                #expect(result.code == 0, "\(result.error.prefix(500))")
                // The address sanitizer keeps what was freed for a while, and counts as the file's.
                #if !ASAN
                    if let before, let after = Self.peak(reset: false) {
                        #expect(after - before < 64 << 10, "\(command): \(after - before) KiB")
                    }
                #else
                    _ = before
                #endif
            }
        }
    }

    /// The process's peak of resident memory in KiB, from /proc; `reset` sets it to what is resident now.
    private static func peak(reset: Bool) -> Int? {
        if reset, let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
