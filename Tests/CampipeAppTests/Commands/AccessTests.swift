import CampipeHTTP
import CampipeKit
import Foundation
import Testing

@testable import CampipeApp

/// The built program with users, by https, as curl sees it.
@Suite("Who may see what", .serialized)
struct AccessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path(percentEncoded: false) }

    private func start() throws -> (child: Child, port: UInt16) {
        let made = try SelfSignedCertificate.make(names: ["127.0.0.1"], time: SystemClock().wallTime)
        try Data(made.certificate).write(to: folder.url.appending(path: "cert.pem"))
        try Data(made.key).write(to: folder.url.appending(path: "key.pem"))
        let file = try folder.file(
            "pipeline.yaml",
            """
            version: 1
            server:
              listen: "127.0.0.1:0"
              tls: {certificate: "\(path("cert.pem"))", key: "\(path("key.pem"))"}
              users:
                anna: {password_hash: "\(try PasswordHash.make("an"))", paths: [/front]}
                otto: {password_hash: "\(try PasswordHash.make("ot"))", paths: [/yard]}
                root: {password_hash: "\(try PasswordHash.make("ro"))", role: admin}
            sources: {p: {type: test_pattern, width: 64, height: 48, fps: 20}}
            sinks:
              web: {type: http, input: p, path: /front}
              yard: {type: http, input: p, path: /yard}
              all: {type: http, input: p, path: /all, access: public}
              own: {type: http, input: p, path: /own, access: admin}
            """)
        let child = try Child(["run", file])
        return (child, try child.port())
    }

    private func curl(_ arguments: [String]) throws -> String {
        try CampipeAppTests.curl(["--cacert", path("cert.pem")] + arguments)
    }

    @Test("every route, by nobody, a viewer, a viewer of another path, and an admin")
    func table() throws {
        let (child, port) = try start()
        let routes: [(String, [String])] = [
            ("/healthz", ["200", "200", "200", "200"]), ("/readyz", ["200", "200", "200", "200"]),
            ("/", ["200", "200", "200", "200"]), ("/?sign-in", ["401", "303", "303", "303"]),
            ("/front", ["401", "200", "403", "200"]), ("/front/", ["401", "200", "403", "200"]),
            ("/front/stream", ["401", "200", "403", "200"]), ("/front/snapshot", ["401", "200", "403", "200"]),
            ("/front?action=stream", ["401", "200", "403", "200"]), ("/front/state", ["401", "403", "403", "200"]),
            ("/front?action=state", ["401", "403", "403", "200"]), ("/front/none", ["401", "404", "403", "404"]),
            ("/yard/snapshot", ["401", "403", "200", "200"]), ("/all/snapshot", ["200", "200", "200", "200"]),
            ("/all/stream", ["200", "200", "200", "200"]), ("/all/state", ["401", "403", "403", "200"]),
            ("/own", ["401", "403", "403", "200"]), ("/own/stream", ["401", "403", "403", "200"]),
            ("/stream", ["401", "200", "403", "200"]), ("/snapshot", ["401", "200", "403", "200"]),
            ("/?action=snapshot", ["401", "200", "403", "200"]), ("/state", ["401", "403", "403", "200"]),
            ("/?action=state", ["401", "403", "403", "200"]), ("/metrics", ["401", "403", "403", "200"]),
            ("/front/state_0", ["401", "403", "403", "200"]), ("/front/stream_1", ["401", "404", "403", "404"]),
            ("/stream_0", ["401", "200", "403", "200"]), ("/stream_1", ["401", "403", "200", "200"]),
            ("/snapshot_2", ["200", "200", "200", "200"]), ("/state_2", ["401", "403", "403", "200"]),
            ("/?action=stream_3", ["401", "403", "403", "200"]), ("/stream_4", ["401", "403", "403", "404"]),
            ("/stream/all", ["200", "200", "200", "200"]),
            ("/front/live.mp4", ["401", "200", "403", "200"]), ("/all/live.mp4", ["200", "200", "200", "200"]),
            ("/own/live.mp4", ["401", "403", "403", "200"]), ("/?action=live.mp4", ["401", "403", "403", "404"]),
            // This source has single pictures only, which is for those to know who may see them.
            ("/front/index.m3u8", ["401", "404", "403", "404"]), ("/own/index.m3u8", ["401", "403", "403", "404"]),
            ("/front/init.mp4", ["401", "404", "403", "404"]), ("/own/seg-1.m4s", ["401", "403", "403", "404"]),
            ("/yard/part-1-1.m4s", ["401", "403", "404", "404"]),
            ("/stream/all?path=/own", ["404", "404", "404", "200"]),
            ("/api/v1/x", ["401", "403", "403", "404"]), ("/none", ["401", "403", "403", "404"]),
        ]
        // Pictures come from now on; the first snapshot waits for one.
        _ = child.wait { _ in (try? curl(["https://127.0.0.1:\(port)/readyz"])) == "ready\n" }
        for (index, user) in [nil, "anna:an", "otto:ot", "root:ro"].enumerated() {
            // One connection for all that ends; HEAD answers a stream at once, with what GET would say.
            var arguments = user.map { ["-u", $0] } ?? []
            for route in routes {
                arguments += ["-I", "-o", "/dev/null", "-w", "%{http_code}\\n", "https://127.0.0.1:\(port)\(route.0)"]
            }
            let codes = try curl(arguments).split(separator: "\n").map(String.init)
            try #require(codes.count == routes.count, "\(codes)")
            for (route, code) in zip(routes, codes) {
                #expect(code == route.1[index], "\(route.0) by \(user ?? "nobody")")
            }
        }
        let metrics = ["-u", "root:ro", "https://127.0.0.1:\(port)/metrics"]
        #expect(try curl(["-i"] + metrics).contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        let read = try PrometheusText(curl(metrics))
        #expect(read.sum("campipe_source_state", ["node": "p", "state": "running"]) == 1)
        #expect(read.sum("campipe_http_viewers_total", ["node": "all"]) == 0)
        #expect(read.sum("campipe_link_offered_items_total") > 0 && read.sum("campipe_process_open_fds") > 5)
        #expect(read.samples.contains { $0.name == "campipe_sink_age_seconds_count" && $0.labels["node"] == "own" })
        child.signal(SIGTERM)
        #expect(child.wait() == 0)
        #expect(!child.error.contains("argon2id"), "\(child.error)")
    }

    @Test("the list names to each what he may see; the words of health name nothing")
    func list() throws {
        let (child, port) = try start()
        func page(_ arguments: [String]) throws -> String { try curl(arguments + ["https://127.0.0.1:\(port)/"]) }
        func paths(_ page: String) -> [String] {
            page.matches(of: /class="cell" href="([^"]*)"/).map { String($0.1) }.sorted()
        }
        #expect(child.wait { _ in (try? paths(page(["-u", "root:ro"])).count) == 4 })
        let nobody = try page([])
        #expect(paths(nobody) == ["/all"] && nobody.contains("sign in"))
        #expect(try paths(page(["-u", "anna:an"])) == ["/all", "/front"])
        #expect(try paths(page(["-u", "otto:ot"])) == ["/all", "/yard"])
        #expect(try paths(page(["-u", "root:ro"])) == ["/all", "/front", "/own", "/yard"])
        /// Whether these come, and at no look any other.
        func streams(_ arguments: [String], _ expected: Set<String>) -> Bool {
            child.wait { _ in
                let all = "https://127.0.0.1:\(port)/stream/all?width=64"
                let text = (try? curl(arguments + ["--max-time", "2", all])) ?? ""
                let seen = Set(text.matches(of: /X-Stream: ([^\r\n]*)\r\n/).map { String($0.1) })
                #expect(seen.isSubset(of: expected))
                return seen == expected
            }
        }
        #expect(streams([], ["/all"]))
        #expect(streams(["-u", "anna:an"], ["/all", "/front"]))
        #expect(streams(["-u", "root:ro"], ["/all", "/front", "/own", "/yard"]))
        #expect(try curl(["https://127.0.0.1:\(port)/healthz"]) == "ok\n")
        #expect(try ["ready\n", "waiting\n"].contains(curl(["https://127.0.0.1:\(port)/readyz"])))
        child.signal(SIGTERM)
        #expect(child.wait() == 0)
    }

    @Test("validate and graph show no hash, whatever is wrong with the file")
    func redacted() throws {
        let hash = try PasswordHash.make("an")
        let file = try folder.file(
            "pipeline.yaml",
            """
            version: 1
            server: {users: {anna: {password_hash: "\(hash)", rle: x}, otto: {password_hash: \(hash)}}}
            sources: {p: {type: test_pattern}}
            sinks: {web: {type: http, input: p, path: /front}}
            """)
        let last = try #require(hash.split(separator: "$").last)
        for words in [["validate", file], ["validate", "--json", file], ["graph", file], ["run", file]] {
            let result = Captured.run(words)
            #expect(result.code == 78)
            #expect(!(result.output + result.error).contains(last), "\(result.error)")
            #expect((result.output + result.error).contains("did you mean"))
        }
    }
}
