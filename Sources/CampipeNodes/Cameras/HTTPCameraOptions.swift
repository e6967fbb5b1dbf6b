import CampipeHTTP
import CampipeKit

/// How a camera is read over HTTP, beside its URL.
struct HTTPCameraOptions: SharedOptions {
    @Option("The user's name, where the camera asks for one.") var username: Secret? = nil
    @Option("The password that belongs to it.") var password: Secret? = nil
    @Option(.milliseconds(1)...(.seconds(3600)), "How long connecting may take.")
    var connectTimeout: Duration = .seconds(10)
    @Option("The proxy, http://host:port, or none; by default as the environment says.")
    var proxy: Secret? = nil
    @Option("Whether the camera's certificate is checked, of https.") var tlsVerify = true
    @Option("A file of certificates (PEM) to trust instead of the system's.") var caFile: String? = nil
    @Option("The SHA-256 of the camera's certificate, as AB:CD:…, or of its public key, as sha256//BASE64.")
    var tlsFingerprint: String? = nil
    @Option(.milliseconds(10)...(.seconds(31_536_000)), "How often a URL that answers with one JPEG is asked.")
    var every: Duration = .seconds(1)

    func check(_ url: String, at path: FaultPath, into faults: inout [Fault]) {
        faults += trust(url).faults(at: path)
        if let fault = CameraProxy.fault(proxy, at: path.key("proxy")) { faults.append(fault) }
    }

    /// Warns of what only a camera on the network takes.
    ///
    /// - Parameters:
    ///   - scheme: That of the URL, which names no such camera.
    ///   - signsIn: Whether it takes a password and a certificate all the same.
    func checkUnused(by scheme: String, signsIn: Bool, at path: FaultPath, into faults: inout [Fault]) {
        let login: [(key: String, isGiven: Bool)] = [
            ("username", username != nil), ("password", password != nil),
            ("tls_verify", !tlsVerify), ("ca_file", caFile != nil), ("tls_fingerprint", tlsFingerprint != nil),
        ]
        let given = (signsIn ? [] : login) + [("proxy", proxy != nil)]
        for (key, _) in given.filter(\.isGiven) {
            faults.append(
                Fault(
                    .noEffect, at: path.key(key), "\"\(key)\" does nothing here: the URL is of the kind \(scheme)",
                    fix:
                        "delete it, or give the \(key == "proxy" ? "http or https" : "http, https or rtsp") URL that it belongs to",
                    part: .key, severity: .warning))
        }
    }

    func trust(_ url: String) -> CameraTrust {
        CameraTrust(
            scheme: "https", isTLS: CameraScheme.scheme(of: url) == "https", isChecked: tlsVerify, caFile: caFile,
            fingerprint: tlsFingerprint)
    }

    func request(_ url: CameraURL) -> FetchRequest {
        FetchRequest(
            url, username: username?.revealed, password: password?.revealed, connectTimeout: connectTimeout,
            verifiesTLS: tlsVerify, caFile: caFile, fingerprint: tlsFingerprint.flatMap { TLSFingerprint($0) },
            proxy: CameraProxy.text(proxy))
    }
}
