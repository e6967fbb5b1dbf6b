import CCurl

/// The versions of the network libraries that this process runs with.
package enum HTTPVersions {
    /// libcurl's with its parts: `libcurl/7.88.1 OpenSSL/3.0.11 …`.
    package static var curl: String {
        guard let text = unsafe curl_version() else { return "unknown" }
        return unsafe String(cString: text)
    }
}
