import CampipeKit
import Testing

@testable import CampipeConfig

@Suite("The server's keys")
struct ServerTests {
    private static let hash =
        "$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"

    private func file(_ server: String, sink: String = "") -> PipelineFile {
        CampipeConfigTests.read(
            """
            version: 1
            server: \(server)
            sources: {front: {type: camera, url: "http://a/"}}
            sinks: {web: {type: http, input: front, path: /front\(sink)}}
            """)
    }

    @Test("all of it is read as it was written")
    func whole() throws {
        let file = file(
            """
            {listen: "0.0.0.0:8443", tls: {certificate: a.pem, key: b.pem}, cors: ["https://a.example:8123", "*"],
              frame_ancestors: [https://ha.example], hosts: [cam.home],
              users: {anna: {password_hash: "\(Self.hash)", paths: [/front]}, root: {password_hash: "\(Self.hash)", role: admin}}}
            """)
        #expect(file.report.text() == "")
        let server = try #require(file.description?.server)
        #expect(
            server
                == ServerSettings(
                    host: "0.0.0.0", port: 8443, isLoopback: false,
                    tls: ServerSettings.TLS(certificate: "a.pem", key: "b.pem"),
                    users: [
                        ServerSettings.User(
                            name: "anna", passwordHash: Secret(Self.hash), isAdmin: false, paths: ["/front"]),
                        ServerSettings.User(name: "root", passwordHash: Secret(Self.hash), isAdmin: true),
                    ], cors: ["https://a.example:8123", "*"], frameAncestors: ["https://ha.example"],
                    hosts: ["cam.home"]))
        #expect(!"\(server)".contains("c2FsdH"))
    }

    @Test(
        "beyond loopback there are users and TLS, or auth: none; on it there need be nothing",
        arguments: [
            ("{}", []), ("{listen: \"127.0.0.1:1\", users: USERS}", []), ("{listen: \"[::1]:1\", tls: TLS}", []),
            ("{listen: \"0.0.0.0:1\"}", ["CAM0072 2:18 error"]), ("{listen: \"nas:1\"}", ["CAM0072 2:18 error"]),
            ("{listen: \"0.0.0.0:1\", tls: TLS}", ["CAM0072 2:18 error"]),
            ("{listen: \"0.0.0.0:1\", users: USERS}", ["CAM0072 2:18 error"]),
            ("{listen: \"0.0.0.0:1\", users: USERS, tls: TLS}", []), ("{listen: \"0.0.0.0:1\", auth: none}", []),
            ("{auth: none, users: USERS}", ["CAM0040 2:16 error"]), ("{users: {}}", ["CAM0022 2:17 error"]),
            ("{users: }", ["CAM0022 2:10 error"]),
        ] as [(String, [String])])
    func safety(server: String, expected: [String]) {
        let text = server.replacing("USERS", with: "{a: {password_hash: \"\(Self.hash)\"}}")
            .replacing("TLS", with: "{certificate: a, key: b}")
        #expect(file(text).summary == expected, "\(file(text).report.text())")
    }

    @Test("a path that no sink serves is a warning with the one that was meant; all below a path belongs to it")
    func paths() {
        func summary(_ path: String) -> [String] {
            file("{users: {a: {password_hash: \"\(Self.hash)\", paths: [\(path)]}}}").summary
        }
        #expect(summary("/front") == [])
        #expect(summary("/") == [])
        #expect(summary("/fron").count == 1 && summary("/fron")[0].hasPrefix("CAM0075"))
        #expect(summary("/front/stream").count == 1)
    }

    @Test("a limit that limits nobody is a warning")
    func access() {
        #expect(file("{auth: none}", sink: ", access: admin").summary == ["CAM0072 4:63 warning"])
        #expect(file("{auth: none}", sink: ", access: public").summary == [])
        #expect(file("{}", sink: ", access: admin").summary == [])
    }

    @Test(
        "what is no hash, or one that costs too much, is refused without being shown",
        arguments: [
            "hunter22", "", "$argon2i$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNo",
            "$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$", "$argon2id$v=19$m=65536,t=2,p=1",
            "$argon2id$v=19$m=65536,t=2$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNo",
            "$argon2id$v=19$m=4294967296,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNo",
            "$argon2id$v=19$m=65536,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFz aGhhc2hoYXNo",
            "$2y$10$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=65536,t=999,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNo",
        ])
    func hashes(hash: String) {
        let report = file("{users: {a: {password_hash: \"\(hash)\"}}}").report
        #expect(report.diagnostics.map(\.code) == [.invalidValue])
        for text in [report.text(), report.json()] where hash.count > 3 { #expect(!text.contains(hash)) }
    }
}
