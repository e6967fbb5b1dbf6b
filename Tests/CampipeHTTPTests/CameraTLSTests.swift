import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

/// Cameras over https, whose certificates no public authority has signed.
@Suite struct CameraTLSTests {
    private let own: OwnFetcher
    private var fetcher: HTTPFetcher { own.fetcher }
    private let tls: TLSFixture

    init() throws {
        own = try OwnFetcher()
        tls = try TLSFixture()
    }

    private func answers() throws -> [String: [UInt8]] { ["cam": try #require(Case.named("mp-plain")).bytes()] }

    private func read(_ port: UInt16, _ change: (inout FetchRequest) -> Void) throws -> Gathered {
        try gather("https://127.0.0.1:\(port)/cam", username: "u", password: "S3cret", fetcher: fetcher, change)
    }

    @Test("A certificate that nobody known has signed is refused, and the fix says what to write")
    func unknown() throws {
        let gathered = try read(try tls.serve("own", try answers())) { _ in }
        #expect(gathered.error?.kind == .failed)
        #expect(
            gathered.error?.fix?.contains("`ca_file`") == true
                && gathered.error?.fix?.contains("`tls_fingerprint`") == true)
        #expect(gathered.pictures.isEmpty)
    }

    @Test("Its own authority's certificate opens it, and no other's")
    func authority() throws {
        let port = try tls.serve("signed", try answers())
        let good = try read(port) { $0.caFile = tls.path("ca.pem") }
        #expect(good.pictures.count == 4 && good.error == nil)
        let other = try read(port) { $0.caFile = tls.path("own.pem") }
        #expect(other.pictures.isEmpty && other.error?.kind == .failed)
        let none = try read(port) { $0.caFile = tls.path("no-such-file") }
        #expect(none.error?.kind == .configuration, "\(none.error.map { "\($0)" } ?? "")")
    }

    @Test("A certificate of another host is refused though its authority is trusted")
    func otherHost() throws {
        let port = try tls.serve("signed", try answers())
        let gathered = try gather("https://localhost:\(port)/cam", fetcher: fetcher) { $0.caFile = tls.path("ca.pem") }
        #expect(gathered.pictures.isEmpty && gathered.error?.kind == .failed)
    }

    @Test("Its fingerprint opens it, in any spelling, and needs no authority", arguments: ["own", "signed"])
    func fingerprint(name: String) throws {
        let port = try tls.serve(name, try answers())
        let hex = try tls.fingerprint("\(name).pem")
        let spellings = [
            hex, hex.lowercased(), hex.replacingOccurrences(of: ":", with: ""), try tls.publicKey("\(name).pem"),
        ]
        for spelling in spellings {
            let fingerprint = try #require(TLSFingerprint(spelling), "\(spelling)")
            let gathered = try read(port) { $0.fingerprint = fingerprint }
            #expect(gathered.pictures.count == 4, "\(spelling): \(gathered.error.map { "\($0)" } ?? "")")
        }
    }

    @Test("Another certificate than the one of the fingerprint gets neither the request nor the password")
    func otherFingerprint() throws {
        let port = try tls.serve("own", try answers())
        for spelling in [try tls.fingerprint("signed.pem"), try tls.publicKey("signed.pem")] {
            let gathered = try read(port) {
                $0.fingerprint = TLSFingerprint(spelling)
                $0.verifiesTLS = false  // changes nothing
            }
            #expect(gathered.pictures.isEmpty)
            #expect(gathered.error?.kind == .failed, "\(spelling)")
            #expect(gathered.error?.message.contains("tls_fingerprint") == true || gathered.error?.fix != nil)
        }
        let found = try tls.fingerprint("own.pem")
        let gathered = try read(port) { $0.fingerprint = .certificate([UInt8](repeating: 7, count: 32)) }
        #expect(gathered.error?.message.contains(found) == true, "\(gathered.error.map { "\($0)" } ?? "")")
    }

    @Test("A connection that was not checked is not used for a request that wants a fingerprint")
    func noBorrowing() throws {
        let port = try tls.serve("own", try answers())
        #expect(try read(port) { $0.verifiesTLS = false }.pictures.count == 4)
        let gathered = try read(port) { $0.fingerprint = .certificate([UInt8](repeating: 7, count: 32)) }
        #expect(gathered.pictures.isEmpty && gathered.error != nil)
        let key = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
        #expect(try read(port) { $0.fingerprint = TLSFingerprint(key) }.pictures.isEmpty)
    }

    @Test("`tls_verify: false` opens anything")
    func unchecked() throws {
        #expect(try read(try tls.serve("own", try answers())) { $0.verifiesTLS = false }.pictures.count == 4)
    }

    @Test("With a fingerprint a redirect away from https is not followed; without one it is, password left behind")
    func redirect() throws {
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let plain = try ReplayServer { _ in .init(bytes: bytes) }
        defer { plain.stop() }
        let location = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(plain.port)/x\r\nContent-Length: 0\r\n\r\n"
        let port = try tls.serve("own", ["cam": Array(location.utf8)])
        let fingerprint = TLSFingerprint(try tls.fingerprint("own.pem"))
        let pinned = try read(port) { $0.fingerprint = fingerprint }
        #expect(pinned.error?.kind == .unsupported)
        #expect(pinned.error?.message.contains("not https") == true)
        #expect(plain.requests.isEmpty)
        #expect(try read(port) { $0.verifiesTLS = false }.pictures.count == 4)
        #expect(plain.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test(
        "What is no fingerprint is none",
        arguments: [
            "", "ab", "sha256//", "sha256//AAAA", "sha256//" + String(repeating: "A", count: 44),
            "sha256//" + String(repeating: "=", count: 44), "sha256//" + String(repeating: "A", count: 42) + "*=",
            String(repeating: "zz", count: 32),
            String(repeating: "ab", count: 31),
            String(repeating: "ab", count: 33), String(repeating: "a:b", count: 32), "sha1//AAAA",
            ":" + String(repeating: "ab", count: 32), String(repeating: "ab", count: 32) + ":",
        ])
    func noFingerprint(text: String) { #expect(TLSFingerprint(text) == nil) }

    @Test("The hash of a certificate is the one that openssl prints; what is no certificate has none")
    func hashes() throws {
        for name in ["own", "signed", "ca"] {
            let pem = try String(contentsOfFile: tls.path("\(name).pem"), encoding: .utf8)
            let hash = try #require(TLSFingerprint.hash(ofPEM: pem))
            #expect(TLSFingerprint.text(hash) == (try tls.fingerprint("\(name).pem")))
            #expect(TLSFingerprint.hash(ofPEM: String(pem.prefix(200))) == nil)
        }
        #expect(TLSFingerprint.hash(ofPEM: "") == nil)
    }
}
