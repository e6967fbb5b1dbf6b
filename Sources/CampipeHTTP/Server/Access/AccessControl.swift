import CampipeKit

/// Finds out who asks, and whether he may. On the server's thread only; passwords are checked on a thread of their own,
/// one at a time, since each takes tens of milliseconds and 64 MiB.
///
/// A browser that gave the right password for a page gets a session, so that pictures and streams cost no more checks;
/// so does a password that was right a moment ago. Everything kept is bounded.
final class AccessControl: @unchecked Sendable {
    // Unchecked: what changes is touched only on the server's thread, to which a checked password comes back.

    enum Verdict {
        /// Go on; `headers` belong into the answer.
        case pass(Visitor, HTTPHeaders)
        case refuse(HTTPResponse)
        /// A password is being checked; `resume` will be called, and then judged again.
        case wait
    }

    private static let sessionLifetime = Duration.seconds(12 * 3600)
    private static let passwordLifetime = Duration.seconds(600)
    /// Passwords that wait to be checked, at most.
    private static let maximumChecks = 32

    private let accounts: [String: Account]
    /// Checked for a name that there is not, so that the time tells nothing.
    private let anyHash: Secret
    private let loop: EventLoop
    private let worker: EventLoop
    private let clock: any PipelineClock
    private let log: Log
    private let key: [UInt8]
    /// A program that asks for pages by its password, and keeps no cookie, begins one at each: it takes its own account's.
    private var sessions = SessionTable(capacity: 1024, mostEach: 64, lifetime: sessionLifetime)
    private var passwords = SessionTable(capacity: 256, lifetime: passwordLifetime)
    /// What was wrong a moment ago: a program that goes on with an old password tells nobody more about the right one, so it
    /// takes no try from who shares its address.
    private var wrong = SessionTable(capacity: 256, lifetime: passwordLifetime)
    private var guesses = GuessLimiter()
    /// Who waits for the check of a password.
    private var checks: [SecretDigest: [@Sendable (Bool) -> Void]] = [:]

    /// - Throws: `.exhausted` without threads, `.failed` without random numbers.
    init?(
        _ accounts: [Account], loop: EventLoop, clock: any PipelineClock, log: Log
    ) throws(CampipeError) {
        guard let first = accounts.first else { return nil }
        self.accounts = Dictionary(accounts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        anyHash = first.passwordHash
        key = try RandomSecret.bytes(32)
        worker = try EventLoop(name: "http-passwords")
        self.loop = loop
        self.clock = clock
        self.log = log
    }

    /// Ends the thread that checks passwords. Not on the server's thread.
    func stop() { worker.stop() }

    /// - Parameter resume: Called on the server's thread when the verdict is to wait, with whether the password was
    ///   right.
    func judge(
        _ request: HTTPRequest, _ access: RouteAccess, _ socket: ClientSocket,
        resume: @escaping @Sendable (Bool) -> Void
    ) -> Verdict {
        let now = clock.now
        let cookie = "campipe-\(socket.port)"
        let credentials = Credentials(request.headers, cookie: cookie)
        if let token = credentials.token, let account = sessions.account(digest(token), now: now).flatMap(account) {
            return verdict(.user(account), access, request)
        }
        let access = access.resolved(request)
        if Visitor.nobody.may(access, request) {
            if case .personal = access, credentials.basic != nil {} else { return .pass(.nobody, [:]) }
        }
        guard socket.isEncrypted || socket.isLocal else {
            return .refuse(.text(403, "signing in takes https; over plain http everybody could read the password"))
        }
        guard let (name, password) = credentials.basic else { return .refuse(Self.challenge) }
        let digest = digest("\(name)\0\(password)")
        if let account = passwords.account(digest, now: now).flatMap(account) {
            let verdict = verdict(.user(account), access, request)
            guard case .pass(let visitor, _) = verdict, Self.isPage(request) else { return verdict }
            return .pass(visitor, newSession(account, cookie, isSecure: socket.isEncrypted, now: now))
        }
        if wrong.account(digest, now: now) != nil { return .refuse(Self.challenge) }
        return check(name, password, digest, peer: socket.peer, now: now, resume)
    }

    /// The answer to who has to sign in, or signed in wrongly.
    static let challenge = HTTPResponse.text(
        401, "sign in to see this",
        headers: ["WWW-Authenticate": "Basic realm=\"campipe\", charset=\"UTF-8\"", "Cache-Control": "no-store"])

    private func account(_ name: String) -> Account? { accounts[name] }

    private func digest(_ secret: String) -> SecretDigest { SecretDigest(secret, key: key) }

    private func verdict(_ visitor: Visitor, _ access: RouteAccess, _ request: HTTPRequest) -> Verdict {
        if visitor.may(access, request) { return .pass(visitor, [:]) }
        return .refuse(.text(403, "this account may not see this"))
    }

    /// Whether a browser asks for a page, and so will keep a cookie.
    private static func isPage(_ request: HTTPRequest) -> Bool {
        request.headers["Accept"]?.contains("text/html") ?? false
    }

    private func newSession(_ account: Account, _ cookie: String, isSecure: Bool, now: Instant) -> HTTPHeaders {
        guard let token = try? RandomSecret.text(32) else { return [:] }
        sessions.add(digest(token), account: account.name, now: now)
        return ["Set-Cookie": "\(cookie)=\(token); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"]
    }

    private func check(
        _ name: String, _ password: String, _ digest: SecretDigest, peer: String, now: Instant,
        _ resume: @escaping @Sendable (Bool) -> Void
    ) -> Verdict {
        if checks[digest] != nil {
            checks[digest]?.append(resume)
            return .wait
        }
        guard checks.count < Self.maximumChecks else {
            return .refuse(.text(503, "too many are signing in", headers: ["Retry-After": "2"]))
        }
        if let wait = guesses.take(peer, now: now) {
            let seconds = String(max(1, Int(wait.seconds.rounded(.up))))
            return .refuse(.text(429, "too many wrong passwords", headers: ["Retry-After": seconds]))
        }
        checks[digest] = [resume]
        let account = accounts[name]
        let hash = (account?.passwordHash ?? anyHash).revealed
        worker.execute { [self] in
            let isRight = PasswordHash.verify(password, against: hash) && account != nil
            loop.execute { self.checked(digest, isRight ? account?.name : nil, peer: peer) }
        }
        return .wait
    }

    private func checked(_ digest: SecretDigest, _ name: String?, peer: String) {
        let now = clock.now
        if let name {
            guesses.giveBack(peer, now: now)
            passwords.add(digest, account: name, now: now)
        } else {
            wrong.add(digest, account: peer, now: now)
            log.warning("somebody gave a wrong name or password", ["address": peer])
        }
        for resume in checks.removeValue(forKey: digest) ?? [] { resume(name != nil) }
    }
}
