import CampipeKit
import Foundation
import Testing

@testable import CampipeHTTP

/// Proxies, addresses of the sixth version, and answers that say when to come again.
@Suite struct CameraNetworkTests {
    private let own: OwnFetcher
    private var fetcher: HTTPFetcher { own.fetcher }

    init() throws {
        own = try OwnFetcher()
    }

    @Test("A proxy is asked for the whole URL, with its own password, and is not shown the camera's in clear words")
    func proxy() throws {
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let proxy = try ReplayServer { _ in .init(bytes: bytes) }
        defer { proxy.stop() }
        let gathered = try gather("http://camera.invalid/video", fetcher: fetcher) {
            $0.proxy = "http://me:S3cret@127.0.0.1:\(proxy.port)"
        }
        #expect(gathered.pictures.count == 4)
        let request = try #require(proxy.requests.first)
        #expect(request.target == "http://camera.invalid/video")
        #expect(request.headers["proxy-authorization"] == "Basic " + Data("me:S3cret".utf8).base64EncodedString())
    }

    @Test("A proxy that refuses, asks for a password, or has no address is named as the cause, without its password")
    func proxyFails() throws {
        let asks = try ReplayServer { _ in
            .init(bytes: Array("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        defer { asks.stop() }
        let gone = try ReplayServer { _ in .init(bytes: []) }
        gone.stop()
        for (address, kind, text) in [
            ("127.0.0.1:\(asks.port)", CampipeError.Kind.unauthorized, "so says the proxy"),
            ("127.0.0.1:\(gone.port)", .unavailable, "the connection to the proxy is refused"),
            ("no-such-proxy.invalid:3128", .unavailable, "the proxy's name has no address"),
        ] {
            let error = try gather("http://camera.invalid/video", fetcher: fetcher) {
                $0.proxy = "http://me:S3cret@\(address)"
            }.error
            #expect(error?.kind == kind)
            #expect(error?.message.contains(text) == true, "\(error.map { "\($0)" } ?? "")")
            #expect(error.map { !"\($0)".contains("S3cret") } == true)
        }
    }

    @Test("An address of the sixth version is reached", .enabled(if: hasIPv6))
    func ipv6() throws {
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let server = try ReplayServer(isIPv6: true) { _ in .init(bytes: bytes) }
        defer { server.stop() }
        #expect(try gather("http://u:p@[::1]:\(server.port)/video", fetcher: fetcher).pictures.count == 4)
        #expect(server.requests.first?.headers["host"] == "[::1]:\(server.port)")
    }

    @Test(
        "A link-local address is reached by its zone, spelled as RFC 6874 or as people do; the zone is not sent",
        .enabled(if: LinkLocal.first != nil), arguments: ["%25", "%"])
    func zone(sign: String) throws {
        let own = try #require(LinkLocal.first)
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let server = try ReplayServer(isIPv6: true, zone: own) { _ in .init(bytes: bytes) }
        defer { server.stop() }
        let url = "http://u:p@[\(own.text)\(sign)\(own.interface)]:\(server.port)/video"
        let gathered = try gather(url, fetcher: fetcher)
        #expect(gathered.pictures.count == 4, "\(gathered.error.map { "\($0)" } ?? "")")
        #expect(server.requests.first?.headers["host"] == "[\(own.text)]:\(server.port)")
    }

    @Test("A zone that there is none of is a failure that says so")
    func noZone() throws {
        let error = try gather("http://[fe80::1%25none0]/video", fetcher: fetcher).error
        #expect(
            error?.message.contains("cannot open http://[fe80::1%25none0]/video") == true,
            "\(error.map { "\($0)" } ?? "")")
    }

    private static var hasIPv6: Bool {
        guard let server = try? ReplayServer(isIPv6: true, { _ in .init(bytes: []) }) else { return false }
        server.stop()
        return true
    }

    @Test(
        "Retry-After comes with the error: seconds, a date, bounded by an hour",
        arguments: [("120", 120...120), ("999999", 3600...3600), ("0", nil), ("soon", nil), ("DATE", 80...100)]
            as [(String, ClosedRange<Double>?)])
    func retryAfter(value: String, seconds: ClosedRange<Double>?) throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let value = value == "DATE" ? format.string(from: Date(timeIntervalSinceNow: 100)) : value
        let server = try ReplayServer { _ in
            .init(
                bytes: Array(
                    "HTTP/1.1 503 Busy\r\nRetry-After: \(value)\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        defer { server.stop() }
        let error = try gather("http://127.0.0.1:\(server.port)/", fetcher: fetcher).error
        #expect(error?.kind == .unavailable)
        guard let seconds else {
            #expect(error?.retryAfter == nil)
            return
        }
        #expect(
            error?.retryAfter.map { seconds.contains($0.seconds) } == true, "\(String(describing: error?.retryAfter))")
    }

    @Test("A name that cannot be looked up holds up no other camera")
    func lookUp() throws {
        let bytes = try #require(Case.named("mp-plain")).bytes()
        let server = try ReplayServer { _ in .init(bytes: bytes) }
        defer { server.stop() }
        let lost = try (0..<20).map {
            try CameraReader("http://no-such-camera-\($0).invalid/", fetcher: fetcher)
        }
        #expect(try gather("http://127.0.0.1:\(server.port)/", fetcher: fetcher).pictures.count == 4)
        for reader in lost { reader.leave() }
        #expect(try gather("http://127.0.0.1:\(server.port)/2", fetcher: fetcher).pictures.count == 4)
    }
}
