import CampipeKit
import Testing

@testable import CampipeHTTP

@Suite("Who asks, as values")
struct AccessValueTests {
    private let key = [UInt8](repeating: 7, count: 32)

    @Test("a session ends after its time, and the table keeps the youngest")
    func sessions() {
        var table = SessionTable(capacity: 3, lifetime: .seconds(10))
        for number in 0..<5 {
            table.add(SecretDigest("\(number)", key: key), account: "a\(number)", now: .zero + .seconds(number))
        }
        #expect(table.count == 3)
        #expect(table.account(SecretDigest("1", key: key), now: .zero + .seconds(5)) == nil)
        #expect(table.account(SecretDigest("2", key: key), now: .zero + .seconds(5)) == "a2")
        #expect(table.account(SecretDigest("2", key: key), now: .zero + .seconds(12)) == nil)
        #expect(table.account(SecretDigest("4", key: key), now: .zero + .seconds(13)) == "a4")
    }

    @Test("an account that begins session after session pushes out its own alone")
    func own() {
        var table = SessionTable(capacity: 8, mostEach: 3, lifetime: .seconds(100))
        table.add(SecretDigest("anna", key: key), account: "anna", now: .zero)
        for number in 0..<50 {
            table.add(SecretDigest("\(number)", key: key), account: "robot", now: .zero + .seconds(number))
        }
        #expect(table.count == 4)
        #expect(table.account(SecretDigest("anna", key: key), now: .zero + .seconds(50)) == "anna")
        #expect(table.account(SecretDigest("47", key: key), now: .zero + .seconds(50)) == "robot")
        #expect(table.account(SecretDigest("46", key: key), now: .zero + .seconds(50)) == nil)
    }

    @Test("a digest tells secrets and keys apart, and holds neither")
    func digest() {
        #expect(SecretDigest("a", key: key) == SecretDigest("a", key: key))
        #expect(SecretDigest("a", key: key) != SecretDigest("b", key: key))
        #expect(SecretDigest("a", key: key) != SecretDigest("a", key: [UInt8](repeating: 8, count: 32)))
        #expect(!"\(SecretDigest("hunter22", key: key))".contains("hunter22"))
    }

    @Test("an address has ten tries, one comes back every ten seconds, and a right one costs none")
    func guesses() {
        var limiter = GuessLimiter()
        let start = Instant.zero + .seconds(1000)
        for _ in 0..<10 { #expect(limiter.take("10.0.0.1", now: start) == nil) }
        #expect(limiter.take("10.0.0.1", now: start) == .seconds(10))
        #expect(limiter.take("10.0.0.1", now: start + .seconds(9)) == .seconds(1))
        #expect(limiter.take("10.0.0.2", now: start) == nil)
        #expect(limiter.take("10.0.0.1", now: start + .seconds(10)) == nil)
        #expect(limiter.take("10.0.0.1", now: start + .seconds(10)) != nil)
        limiter.giveBack("10.0.0.1", now: start + .seconds(10))
        #expect(limiter.take("10.0.0.1", now: start + .seconds(10)) == nil)
    }

    @Test("of IPv6 a house counts as one; the table is bounded")
    func addresses() {
        #expect(GuessLimiter.key("2001:db8:1:2:3:4:5:6") == GuessLimiter.key("2001:db8:1:2::9"))
        #expect(GuessLimiter.key("2001:db8:1:2::9") != GuessLimiter.key("2001:db8:1:3::9"))
        #expect(GuessLimiter.key("fe80::1%eth0") == GuessLimiter.key("fe80::2"))
        #expect(GuessLimiter.key("::ffff:10.0.0.1") == "10.0.0.1")
        var limiter = GuessLimiter(capacity: 100)
        for number in 0..<1000 { _ = limiter.take("10.0.\(number / 250).\(number % 250)", now: .zero) }
        #expect(limiter.count == 100)
    }

    @Test(
        "Basic credentials are read as RFC 7617 says, and nothing else is",
        arguments: [
            ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"),
            ("basic dGVzdDoxMjPCow==", "test", "123£"),
            ("Basic   YTpiOmM=", "a", "b:c"), ("Basic Og==", "", ""), ("Basic YTpi", "a", "b"),
            ("Basic YTpiYw", "a", "bc"), ("Bearer YTpi", nil, nil), ("Basic", nil, nil), ("Basic YQ==", nil, nil),
            ("Basic a%b", nil, nil), ("Basic YTp=i", nil, nil), ("Basic Y", nil, nil), ("Basic YTr/", nil, nil),
        ] as [(String, String?, String?)])
    func basic(field: String, name: String?, password: String?) {
        let credentials = Credentials(["Authorization": field], cookie: "c")
        #expect(credentials.basic?.name == name && credentials.basic?.password == password)
    }

    @Test(
        "the session's cookie is found among others",
        arguments: [
            ("campipe-1=abc", "abc"), ("a=b; campipe-1=abc; c=d", "abc"), ("campipe-10=x;campipe-1=abc", "abc"),
            ("xcampipe-1=abc", nil), ("campipe-1", nil), ("campipe-1=", nil),
        ] as [(String, String?)])
    func cookie(field: String, token: String?) {
        #expect(Credentials(["Cookie": field], cookie: "campipe-1").token == token)
    }

    @Test(
        "names that point elsewhere are refused, addresses and this machine's own names are not",
        arguments: [
            (nil, true), ("", true), ("localhost", true), ("LOCALHOST:8080", true), ("a.localhost", true),
            ("127.0.0.1:8080", true), ("[::1]:8080", true), ("192.168.1.5", true), ("nas", true),
            ("Nas.local:80", true),
            ("localhost.", true), ("evil.example", false), ("127.0.0.1.evil.example", false), ("1.2.3", false),
            ("1.2.3.999", false), ("localhost.evil.example:8080", false),
        ] as [(String?, Bool)])
    func hosts(host: String?, isAccepted: Bool) {
        #expect(HostCheck(["nas", "nas.local"]).accepts(host) == isAccepted)
    }

    @Test(
        "a viewer sees the paths that he was given with what is below them, an admin all",
        arguments: [
            (nil, "/front", true), (["/front"], "/front", true), (["/front"], "/frontdoor", false),
            (["/yard"], "/yard/gate", true), (["/yard/gate"], "/yard", false), ([], "/front", false),
            (["/"], "/front", true),
        ] as [([String]?, String, Bool)])
    func paths(paths: [String]?, path: String, isSeen: Bool) {
        let request = HTTPRequest(method: "GET", path: path)
        var account = Account(name: "a", passwordHash: Secret("x"), role: .viewer, paths: paths)
        #expect(Visitor.user(account).may(.viewer(of: path), request) == isSeen)
        #expect(!Visitor.user(account).may(.admin, request))
        account.role = .admin
        #expect(Visitor.user(account).may(.viewer(of: path), request))
        #expect(Visitor.user(account).may(.each { _ in .admin }, request))
    }

    @Test("a password's hash is argon2id's, salted, and verifies that password only")
    func hash() throws {
        let hash = try PasswordHash.make("hunter22")
        #expect(hash.hasPrefix("$argon2id$v=19$m=65536,t=2,p=1$"))
        #expect(try PasswordHash.make("hunter22") != hash)
        #expect(PasswordHash.verify("hunter22", against: hash))
        #expect(!PasswordHash.verify("hunter23", against: hash))
        #expect(!PasswordHash.verify("hunter22", against: "$argon2id$v=19$m=65536"))
    }
}
