import Testing

@testable import CampipeHTTP

@Suite("Descriptions of sessions")
struct SessionDescriptionTests {
    private static func read(_ text: String) -> SessionDescription { SessionDescription(Array(text.utf8)) }

    @Test("tracks, their codings, parameters and controls are read")
    func plain() {
        let found = Self.read(
            """
            v=0\r
            o=- 1 1 IN IP4 0.0.0.0\r
            s=Media Presentation\r
            a=control:rtsp://cam/live/\r
            m=video 0 RTP/AVP 96\r
            a=rtpmap:96 H264/90000\r
            a=fmtp:96 profile-level-id=42001F; packetization-mode=1; Sprop-Parameter-Sets=Z0LA,aM6=,\r
            a=framerate:12.5\r
            a=control:trackID=1\r
            m=audio 0 RTP/AVP 97\r
            a=rtpmap:97 mpeg4-generic/16000/2\r
            a=fmtp:97 mode=AAC-hbr;config=1408\r
            a=control:trackID=2\r
            m=application 0 RTP/AVP 107\r
            a=rtpmap:107 vnd.onvif.metadata/90000\r

            """)
        #expect(found.control == "rtsp://cam/live/")
        #expect(found.tracks.map(\.kind) == [.video, .audio, .other])
        #expect(found.tracks.map(\.encoding) == ["H264", "MPEG4-GENERIC", "VND.ONVIF.METADATA"])
        #expect(found.tracks.map(\.clockRate) == [90_000, 16_000, 90_000])
        #expect(found.tracks.map(\.channels) == [1, 2, 1])
        #expect(found.tracks.map(\.control) == ["trackID=1", "trackID=2", nil])
        #expect(found.tracks.first?.rate == 12.5)
        #expect(found.tracks.first?.parameter("sprop-parameter-sets") == "Z0LA,aM6=,")
        #expect(found.tracks.first?.parameter("packetization-mode") == "1")
        #expect(found.tracks.first?.parameter("config") == nil)
    }

    @Test("codings below 96 need no map, and parameters under a wrong number are the only ones")
    func fixed() {
        let found = Self.read(
            "m=video 0 RTP/AVP 26\nm=audio 5 RTP/AVP 0\nm=audio 5 RTP/AVP 8\nm=video 0 RTP/AVP 96\n"
                + "a=rtpmap:96 H265/90000\na=fmtp:98 sprop-vps=AA==\n")
        #expect(found.tracks.map(\.encoding) == ["JPEG", "PCMU", "PCMA", "H265"])
        #expect(found.tracks.map(\.clockRate) == [90_000, 8000, 8000, 90_000])
        #expect(found.tracks.last?.parameter("sprop-vps") == "AA==")
    }

    @Test(
        "what is no description is passed over",
        arguments: [
            "", "m", "m=", "m=video", "m=video x RTP/AVP", "a=control", "a=rtpmap:96", "m=video 0 RTP/AVP 300 -1",
            "this is not sdp\na\ni=\na=Media_header:MEDIAINFO=494D;", "m=video 0 RTP/AVP 96\na=rtpmap:96 \na=fmtp:96\n",
            "m=video 0 RTP/AVP 96\na=rtpmap:96 H264/0/0\na=framerate:nan\n",
        ])
    func odd(_ text: String) {
        let found = Self.read(text)
        #expect(found.tracks.allSatisfy { $0.clockRate > 0 && $0.channels > 0 && $0.payloadType < 128 })
        #expect(found.tracks.first?.rate == nil)
    }

    @Test("no more than so many tracks are looked at")
    func many() {
        let found = Self.read(String(repeating: "m=video 0 RTP/AVP 26\n", count: 1000))
        #expect(found.tracks.count == SessionDescription.trackLimit)
    }
}
