/// Which camera to read over RTSP, and how.
package struct RTSPRequest: Sendable, Hashable {
    /// How packets travel.
    package enum Transport: String, Sendable, CaseIterable {
        /// TCP, and where the camera refuses that, UDP; whoever reads tries others where nothing comes.
        case auto
        /// In the RTSP connection (RFC 2326 section 10.12).
        case tcp
        case udp
        /// In a pair of HTTP requests, which gets through proxies and firewalls (Apple's tunnelling).
        case http
    }
    package var url: RTSPURL
    package var username: String?
    package var password: String?
    package var transport: Transport
    /// How long connecting, and each answer, may take.
    package var connectTimeout: Duration
    package var verifiesTLS: Bool
    package var caFile: String?
    package var fingerprint: TLSFingerprint?

    /// Credentials in the URL are used unless others are given.
    package init(
        _ url: RTSPURL, username: String? = nil, password: String? = nil, transport: Transport = .auto,
        connectTimeout: Duration = .seconds(10), verifiesTLS: Bool = true, caFile: String? = nil,
        fingerprint: TLSFingerprint? = nil
    ) {
        self.url = url
        self.username = username ?? url.username
        self.password = password ?? url.password
        self.transport = transport
        self.connectTimeout = connectTimeout
        self.verifiesTLS = verifiesTLS
        self.caFile = caFile
        self.fingerprint = fingerprint
    }
}
