import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeHTTP
@testable import CampipeNodes

@Suite("The rtsp source")
struct RTSPSourceTests {
    /// JPEGs that go on for as long as somebody reads; the script of a second stream differs in its size.
    private static func endless(_ size: Size = Size(32, 32)) throws -> RTSPPlayback.Script {
        let frame = Pictures.frame(.yuv420, size) { plane, x, _ in plane == 0 ? UInt8(x) : 128 }
        let jpeg = try JPEGEncoder().encode(frame, quality: 80, pool: .shared).array
        var script = RTSPPlayback.Script()
        script.sdp = RTSPPlayback.jpegDescription
        script.stream = RTSPPlayback.jpegs([[UInt8]](repeating: jpeg, count: 100))
        script.then = .loop
        script.rate = 200_000
        return script
    }

    @Test("the camera is told when its last reader leaves")
    func teardown() throws {
        let site = try RTSPSite(try Self.endless())
        let harness = try site.source()
        #expect(site.run(harness) { harness.packets.count > 2 } == nil)
        try harness.end()
        #expect(eventually { site.server.requests.last?.method == "TEARDOWN" && site.server.openConnections == 0 })
        #expect(site.server.requests.last?.headers["session"] == "C0FFEE42")
        #expect(site.sessions.count == 0)
    }

    @Test("two nodes that read one URL share its session, and one may leave")
    func shared() throws {
        let site = try RTSPSite(try Self.endless())
        let (first, second) = (try site.source(), try site.source())
        #expect(site.run(first) { first.packets.count > 2 } == nil)
        #expect(site.run(second) { second.packets.count > 2 } == nil)
        #expect(site.server.connections == 1)
        try first.end()
        let before = second.packets.count
        #expect(site.run(second) { second.packets.count > before + 2 } == nil)
        #expect(site.server.connections == 1)
    }

    @Test("without a second URL the small stream is the large one")
    func noSub() throws {
        let site = try RTSPSite(try Self.endless())
        let harness = try site.source()
        #expect(site.run(harness) { harness.items(Packet.self, on: "sub").count > 2 } == nil)
        #expect(harness.items(Packet.self, on: "sub").map(\.pts) == harness.packets.map(\.pts))
    }

    @Test("each of two streams is open only while somebody wants it, and ten seconds longer")
    func onDemand() throws {
        let scripts = ["large": try Self.endless(), "small": try Self.endless(Size(16, 16))]
        let site = try RTSPSite { scripts[$0] ?? RTSPPlayback.Script() }
        let harness = try site.source(["sub_url": .text(site.server.url("small"))], path: "large")
        for port in ["out", "audio", "sub"] { harness.setWanted(false, on: port) }
        try harness.run(until: site.clock.now)
        #expect(site.sessions.count == 0)
        harness.setWanted(true, on: "sub")
        try harness.turn()
        #expect(site.run(harness) { harness.items(Packet.self, on: "sub").count > 2 } == nil)
        #expect(harness.packets.isEmpty)
        #expect(harness.items(Packet.self, on: "sub").first?.format.size == Size(16, 16))
        harness.setWanted(true, on: "out")
        try harness.turn()
        #expect(site.run(harness) { harness.packets.count > 2 } == nil)
        #expect(harness.packets.first?.format.size == Size(32, 32))
        harness.setWanted(false, on: "sub")
        try harness.turn()
        #expect(site.sessions.count == 2)
        site.clock.advance(by: .seconds(9))
        try harness.turn()
        #expect(site.sessions.count == 2)
        site.clock.advance(by: .seconds(1))
        try harness.turn()
        #expect(site.sessions.count == 1)
        #expect(eventually { site.server.requests.last { $0.uri.contains("small") }?.method == "TEARDOWN" })
    }

    @Test("one stream that is lost leaves the other alone, and is looked for again")
    func lostSub() throws {
        var small = try Self.endless(Size(16, 16))
        small.then = .close
        let scripts = ["large": try Self.endless(), "small": small]
        let site = try RTSPSite { scripts[$0] ?? RTSPPlayback.Script() }
        let harness = try site.source(["sub_url": .text(site.server.url("small"))], path: "large")
        func lost() -> Int {
            harness.emissions(on: "sub").count { if case .gap(let gap) = $0 { gap.isLost } else { false } }
        }
        #expect(site.run(harness) { harness.packets.count > 2 && lost() == 1 } == nil)
        let asked = site.server.requests.count { $0.method == "DESCRIBE" && $0.uri.contains("small") }
        site.clock.advance(by: .seconds(2))
        #expect(
            site.run(harness) {
                site.server.requests.count { $0.method == "DESCRIBE" && $0.uri.contains("small") } > asked
            } == nil)
    }

    @Test("a refused password is tried once, and neither it nor the user-info is said anywhere")
    func refused() throws {
        var script = try Self.endless()
        script.challenge = #"Digest realm="cam", nonce="abc", Basic realm="cam""#
        script.admits = { _, _, _ in false }
        let site = try RTSPSite(script)
        let harness = try site.source(
            ["url": .text("rtsp://admin:pl4nted%23@127.0.0.1:\(site.server.port)/live?pw=pl4nted")])
        let error = try #require(site.run(harness))
        #expect(error.kind == .unauthorized)
        #expect(error.fix == "check `username` and `password`")
        #expect(!"\(error)\(harness.logged)".contains("pl4nted"))
        #expect(site.server.requests.count { $0.method == "DESCRIBE" } == 2)
        #expect(site.server.requests.allSatisfy { !$0.uri.contains("admin") })
    }

    @Test("without a password the one that is asked for is missing")
    func noPassword() throws {
        var script = try Self.endless()
        script.challenge = #"Basic realm="cam""#
        script.admits = { _, _, _ in false }
        let site = try RTSPSite(script)
        let error = site.run(try site.source())
        #expect(error?.kind == .unauthorized)
        #expect(error?.fix == "set `username` and `password`")
    }

    @Test(
        "Basic and Digest of all kinds are answered",
        arguments: [
            #"Basic realm="cam""#, #"Digest realm="cam", nonce="abc""#,
            #"Digest realm="cam, with comma", nonce="abc", qop="auth,auth-int", opaque="x\"y", algorithm=MD5"#,
            #"Digest realm="cam", nonce="abc", algorithm="SHA-256", qop="auth""#,
            #"Digest realm="cam", nonce="abc", algorithm=MD5-sess, qop="auth""#,
            #"digest REALM=cam,NONCE=abc,stale=FALSE"#,
            #"Digest realm="cam", nonce="n", algorithm=SHA-512-256, Digest realm="cam", nonce="abc", algorithm=MD5"#,
        ])
    func login(_ challenge: String) throws {
        var script = try Self.endless()
        script.challenge = challenge
        script.admits = { method, uri, authorization in
            guard let authorization else { return false }
            return Self.isRight(authorization, method, uri, user: "öp", password: "a@b:c#\"1")
        }
        let site = try RTSPSite(script)
        let harness = try site.source(["username": "öp", "password": "a@b:c#\"1"])
        #expect(site.run(harness) { !harness.packets.isEmpty } == nil)
    }

    /// A server's side of RFC 7617 and RFC 7616.
    private static func isRight(
        _ field: String, _ method: String, _ uri: String, user: String, password: String
    ) -> Bool {
        if field.hasPrefix("Basic ") {
            return Base64.bytes(String(field.dropFirst(6))) == Array("\(user):\(password)".utf8)
        }
        func value(_ name: String) -> String {
            guard let start = field.firstRange(of: "\(name)=") else { return "" }
            let rest = field[start.upperBound...]
            return String(rest.hasPrefix("\"") ? rest.dropFirst().prefix { $0 != "\"" } : rest.prefix { $0 != "," })
        }
        let algorithm = value("algorithm").uppercased()
        func hash(_ text: String) -> String {
            let bytes = Array(text.utf8)
            return (algorithm.hasPrefix("SHA-256") ? MessageDigest.sha256 : .md5).text(bytes)
        }
        var secret = hash("\(user):\(value("realm")):\(password)")
        if algorithm.hasSuffix("-SESS") { secret = hash("\(secret):\(value("nonce")):\(value("cnonce"))") }
        let request = hash("\(method):\(uri)")
        let middle = field.contains("qop=auth") ? ":\(value("nc")):\(value("cnonce")):auth" : ""
        return value("uri") == uri && value("response") == hash("\(secret):\(value("nonce"))\(middle):\(request)")
    }

    @Test("a camera that refuses TCP and UDP is not supported, and says so")
    func noTransport() throws {
        var script = try Self.endless()
        script.refusesTCP = true
        script.refusesUDP = true
        let site = try RTSPSite(script)
        let error = site.run(try site.source())
        #expect(error?.kind == .unsupported)
        #expect(error?.message.hasSuffix("it refuses to send over TCP and UDP") == true)
        let udp = site.run(try site.source(["transport": "udp"]))
        #expect(udp?.fix == "write `transport: auto`")
    }

    @Test("a control that is not behind the base is looked for where RFC 3986 puts it")
    func control() throws {
        var script = try Self.endless()
        script.sdp = Array(
            "v=0\r\nm=video 0 RTP/AVP 26\r\na=control:/media/1/video\r\n".utf8)
        script.missing = ["live/media"]
        let site = try RTSPSite(script)
        let harness = try site.source()
        #expect(site.run(harness) { !harness.packets.isEmpty } == nil)
        let asked = site.server.requests.filter { $0.method == "SETUP" }.map(\.uri)
        #expect(asked == ["\(site.server.url())/media/1/video", "rtsp://127.0.0.1:\(site.server.port)/media/1/video"])
    }

    @Test("a camera without video is not supported, and says what it offers")
    func audioOnly() throws {
        var script = try Self.endless()
        script.sdp = Array("v=0\r\nm=audio 0 RTP/AVP 0\r\na=control:1\r\n".utf8)
        let site = try RTSPSite(script)
        let error = site.run(try site.source())
        #expect(error?.kind == .unsupported)
        #expect(error?.message.hasSuffix("it offers audio PCMU") == true)
    }

    @Test("sound comes beside the pictures, as it is")
    func audio() throws {
        var script = try Self.endless()
        script.sdp += Array("m=audio 0 RTP/AVP 8\r\na=control:trackID=2\r\n".utf8)
        // 20 ms of A-law a packet, on the channel that was asked for.
        var sound: [UInt8] = []
        for number in 0..<50 {
            let time = UInt32(number * 160)
            let head: [UInt8] =
                [0x80, 8, 0, UInt8(number)] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + [
                    0, 0, 0, 9,
                ]
            sound += [UInt8(ascii: "$"), 2, 0, 172] + head + [UInt8](repeating: UInt8(number), count: 160)
        }
        script.stream = sound + script.stream
        let site = try RTSPSite(script)
        let harness = try site.source()
        #expect(
            site.run(harness) {
                harness.items(Packet.self, on: "audio").count >= 50 && !harness.packets.isEmpty
            } == nil)
        let packets = harness.items(Packet.self, on: "audio").prefix(50)
        #expect(
            packets.allSatisfy { $0.format.coding == .pcma && $0.format.sampleRate == 8000 && $0.data.count == 160 })
        #expect(packets.map { $0.pts.duration } == (0..<50).map { .milliseconds($0 * 20) })
        #expect(packets.map { $0.data[0] } == (0..<50).map { UInt8($0) })
    }

    @Test("sound that cannot be set up costs no picture")
    func brokenAudio() throws {
        var script = try Self.endless()
        script.sdp += Array("m=audio 0 RTP/AVP 8\r\na=control:sound\r\n".utf8)
        script.missing = ["sound"]
        let site = try RTSPSite(script)
        let harness = try site.source()
        #expect(site.run(harness) { harness.packets.count > 2 } == nil)
    }

    @Test("a mailbox that is full loses all that waits, counted, and begins again at a keyframe")
    func mailbox() {
        var mailbox = RTSPMailbox()
        func packet(_ number: Int, isKeyframe: Bool) -> RTSPEvent {
            .packet(
                .video,
                Packet(
                    .empty, format: .h264, captured: .zero + .milliseconds(number),
                    pts: MediaTime(.milliseconds(number)), isKeyframe: isKeyframe))
        }
        func numbers(_ events: [RTSPEvent]) -> [Int] {
            events.map { event in
                switch event {
                case .packet(_, let packet): Int(packet.captured.nanoseconds / 1_000_000)
                case .overrun(_, let count, _): -count
                default: 0
                }
            }
        }
        for number in 1...3 { mailbox.add(packet(number, isKeyframe: number == 2)) }
        #expect(numbers(mailbox.takeAll()) == [2, 3])
        for number in 4...600 { mailbox.add(packet(number, isKeyframe: number == 560)) }
        #expect(numbers(mailbox.takeAll()) == [-556] + Array(560...600))
    }

    @Test("sound in a mailbox is bounded by itself, and costs no picture")
    func soundInMailbox() {
        var mailbox = RTSPMailbox()
        func packet(_ stream: RTSPEvent.Stream, _ number: Int) -> RTSPEvent {
            .packet(
                stream,
                Packet(
                    .empty, format: stream == .video ? .h264 : PacketFormat(.pcmu),
                    captured: .zero + .milliseconds(number), pts: MediaTime(.milliseconds(number))))
        }
        for number in 1...100 { mailbox.add(packet(.video, number)) }
        for number in 1...600 { mailbox.add(packet(.audio, number)) }
        var (pictures, sounds, lost) = (0, 0, 0)
        for event in mailbox.takeAll() {
            switch event {
            case .packet(.video, _): pictures += 1
            case .packet(.audio, _): sounds += 1
            case .overrun(.audio, let count, _): lost += count
            default: Issue.record("\(event)")
            }
        }
        #expect(pictures == 100 && sounds == 88 && lost == 512)
    }

    @Test("sound that nobody wants is not read; when somebody does, nothing counts as lost")
    func unheard() throws {
        var script = try Self.endless()
        script.sdp += Array("m=audio 0 RTP/AVP 8\r\na=control:trackID=2\r\n".utf8)
        let picture = script.stream
        func sound(_ numbers: Range<Int>) -> [UInt8] {
            numbers.flatMap { number -> [UInt8] in
                let time = UInt32(number * 160)
                let head: [UInt8] =
                    [0x80, 8, UInt8(number >> 8), UInt8(number & 255)]
                    + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + [0, 0, 0, 9]
                return [UInt8(ascii: "$"), 2, 0, 172] + head + [UInt8](repeating: 0xD5, count: 160)
            }
        }
        script.stream = sound(0..<400) + picture
        let site = try RTSPSite(script)
        let harness = try site.source()
        harness.setWanted(false, on: "audio")
        #expect(site.run(harness) { harness.packets.count > 2 } == nil)
        #expect(harness.items(Packet.self, on: "audio").isEmpty)
        harness.setWanted(true, on: "audio")
        #expect(site.run(harness) { harness.items(Packet.self, on: "audio").count > 20 } == nil)
    }

    @Test(
        "what cannot be reached is a fault of the file, without the password",
        arguments: [
            ("http://cam/1", "this is no rtsp or rtsps URL"), ("192.168.1.20/1", "looks like a host"),
            ("rtsp://u:pl4nted@/1", "the URL has no host"),
        ])
    func faults(_ url: String, _ part: String) {
        let registration = Registration(source: RTSPSource.self)
        for key in ["url", "sub_url"] {
            let options: Value.ValueMap = ["url": .text(key == "url" ? url : "rtsp://cam/1"), "sub_url": .text(url)]
            let faults = registration.inspect(options).faults.filter { $0.path == FaultPath.root.key(key) }
            #expect(faults.count == 1 && faults.allSatisfy { $0.sentence.contains(part) })
            #expect(!"\(faults)".contains("pl4nted"))
        }
        let trust = registration.inspect(["url": "rtsp://cam/1", "ca_file": "a.pem", "connect_timeout": "0s"]).faults
        #expect(trust.map(\.sentence) == ["a timeout is above 0", "only rtsps has a certificate"])
    }
}
