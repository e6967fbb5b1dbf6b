import CampipeHTTP
import CampipeKit

/// How packets travel from a camera.
enum RTSPTransportChoice: String, OptionChoice {
    case auto, tcp, udp, http

    var transport: RTSPRequest.Transport {
        switch self {
        case .auto: .auto
        case .tcp: .tcp
        case .udp: .udp
        case .http: .http
        }
    }
}

/// How a camera is read over RTSP, beside its URLs.
struct RTSPCameraOptions: SharedOptions {
    @Option("The user's name, where the camera asks for one.") var username: Secret? = nil
    @Option("The password that belongs to it.") var password: Secret? = nil
    @Option("How packets travel; auto takes TCP, and where that brings nothing UDP, then an HTTP tunnel.")
    var transport = RTSPTransportChoice.auto
    @Option("How long connecting, and each answer, may take.") var connectTimeout: Duration = .seconds(10)
    @Option("Whether the camera's certificate is checked, of rtsps.") var tlsVerify = true
    @Option("A file of certificates (PEM) to trust instead of the system's.") var caFile: String? = nil
    @Option("The SHA-256 of the camera's certificate, as AB:CD:…, or of its public key, as sha256//BASE64.")
    var tlsFingerprint: String? = nil

    func check(_ url: String, at path: FaultPath, into faults: inout [Fault]) {
        if connectTimeout <= .zero {
            faults.append(Fault(.outOfRange, at: path.key("connect_timeout"), "a timeout is above 0", fix: "write 10s"))
        }
        faults += trust(url).faults(at: path)
    }

    func trust(_ url: String) -> CameraTrust {
        CameraTrust(
            scheme: "rtsps", isTLS: CameraScheme.scheme(of: url) == "rtsps", isChecked: tlsVerify, caFile: caFile,
            fingerprint: tlsFingerprint)
    }

    func request(_ url: RTSPURL) -> RTSPRequest {
        RTSPRequest(
            url, username: username?.revealed, password: password?.revealed, transport: transport.transport,
            connectTimeout: connectTimeout, verifiesTLS: tlsVerify, caFile: caFile,
            fingerprint: tlsFingerprint.flatMap { TLSFingerprint($0) })
    }
}
