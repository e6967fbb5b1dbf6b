import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

@Suite("https")
struct TLSTests {
    private let pair: TLSPair

    init() throws { pair = try TLSPair() }

    /// A server with https beside its plain port, and what it has logged.
    private final class Site {
        let test: TestServer
        let port: UInt16
        let logged = Lock([String]())

        init(_ pair: TLSPair, _ change: (inout HTTPServer.Options) -> Void = { _ in }) throws {
            let logged = logged
            test = try TestServer(log: Log { entry in logged.withLock { $0.append("\(entry)") } }, change)
            port = try test.server.listen(on: ListenAddress("127.0.0.1:0"), tls: pair.files).port
        }

        func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }
    }

    @Test("a large body, a stream and a HEAD arrive byte for byte over TLS 1.2 and 1.3", arguments: ["1.2", "1.3"])
    func bodies(version: String) throws {
        let site = try Site(pair)
        let body = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try site.test.server.register("/large", access: .open) { _, _ in
            .complete(HTTPResponse(200, body: Bytes(body)))
        }
        let limits = ["--tlsv\(version)", "--tls-max", version]
        let large = try pair.curl(limits + [site.url("/large")])
        #expect(large.code == 0 && large.output == Data(body))
        let head = try pair.text(limits + ["-I", site.url("/large")])
        #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("Content-Length: 3000001"))
        let two = try pair.text(limits + [site.url("/snapshot"), site.url("/snapshot"), "-w", "%{num_connects} "])
        #expect(two.contains("1 ") && two.contains("0 "), "the connection is kept: \(two)")
    }

    @Test("viewers over TLS and over plain TCP get the same pictures of one stream, each whole")
    func stream() throws {
        let site = try Site(pair)
        let plain = try site.test.viewer()
        let (pair, url, file) = (pair, site.url("/stream"), pair.path("stream"))
        Thread { _ = try? pair.curl(["-N", "-o", file, url]) }.start()
        func seen() -> [UInt8] { (try? Data(contentsOf: URL(filePath: file))).map(Array.init) ?? [] }
        let picture = [UInt8](repeating: 0x5A, count: 200_000)
        #expect(
            eventually {
                site.test.feed.publish(Bytes(picture), time: site.test.clock.wallTime)
                return seen().count > 3 * picture.count
            })
        #expect(try plain.readPart() == picture)
        let parts = seen().split(separator: Array("--campipe-frame\r\n".utf8))
        for part in parts.prefix(3) {
            #expect(part.count(where: { $0 == 0x5A }) == picture.count && part.suffix(2) == [13, 10])
        }
        site.test.feed.close()
    }

    @Test("TLS 1.1 is refused, and a certificate that is not trusted is noticed")
    func refused() throws {
        let site = try Site(pair)
        #expect(try pair.curl(["--tlsv1.0", "--tls-max", "1.1", site.url("/snapshot")]).code == 35)
        try pair.renew(certificate: "other.pem", key: "other-key.pem")
        #expect(try pair.curl([site.url("/snapshot")], trusting: "other.pem").code == 60)
    }

    @Test("plain http on the port of https is sent to https, and no password is looked at")
    func plain() throws {
        let site = try Site(pair) { $0.accounts = TestAccounts.all }
        let client = try TestClient(port: site.port)
        client.send(
            "GET /a%20b/x?path=/front&key=a%26b HTTP/1.1\r\nHost: cam.local:8443\r\n\(TestAccounts.basic("root"))\r\n")
        let answer = try client.readAnswer()
        #expect(
            answer.status == 301 && answer.field("Location") == "https://cam.local:8443/a%20b/x?path=/front&key=a%26b")
        #expect(client.readToEnd().isEmpty)
    }

    @Test("a session's cookie over TLS never goes over plain http")
    func cookie() throws {
        let site = try Site(pair) { $0.accounts = TestAccounts.all }
        try site.test.server.register("/front", access: .viewer(of: "/front")) { _, _ in .complete(.page("a")) }
        let head = try pair.text([
            "-D", "-", "-o", "/dev/null", "-u", "anna:anna", "-H", "Accept: text/html", site.url("/front"),
        ])
        #expect(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        #expect(head.contains("; Path=/; HttpOnly; SameSite=Strict; Secure\r\n"), "\(head)")
        let jar = pair.path("jar")
        _ = try pair.curl(["-c", jar, "-u", "anna:anna", "-H", "Accept: text/html", site.url("/front")])
        #expect(try pair.text(["-b", jar, "-o", "/dev/null", "-w", "%{http_code}", site.url("/front")]) == "200")
    }

    @Test("a new pair is in force for who comes next; a bad one leaves the old one in force, and is said once")
    func reload() throws {
        let site = try Site(pair)
        func isServed(_ certificate: String) throws -> Bool {
            site.test.clock.advance(by: TLSIdentity.interval)
            return try pair.curl([site.url("/snapshot")], trusting: certificate).code == 0
        }
        let old = try Data(contentsOf: pair.folder.appending(path: "cert.pem"))
        try old.write(to: pair.folder.appending(path: "old.pem"))
        #expect(try isServed("old.pem"))
        // The certificate comes first and the key a while later, as tools write them.
        try pair.renew(key: "new-key.pem")
        #expect(try isServed("old.pem") && isServed("old.pem"))
        let refusals = site.logged.withLock { $0.filter { $0.contains("the old one stays in force") } }
        #expect(refusals.count == 1 && refusals.first?.contains("does not belong to the certificate") == true)
        try Data(contentsOf: pair.folder.appending(path: "new-key.pem")).write(
            to: pair.folder.appending(path: "key.pem"))
        #expect(try isServed("cert.pem"))
        #expect(try !isServed("old.pem"))
        try Data("nonsense".utf8).write(to: pair.folder.appending(path: "cert.pem"))
        #expect(try !isServed("old.pem"))
    }

    @Test("a client that stops in the handshake is closed in the time of a request, and no other waits for it")
    func stalled() throws {
        let site = try Site(pair)
        let stuck = try TestClient(port: site.port)
        stuck.send([22, 3, 1, 2, 0, 1])
        let silent = try TestClient(port: site.port)
        let junk = try TestClient(port: site.port)
        junk.send([UInt8](repeating: 22, count: 1000))
        #expect(try pair.curl([site.url("/snapshot")]).code == 0)
        _ = junk.readToEnd()
        #expect(eventually { site.test.server.counters.connections == 2 })
        for _ in 0..<12 { site.test.clock.advance(by: .seconds(1)) }
        #expect(stuck.readToEnd().isEmpty)
        #expect(silent.readToEnd().isEmpty)
        #expect(eventually { site.test.server.counters.connections == 0 })
    }

    @Test("files that cannot be used are refused by name, and no passphrase is asked for")
    func files() throws {
        func message(_ files: TLSFiles) -> String {
            do throws(CampipeError) {
                _ = try TLSContext(files)
                return "fine"
            } catch {
                return error.message
            }
        }
        var files = pair.files
        #expect(message(files) == "fine")
        files.key = pair.path("none.pem")
        #expect(message(files) == "cannot read the key \(files.key): No such file or directory")
        files.key = pair.path("locked.pem")
        try Data(Self.locked.utf8).write(to: pair.folder.appending(path: "locked.pem"))
        #expect(message(files).hasPrefix("cannot use the key in \(files.key): "))
        files.key = files.certificate
        #expect(message(files).hasPrefix("cannot use the key in \(files.key): "))
        try pair.renew(certificate: "other.pem", key: "other-key.pem")
        files.key = pair.path("other-key.pem")
        #expect(message(files).contains("does not belong to the certificate"))
        files.certificate = pair.path("other-key.pem")
        #expect(message(files).hasPrefix("cannot use the certificate in "))
    }

    @Test(
        "a certificate that is out of date, or will be soon, is said aloud",
        arguments: [(800, "is out"), (725, "soon")])
    func expiry(days: Int, words: String) throws {
        let clock = SystemClock()
        let made = try SelfSignedCertificate.make(
            names: ["localhost"], time: clock.wallTime + .seconds(-86_400 * days))
        try Data(made.certificate).write(to: pair.folder.appending(path: "cert.pem"))
        try Data(made.key).write(to: pair.folder.appending(path: "key.pem"))
        let logged = Lock([String]())
        _ = try TLSIdentity(pair.files, clock: clock, log: Log { entry in logged.withLock { $0.append("\(entry)") } })
        #expect(logged.withLock { $0.count } == 1 && logged.withLock { $0[0] }.contains(words))
    }

    /// A key with a passphrase, which is `secret`.
    private static let locked = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAisysDZbLc2dgICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEOCiS2/wHwUgbrwfAia11q4EgZCM
        5lK6vDNOYST+3ys+FtRd4tKr/Z+hk8UIHyX8XmEKzNaxpsgyj+7JNYVLyMddG+Tg
        bn8i9g7bjUaBB+R0UlGbbo35sWImJOB1U8ECPJXLTJu2We3FgYOFID9wuo/Hww/L
        NsYkzXgv/U/XqJEayLfL09jVpGRN5x7gw28U+jKRaAR5mB991d4I9Uh5GAryHXE=
        -----END ENCRYPTED PRIVATE KEY-----

        """
}
