import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("A server with accounts")
struct AccessControlTests {
    /// Routes of every level.
    private static func site(_ change: (inout HTTPServer.Options) -> Void = { _ in }) throws -> TestServer {
        let test = try TestServer {
            $0.accounts = TestAccounts.all
            change(&$0)
        }
        let levels: [(String, RouteAccess)] = [
            ("/healthz", .open), ("/", .signedIn), ("/list", .personal), ("/front", .viewer(of: "/front")),
            ("/metrics", .admin), ("/each", .each { $0.query("all") == nil ? .admin : .open }),
        ]
        for (path, access) in levels {
            try test.server.register(path, access: access, coversBelow: path == "/front") { request, _ in
                let name: String
                switch request.visitor {
                case .anyone: name = "anyone"
                case .nobody: name = "nobody"
                case .user(let account): name = account.name
                }
                return request.query("page") == nil ? .complete(.text(200, name)) : .complete(.page(name))
            }
        }
        return test
    }

    private static func get(
        _ test: TestServer, _ target: String, _ fields: String = "", method: String = "GET"
    ) throws -> TestClient.Answer {
        let client = try test.client()
        client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
        return try client.readAnswer(hasBody: method != "HEAD")
    }

    @Test("each route answers each as its level says; what there is not is for admins to know")
    func levels() throws {
        let test = try Self.site()
        // Nobody, a viewer of /front, a viewer of /yard, an admin.
        let expected: [(String, [Int])] = [
            ("/healthz", [200, 200, 200, 200]), ("/", [401, 200, 200, 200]), ("/list", [200, 200, 200, 200]),
            ("/front", [401, 200, 403, 200]), ("/front/stream", [401, 200, 403, 200]),
            ("/metrics", [401, 403, 403, 200]), ("/each", [401, 403, 403, 200]), ("/each?all", [200, 200, 200, 200]),
            ("/none", [401, 403, 403, 404]), ("/front%2f..%2fmetrics", [401, 200, 403, 200]),
            ("//metrics", [401, 403, 403, 404]), ("/metrics/", [401, 403, 403, 404]),
        ]
        for (target, statuses) in expected {
            for (name, status) in zip(["", "anna", "otto", "root"], statuses) {
                let answer = try Self.get(test, target, name.isEmpty ? "" : TestAccounts.basic(name))
                #expect(answer.status == status, "\(target) for \(name)")
                #expect((answer.field("WWW-Authenticate") != nil) == (status == 401), "\(target) for \(name)")
            }
        }
        #expect(try Self.get(test, "/list").body == Array("nobody\n".utf8))
        #expect(try Self.get(test, "/list", TestAccounts.basic("anna")).body == Array("anna\n".utf8))
        #expect(try Self.get(test, "/list", TestAccounts.basic("anna", "wrong")).status == 401)
    }

    @Test("without accounts everybody may see everything")
    func none() throws {
        let test = try Self.site { $0.accounts = [] }
        for target in ["/", "/front", "/metrics", "/each"] {
            #expect(try Self.get(test, target).body == Array("anyone\n".utf8))
        }
        #expect(try Self.get(test, "/none").status == 404)
    }

    @Test(
        "a wrong password, an unknown name and a malformed field are all the same 401",
        arguments: [
            TestAccounts.basic("anna", "wrong"), TestAccounts.basic("anna", ""), TestAccounts.basic("nemo", "anna"),
            "Authorization: Basic ???\r\n", "Authorization: Bearer YTpi\r\n", "Cookie: campipe-1=abc\r\n",
        ])
    func wrong(fields: String) throws {
        let answer = try Self.get(Self.site(), "/front", fields)
        #expect(answer.status == 401 && answer.field("Set-Cookie") == nil)
        #expect(answer.field("WWW-Authenticate") == "Basic realm=\"campipe\", charset=\"UTF-8\"")
    }

    @Test("a page gives the browser a session, with which pictures and streams need no password until it ends")
    func session() throws {
        let test = try Self.site()
        let page = try Self.get(
            test, "/front?page", TestAccounts.basic("anna") + "Accept: text/html,application/xhtml+xml\r\n")
        let field = try #require(page.field("Set-Cookie"))
        let cookie = try #require(field.split(separator: ";").first)
        #expect(field.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        let token = try #require(cookie.split(separator: "=").last)
        #expect(token.count == 64 && cookie.hasPrefix("campipe-\(test.port)="))
        let carried = "Cookie: other=1; \(cookie)\r\n"
        #expect(try Self.get(test, "/front/stream", carried).body == Array("anna\n".utf8))
        #expect(try Self.get(test, "/metrics", carried).status == 403)
        #expect(try Self.get(test, "/front", "Cookie: \(cookie)0\r\n").status == 401)
        // It holds for an address that has no tries left, too.
        for _ in 0..<11 { _ = try Self.get(test, "/front", TestAccounts.basic("anna", "no")) }
        #expect(try Self.get(test, "/front", carried).status == 200)
        test.clock.advance(by: .seconds(12 * 3600 + 1))
        #expect(try Self.get(test, "/front", carried).status == 401)
    }

    @Test("what is no page gives no session: programs keep no cookies")
    func noSession() throws {
        let answer = try Self.get(Self.site(), "/front", TestAccounts.basic("anna") + "Accept: */*\r\n")
        #expect(answer.status == 200 && answer.field("Set-Cookie") == nil)
    }

    @Test("wrong guesses are slowed down by address; a password that was right a moment ago still is")
    func guesses() throws {
        let test = try Self.site()
        #expect(try Self.get(test, "/front", TestAccounts.basic("anna")).status == 200)
        for number in 0..<10 {
            #expect(try Self.get(test, "/front", TestAccounts.basic("otto", "guess\(number)")).status == 401)
        }
        let refused = try Self.get(test, "/front", TestAccounts.basic("root"))
        #expect(refused.status == 429 && refused.field("Retry-After") == "10")
        #expect(try Self.get(test, "/front", TestAccounts.basic("anna")).status == 200)
        test.clock.advance(by: .seconds(10))
        #expect(try Self.get(test, "/front", TestAccounts.basic("root")).status == 200)
        // It cost no try.
        #expect(try Self.get(test, "/metrics", TestAccounts.basic("otto")).status == 403)
    }

    @Test("a program that goes on with an old password locks out nobody at its address, and is still refused")
    func oldPassword() throws {
        let test = try Self.site()
        for _ in 0..<30 {
            #expect(try Self.get(test, "/front", TestAccounts.basic("anna", "of last year")).status == 401)
        }
        #expect(try Self.get(test, "/front", TestAccounts.basic("anna")).status == 200)
        // It is forgotten after a while, and then takes one try.
        test.clock.advance(by: .seconds(601))
        #expect(try Self.get(test, "/front", TestAccounts.basic("anna", "of last year")).status == 401)
        #expect(try Self.get(test, "/front", TestAccounts.basic("anna")).status == 200)
    }

    @Test("requests behind one that waits for its password are answered in their order")
    func pipelined() throws {
        let test = try Self.site()
        let client = try test.client()
        client.send(
            "GET /front HTTP/1.1\r\nHost: x\r\n\(TestAccounts.basic("anna"))\r\n"
                + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                + "GET /metrics HTTP/1.1\r\nHost: x\r\n\(TestAccounts.basic("anna", "no"))\r\n"
                + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(TestAccounts.basic("root"))\r\n")
        #expect(try client.readAnswer().body == Array("anna\n".utf8))
        #expect(try client.readAnswer().body == Array("nobody\n".utf8))
        #expect(try client.readAnswer().status == 401)
        #expect(try client.readAnswer().body == Array("root\n".utf8))
    }

    @Test("a preflight needs no password and tells nothing; the answer itself needs one")
    func preflight() throws {
        let test = try Self.site { $0.cors = CORS(origins: ["https://home.example"]) }
        let origin = "Origin: https://home.example\r\n"
        for target in ["/front", "/none"] {
            let answer = try Self.get(
                test, target, origin + "Access-Control-Request-Method: GET\r\n", method: "OPTIONS")
            #expect(answer.status == 204 && answer.field("Allow") == "GET, HEAD, OPTIONS")
            #expect(answer.field("Access-Control-Allow-Origin") == "https://home.example")
            #expect(answer.field("Access-Control-Allow-Headers")?.contains("Authorization") == true)
        }
        #expect(try Self.get(test, "/front", origin).status == 401)
        let answer = try Self.get(test, "/front", origin + TestAccounts.basic("anna"))
        #expect(answer.status == 200 && answer.field("Access-Control-Allow-Origin") == "https://home.example")
        #expect(answer.field("Access-Control-Allow-Credentials") == nil)
        #expect(
            try Self.get(test, "/front", "Origin: https://evil.example\r\n" + TestAccounts.basic("anna"))
                .field("Access-Control-Allow-Origin") == nil)
    }

    @Test("over plain http no password is taken from another machine, right or wrong; what is open is open")
    func plain() throws {
        let clock = ManualClock()
        let loop = try EventLoop(name: "test")
        defer { loop.stop() }
        let control = try #require(try AccessControl(TestAccounts.all, loop: loop, clock: clock, log: .silent))
        defer { control.stop() }
        let far = ClientSocket(descriptor: -1, peer: "192.168.1.7", port: 80, session: nil, scratch: Scratch())
        let near = ClientSocket(descriptor: -1, peer: "::ffff:127.0.0.1", port: 80, session: nil, scratch: Scratch())
        let headers: HTTPHeaders = ["Authorization": "Basic " + TestAccounts.base64("anna:anna")]
        let request = HTTPRequest(method: "GET", path: "/front", headers: headers)
        func status(_ socket: ClientSocket, _ access: RouteAccess, _ request: HTTPRequest) -> Int {
            switch control.judge(request, access, socket, resume: { _ in }) {
            case .pass: 200
            case .refuse(let response): response.status
            case .wait: 102
            }
        }
        #expect(status(far, .viewer(of: "/front"), request) == 403)
        #expect(status(far, .viewer(of: "/front"), HTTPRequest(method: "GET", path: "/front")) == 403)
        #expect(status(far, .personal, request) == 403)
        #expect(status(far, .open, request) == 200)
        #expect(status(near, .viewer(of: "/front"), request) == 102)
    }

    @Test("passwords that wait to be checked are bounded in number, and one that waits is checked once for all")
    func bounded() throws {
        let clock = ManualClock()
        // A loop that never takes the results back: all checks stay under way.
        let loop = try EventLoop(name: "test")
        loop.stop()
        let control = try #require(try AccessControl([TestAccounts.anna], loop: loop, clock: clock, log: .silent))
        defer { control.stop() }
        func judge(_ password: String, peer: String) -> AccessControl.Verdict {
            let socket = ClientSocket(descriptor: -1, peer: peer, port: 80, session: nil, scratch: Scratch())
            let headers: HTTPHeaders = ["Authorization": "Basic " + TestAccounts.base64("anna:\(password)")]
            let request = HTTPRequest(method: "GET", path: "/front", headers: headers)
            return control.judge(request, .admin, socket) { _ in }
        }
        for number in 0..<32 {
            guard case .wait = judge("guess\(number)", peer: "127.0.0.\(number)") else {
                Issue.record("\(number) does not wait")
                return
            }
        }
        guard case .refuse(let response) = judge("more", peer: "127.0.1.1") else {
            Issue.record("there is no bound")
            return
        }
        #expect(response.status == 503)
        for _ in 0..<20 {
            guard case .wait = judge("guess0", peer: "127.0.0.0") else {
                Issue.record("the same password is checked again")
                return
            }
        }
    }
}

@Suite("What browsers are told")
struct PageSecurityTests {
    private func answer(
        host: String = "localhost", _ change: (inout HTTPServer.Options) -> Void = { _ in }
    ) throws -> TestClient.Answer {
        let test = try TestServer(change)
        try test.server.register("/page", access: .open) { _, _ in
            .complete(.page("<style>a{}</style><script>1</script>"))
        }
        let client = try test.client()
        client.send("GET /page HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try client.readAnswer()
    }

    @Test("a page runs its own scripts and styles only, is kept by no cache, and stands in no frame")
    func page() throws {
        let page = try answer()
        let policy = try #require(page.field("Content-Security-Policy"))
        let nonce = try #require(policy.split(separator: "script-src 'nonce-").last?.prefix { $0 != "'" })
        #expect(nonce.count == 32 && policy.contains("style-src 'nonce-\(nonce)'"))
        #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"))
        #expect(
            String(decoding: page.body, as: UTF8.self)
                == "<style nonce=\"\(nonce)\">a{}</style><script nonce=\"\(nonce)\">1</script>")
        #expect(page.head.contains("Content-Security-Policy: frame-ancestors 'none'\r\n"))
        #expect(page.field("X-Frame-Options") == "DENY" && page.field("Cache-Control") == "no-store")
        #expect(page.field("X-Content-Type-Options") == "nosniff" && page.field("Referrer-Policy") == "no-referrer")
        #expect(try answer().field("Content-Security-Policy") != policy)
    }

    @Test("frames are for the origins of the list")
    func frames() throws {
        let page = try answer { $0.frameAncestors = ["https://ha.example:8123"] }
        #expect(page.head.contains("Content-Security-Policy: frame-ancestors 'self' https://ha.example:8123\r\n"))
        #expect(page.field("X-Frame-Options") == nil)
    }

    @Test("a name that another site pointed at this machine is refused, with what to do")
    func rebinding() throws {
        let hosts: (inout HTTPServer.Options) -> Void = { $0.hosts = HostCheck(["nas"]) }
        #expect(try answer(host: "localhost", hosts).status == 200)
        #expect(try answer(host: "nas:8080", hosts).status == 200)
        let refused = try answer(host: "evil.example", hosts)
        #expect(refused.status == 403 && String(decoding: refused.body, as: UTF8.self).contains("`hosts`"))
        #expect(try answer(host: "evil.example").status == 200)
    }
}
