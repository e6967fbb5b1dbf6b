import CampipeHTTP
import CampipeKit

/// How the certificate of a camera, or of another server, is trusted, as the options say it. A value.
struct CameraTrust: Sendable {
    /// The scheme with TLS: `https`.
    let scheme: String
    let isTLS: Bool
    let isChecked: Bool
    let caFile: String?
    let fingerprint: String?
    /// Whose it is, for sentences.
    var whose = "camera"

    /// Whether nothing of the certificate is looked at.
    var isUnproven: Bool { isTLS && !isChecked && fingerprint == nil }

    /// What is wrong with it, and, as a warning, that nothing is checked.
    func faults(at path: FaultPath) -> [Fault] {
        var faults: [Fault] = []
        if let fingerprint {
            let key = path.key("tls_fingerprint")
            if TLSFingerprint(fingerprint) == nil {
                faults.append(
                    Fault(
                        .invalidValue, at: key, "this is no SHA-256 of a certificate or of a public key",
                        fix:
                            "write the 64 digits that `openssl x509 -noout -fingerprint -sha256` prints, or sha256//BASE64"
                    ))
            } else if !isTLS {
                faults.append(
                    Fault(
                        .invalidValue, at: key, "only \(scheme) has a certificate",
                        fix: "begin the URL with \(scheme)://"))
            }
        }
        if caFile != nil, !isTLS {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("ca_file"), "only \(scheme) has a certificate",
                    fix: "begin the URL with \(scheme)://"))
        }
        if let caFile, caFile.isEmpty {
            faults.append(Fault(.invalidValue, at: path.key("ca_file"), "no file is named", fix: "write its path"))
        }
        if let caFile, let fault = HomePath.fault(caFile, at: path.key("ca_file")) { faults.append(fault) }
        if isUnproven {
            faults.append(
                Fault(
                    .uncheckedCertificate, at: path.key("tls_verify"),
                    "the \(whose)'s certificate is not checked: anybody in between can read and change all",
                    fix: "give its `tls_fingerprint`, or its authority's certificate as `ca_file`", severity: .warning))
        }
        return faults
    }
}
