/// Where a stream is pushed to, and how libavformat is told. A value.
package struct PublishTarget: Sendable {
    /// What the server speaks.
    package enum Service: String, Sendable, CaseIterable {
        /// ANNOUNCE and RECORD (RFC 2326 sections 10.3 and 10.11).
        case rtsp
        /// FLV in RTMP; it carries H.264, no H.265 (before "enhanced RTMP", which FFmpeg 5.1 does not know).
        case rtmp
        /// A transport stream in SRT.
        case srt
    }
    /// How packets of RTSP travel.
    package enum Transport: String, Sendable { case tcp, udp }

    /// What the server speaks.
    package let service: Service
    /// The URL as libavformat wants it, credentials included: in no message.
    let address: String
    /// The same as it may stand in messages.
    package let shown: String
    private let transport: Transport
    private let verifiesTLS: Bool
    private let caFile: String?
    private let passphrase: String?

    /// - Parameters:
    ///   - service: What the URL's scheme says.
    ///   - address: The URL with its credentials.
    ///   - shown: The URL without anything secret.
    ///   - transport: Of RTSP.
    ///   - verifiesTLS: Whether a certificate is checked, of rtmps; libavformat checks none of rtsps.
    ///   - caFile: Certificates (PEM) to trust in place of the system's.
    ///   - passphrase: Of SRT: what encrypts the stream, 10 to 79 characters.
    package init(
        _ service: Service, address: String, shown: String, transport: Transport = .tcp, verifiesTLS: Bool = true,
        caFile: String? = nil, passphrase: String? = nil
    ) {
        self.service = service
        self.address = address
        self.shown = shown
        self.transport = transport
        self.verifiesTLS = verifiesTLS
        self.caFile = caFile
        self.passphrase = passphrase
    }

    /// Whether the server has to prove who it is.
    var checksCertificate: Bool { service == .rtmp && verifiesTLS && shown.hasPrefix("rtmps") }

    /// FFmpeg's name of what is sent.
    var muxer: String {
        switch service {
        case .rtsp: "rtsp"
        case .rtmp: "flv"
        case .srt: "mpegts"
        }
    }

    /// What the connection is opened with.
    var connectionOptions: [String: String] {
        switch service {
        case .rtsp: return [:]
        case .rtmp:
            var options = ["tls_verify": verifiesTLS ? "1" : "0"]
            options["ca_file"] = caFile
            return options
        case .srt:
            var options: [String: String] = [:]
            options["passphrase"] = passphrase
            return options
        }
    }

    /// What the muxer is opened with.
    var muxerOptions: [String: String] {
        switch service {
        case .rtsp: ["rtsp_transport": transport.rawValue]
        // What is pushed cannot be gone back in.
        case .rtmp: ["flvflags": "no_duration_filesize"]
        case .srt: [:]
        }
    }
}
