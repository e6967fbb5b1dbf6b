import Testing

@testable import CampipeHTTP

@Suite("RTSP on the wire")
struct RTSPWireTests {
    private static let packet: [UInt8] = [0x24, 0, 0, 13, 0x80, 96, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 9]

    /// What is found, fed in pieces of so many bytes.
    private static func units(_ bytes: [UInt8], chunk: Int = .max, channels: Set<UInt8> = [0, 1]) -> (
        units: [String], skipped: Int
    ) {
        var wire = RTSPWire()
        wire.channels = channels
        var found: [String] = []
        var at = 0
        while at < bytes.count {
            let end = chunk > bytes.count - at ? bytes.count : at + chunk
            bytes[at..<end].withUnsafeBytes { wire.receive($0) }
            at = end
            while let unit = wire.next() {
                switch unit {
                case .data(let channel, let bytes): found.append("data \(channel) \(bytes.count)")
                case .response(let answer):
                    found.append(
                        "\(answer.status) \(answer.number ?? -1) \(String(decoding: answer.body, as: UTF8.self))")
                case .request(let method, let number): found.append("\(method) \(number)")
                }
            }
        }
        return (found, wire.skipped)
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "packets, answers and requests are found among whatever stands between",
        arguments: [
            (packet + packet, ["data 0 13", "data 0 13"], 0),
            (text("RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n") + packet, ["200 1 ", "data 0 13"], 0),
            (text("RTSP/1.0 200 OK\ncSeq:1\nContent-Length: 3\n\nabc") + packet, ["200 1 abc", "data 0 13"], 0),
            (text("\r\n\r\nRTSP/1.0 404 Not Found\r\n\r\n\r\n") + packet, ["404 -1 ", "data 0 13"], 0),
            (packet + text("junk") + packet, ["data 0 13", "data 0 13"], 4),
            (packet + text("Rubbish, and $ signs") + packet, ["data 0 13", "data 0 13"], 20),
            (packet + [0x24, 0, 0] + packet, ["data 0 13", "data 0 13"], 3),
            (packet + [0x24, 9, 0, 14] + packet, ["data 0 13", "data 0 13"], 4),
            (
                text("OPTIONS rtsp://x RTSP/1.0\r\nCSeq: 7\r\nContent-Length: 2\r\n\r\nhi") + packet,
                ["OPTIONS 7", "data 0 13"], 0
            ),
            (text("RTSP/1.0 nonsense\r\n\r\n") + packet, ["data 0 13"], 21),
            (text("RTSP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n") + packet, ["data 0 13"], 45),
        ] as [([UInt8], [String], Int)])
    func units(_ bytes: [UInt8], _ expected: [String], _ skipped: Int) {
        for chunk in [.max, 1, 2, 3, 7] {
            let found = Self.units(bytes, chunk: chunk)
            #expect(found.units == expected)
            #expect(found.skipped == skipped)
        }
    }

    @Test("before channels are known, packets of any are taken")
    func anyChannel() {
        #expect(Self.units([0x24, 9] + Self.packet.dropFirst(2), channels: []).units == ["data 9 13"])
    }

    @Test("a head that never ends is given up")
    func endless() {
        let line = Self.text("X: y\r\n")
        var bytes = Self.text("RTSP/1.0 200 OK\r\n")
        while bytes.count < RTSPWire.headLimit + 100 { bytes += line }
        let found = Self.units(bytes + Self.packet)
        #expect(found.units == ["data 0 13"])
        #expect(found.skipped > RTSPWire.headLimit / 2)
    }

    // MARK: Transport and session

    @Test(
        "what a server says of the transport",
        arguments: [
            ("RTP/AVP/TCP;unicast;interleaved=0-1", [0, 1], [], nil),
            ("RTP/AVP/TCP;unicast;interleaved= 4 - 5 ;ssrc= 1234", [4, 5], [], nil),
            ("RTP/AVP/TCP;interleaved=2", [2, 3], [], nil), ("RTP/AVP/TCP;interleaved=300-301", [], [], nil),
            ("RTP/AVP;unicast;client_port=1-2;server_port=6970-6971;source=10.0.0.9", [], [6970, 6971], "10.0.0.9"),
            ("RTP/AVP;Server_Port=6970,RTP/AVP/TCP;interleaved=0-1", [], [6970], nil), ("", [], [], nil),
        ] as [(String, [Int], [UInt16], String?)])
    func transport(_ field: String, _ channels: [Int], _ ports: [UInt16], _ source: String?) {
        let found = RTSPTransport(field)
        #expect(found.channels.map { [Int($0.rtp), Int($0.rtcp)] } ?? [] == channels)
        #expect(found.serverPorts == ports)
        #expect(found.source == source)
    }

    @Test(
        "the session is kept by what is offered and not refused",
        arguments: [
            ([:], [], "GET_PARAMETER"), (["Public": "OPTIONS, DESCRIBE, PLAY"], [], "OPTIONS"),
            (["Public": "OPTIONS,GET_PARAMETER"], [], "GET_PARAMETER"),
            (["Public": "OPTIONS,GET_PARAMETER"], ["GET_PARAMETER"], "OPTIONS"), ([:], ["GET_PARAMETER"], "OPTIONS"),
        ] as [(HTTPHeaders, [String], String)])
    func keepalive(_ headers: HTTPHeaders, _ refused: [String], _ method: String) {
        var keepalive = RTSPKeepalive()
        keepalive.learn(headers)
        for method in refused { keepalive.refuse(method) }
        #expect(keepalive.method == method)
    }

    @Test(
        "a session and its timeout",
        arguments: [
            ("A1b2", "A1b2", 60, 24), (" C0FFEE ; timeout = 4", "C0FFEE", 4, 1), ("x;timeout=0", "x", 60, 24),
            ("x;foo=1;Timeout=600", "x", 600, 25),
        ])
    func session(_ field: String, _ session: String, _ timeout: Int, _ interval: Int) {
        var keepalive = RTSPKeepalive()
        keepalive.learn(["Session": field])
        #expect(keepalive.session == session)
        #expect(keepalive.timeout == .seconds(timeout))
        #expect(Int(keepalive.interval.components.seconds) == interval)
    }

    // MARK: URLs

    @Test(
        "a URL is taken apart, and its user-info is not in what is sent or shown",
        arguments: [
            ("rtsp://cam/1", "cam", 554, "rtsp://cam/1", "rtsp://cam/1", nil, nil),
            ("rtsps://u:p@cam:1000/a?b=c#d", "cam", 1000, "rtsps://cam:1000/a?b=c", "rtsps://cam:1000/a", "u", "p"),
            (
                "RTSP://us%20er:p%40ss:w@[fe80::1]:8554/", "[fe80::1]", 8554, "RTSP://[fe80::1]:8554/",
                "RTSP://[fe80::1]:8554/", "us er", "p@ss:w"
            ),
            ("rtsps://cam:/x", "cam", 322, "rtsps://cam:/x", "rtsps://cam:/x", nil, nil),
            ("rtsp://u:a@b:c@cam/x", "cam", 554, "rtsp://cam/x", "rtsp://cam/x", "u", "a@b:c"),
        ] as [(String, String, Int, String, String, String?, String?)])
    func url(
        _ text: String, _ host: String, _ port: Int, _ sent: String, _ shown: String, _ user: String?,
        _ password: String?
    ) throws {
        let url = try RTSPURL(text)
        #expect(url.host == host && url.port == port)
        #expect(url.text == sent)
        #expect(url.shown == shown)
        #expect(url.username == user)
        #expect(url.password == password)
        #expect(url.isTLS == text.lowercased().hasPrefix("rtsps"))
    }

    @Test(
        "a control is put behind the base, with one slash",
        arguments: [
            (nil, "rtsp://h/a/", ["rtsp://h/a/"]), ("*", "rtsp://h/a", ["rtsp://h/a"]),
            ("trackID=1", "rtsp://h/a", ["rtsp://h/a/trackID=1"]),
            ("trackID=1", "rtsp://h/a/", ["rtsp://h/a/trackID=1"]),
            ("trackID=1", "rtsp://h/a?b=c", ["rtsp://h/a?b=c/trackID=1"]),
            ("/m/1", "rtsp://h:5/a/", ["rtsp://h:5/a/m/1", "rtsp://h:5/m/1"]),
            ("/m/1", "rtsp://h/a", ["rtsp://h/a/m/1", "rtsp://h/m/1"]),
            ("rtsp://other/x", "rtsp://h/a", ["rtsp://other/x"]), ("RTSP://other/x", "rtsp://h/a", ["RTSP://other/x"]),
        ] as [(String?, String, [String])])
    func control(_ control: String?, _ base: String, _ expected: [String]) {
        #expect(RTSPURL.controls(control, base: base) == expected)
    }
}
