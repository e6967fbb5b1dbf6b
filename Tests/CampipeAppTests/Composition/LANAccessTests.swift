import CampipeHTTP
import CampipeKit
import Foundation
import Testing

@testable import CampipeApp
@testable import CampipeConfig

@Suite("run --lan")
struct LANAccessTests {
    private let temporary: TemporaryFolder
    private let time = SystemClock().wallTime

    init() throws { temporary = try TemporaryFolder() }

    private func access(
        _ server: ServerSettings = ServerSettings(), addresses: [String] = ["192.168.1.5"], mayTell: Bool = true
    ) throws -> LANAccess {
        try LANAccess(
            server, addresses: addresses, hostName: "nas.home", time: time, mayTell: mayTell, folder: folder())
    }

    private func folder() throws -> StateFolder {
        try StateFolder("lan", environment: ["XDG_STATE_HOME": temporary.url.path(percentEncoded: false)])
    }

    private func text(_ access: LANAccess, _ path: String) -> String? {
        access.overrides.first { $0.path == path }?.text
    }

    @Test("a password is made and told once; what is kept is its hash, for its owner alone")
    func password() throws {
        let first = try access()
        let password = try #require(first.password)
        #expect(password.utf8.count == 19 && password.split(separator: "-").count == 4)
        let second = try access()
        #expect(second.password == nil && second.hasOwnUser)
        #expect(text(first, "server.users.campipe.password_hash") == text(second, "server.users.campipe.password_hash"))
        #expect(text(first, "server.listen") == "\"0.0.0.0:8080\"")
        let folder = try folder()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["certificate.pem", "key.pem", "names", "password-hash"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            #expect(try !String(contentsOfFile: folder.file(name), encoding: .utf8).contains(password))
        }
        // What others may read is no secret any more.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.file("password-hash"))
        #expect(try access().password != nil)
    }

    @Test("where only a log of JSON would hold it, no password is made")
    func unheard() throws {
        #expect(throws: CampipeError.self) { try access(mayTell: false) }
        _ = try access()
        #expect(try access(mayTell: false).password == nil)
    }

    @Test("the certificate stays while it names all addresses, and is renewed with a new one")
    func certificate() throws {
        _ = try access()
        let file = try folder().file("certificate.pem")
        let first = try Data(contentsOf: URL(filePath: file))
        _ = try access()
        #expect(try Data(contentsOf: URL(filePath: file)) == first)
        _ = try access(addresses: ["192.168.1.5", "10.0.0.2"])
        #expect(try Data(contentsOf: URL(filePath: file)) != first)
        let files = TLSFiles(certificate: file, key: try folder().file("key.pem"))
        #expect(try #require(try TLSContext(files).expiry) - time > .seconds(700 * 86_400))
    }

    @Test("what the file has is taken from it")
    func given() throws {
        var server = ServerSettings(host: "127.0.0.1", port: 9000)
        server.tls = ServerSettings.TLS(certificate: "a", key: "b")
        server.users = [ServerSettings.User(name: "anna", passwordHash: Secret("x"), isAdmin: false)]
        #expect(try access(server).overrides.map(\.path) == ["server.listen"])
        #expect(try text(access(server), "server.listen") == "\"0.0.0.0:9000\"")
        server = ServerSettings(host: "192.168.1.5", isLoopback: false, allowsAnyone: true)
        #expect(try access(server).overrides.map(\.text) == ["\"192.168.1.5:8080\""])
    }

    @Test("the invitation says name, password and the phone's address, and the password only the first time")
    func invitation() throws {
        let address = ListenAddress(host: "0.0.0.0", port: 8080)
        let first = try access()
        let password = try #require(first.password)
        let said = Invitation(first, address: address, isSecure: true, machine: ["192.168.1.5"])
        #expect(said.link == "https://campipe:\(password)@192.168.1.5:8080/")
        #expect(said.text.hasPrefix("Sign in as campipe with the password \(password)\n"))
        #expect(said.code?.contains("\u{2588}") == true)
        let again = Invitation(try access(), address: address, isSecure: true, machine: ["192.168.1.5"])
        #expect(again.link == "https://192.168.1.5:8080/" && !again.text.contains(password))
        #expect(Invitation(first, address: address, isSecure: true, machine: []).link == nil)
    }

    @Test("without a home there is no place to keep a password, and it is said")
    func homeless() {
        #expect(throws: CampipeError.self) { try StateFolder("lan", environment: ["XDG_STATE_HOME": "relative"]) }
        #expect((try? StateFolder("lan", environment: ["HOME": "/h"]))?.path == "/h/.local/state/campipe/lan")
    }
}
