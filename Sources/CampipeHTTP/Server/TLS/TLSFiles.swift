/// Where a server's certificate and its key lie, both PEM.
package struct TLSFiles: Sendable, Hashable {
    /// The certificate, then those that lead to its root.
    package var certificate: String
    /// The private key, without a passphrase.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
