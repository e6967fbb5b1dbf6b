import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeMedia
@testable import CampipeNodes

@Suite("Where a stream is pushed to")
struct PublishAddressTests {
    @Test(
        "messages hold nothing secret, and libavformat is told all",
        arguments: [
            ("rtsp://u:p@cam:8554/a/b?key=x", "rtsp://cam:8554/a/b", "rtsp://u:p@cam:8554/a/b?key=x"),
            ("RTSP://Cam/a", "rtsp://Cam/a", "rtsp://Cam/a"),
            ("rtmp://host/live/s3cr3t?token=x", "rtmp://host/live/***", "rtmp://host/live/s3cr3t?token=x"),
            ("rtmps://u:p@[::1]:443/app/sub/key", "rtmps://[::1]:443/app/sub/***", "rtmps://u:p@[::1]:443/app/sub/key"),
            ("rtmp://host/key", "rtmp://host/***", "rtmp://host/key"),
            ("srt://host:8890?streamid=publish:a:u:p", "srt://host:8890", "srt://host:8890?streamid=publish:a:u:p"),
        ])
    func shown(_ url: String, _ shown: String, _ address: String) throws {
        let parsed = try PublishAddress(url)
        #expect(parsed.shown == shown)
        let target = try parsed.target(
            username: nil, password: nil, transport: .tcp, verifiesTLS: true, caFile: nil)
        #expect(target.shown == shown && target.address == address)
        #expect(!SecretText.hidden(url).contains("s3cr3t"))
    }

    @Test("a user of its own goes before the URL's; RTSP has it escaped, RTMP as it stands, SRT has a passphrase")
    func credentials() throws {
        func target(_ url: String, _ user: String?, _ password: String?) throws -> PublishTarget {
            try PublishAddress(url).target(
                username: user, password: password, transport: .udp, verifiesTLS: false, caFile: "/ca.pem")
        }
        #expect(try target("rtsp://a:b@h/x", "op", "p#ss:w@rd/").address == "rtsp://op:p%23ss%3Aw%40rd%2F@h/x")
        #expect(try target("rtsp://h/x", "o p", nil).address == "rtsp://o%20p@h/x")
        #expect(try target("rtsp://h/x", nil, nil).muxerOptions == ["rtsp_transport": "udp"])
        #expect(try target("rtmps://h/x/y", "op", "p@s%s").address == "rtmps://op:p@s%s@h/x/y")
        #expect(try target("rtmps://h/x/y", nil, nil).connectionOptions == ["tls_verify": "0", "ca_file": "/ca.pem"])
        #expect(throws: CampipeError.self) { try target("rtmp://h/x/y", "op", "p#s") }
        let srt = try target("srt://h:1", nil, "0123456789")
        #expect(srt.address == "srt://h:1" && srt.connectionOptions == ["passphrase": "0123456789"])
    }

    @Test(
        "what is wrong with the options is said, without a secret",
        arguments: [
            (["url": "http://u:pl4nted@h/x"], "nothing can be pushed to a URL of the kind \"http\""),
            (["url": "host/x"], "this is no URL"), (["url": "rtsp://u:pl4nted@/x"], "the URL has no host"),
            (["url": "rtmp://h/"], "the URL names no stream"), (["url": "rtmp://h"], "the URL names no stream"),
            (["url": "srt://h"], "the URL has no port"),
            (["url": "srt://h:1", "username": "pl4nted"], "srt has no user"),
            (["url": "srt://h:1", "password": "pl4nted"], "a passphrase of srt has 10 to 79 characters"),
            (["url": "rtmp://h/a/b", "username": "u", "password": "pl4nted/"], "cannot be sent over RTMP"),
            (["url": "rtmp://h/a/b", "transport": "udp"], "transport is for rtsp"),
            (["url": "rtsp://h/a", "connect_timeout": "0s"], "a timeout is above 0"),
            (["url": "rtsps://h/a"], "the certificate of an rtsps server cannot be checked"),
            (["url": "rtsps://h/a", "tls_verify": "false"], "the server's certificate is not checked"),
            (["url": "rtmps://h/a/b", "tls_verify": "false"], "the server's certificate is not checked"),
            (["url": "rtmp://h/a/b", "ca_file": "/x"], "only of rtmps a certificate is checked"),
        ] as [(Value.ValueMap, String)])
    func faults(_ options: Value.ValueMap, _ sentence: String) {
        let faults = Registration(sink: Publish.self).inspect(options).faults
        #expect(faults.count == 1 && faults.first?.sentence.contains(sentence) == true, "\(faults)")
        #expect(!"\(faults)".contains("pl4nted"))
    }

    @Test("RTMP is given H.264 whatever comes, the others H.265 too")
    func wants() {
        func want(_ url: String) -> Want? { Registration(sink: Publish.self).inspect(["url": .text(url)]).want }
        #expect(want("rtmp://h/a/b") == Want(.packets(.h264)))
        #expect(want("rtsp://h/a") == .all && want("srt://h:1") == .all)
    }
}
