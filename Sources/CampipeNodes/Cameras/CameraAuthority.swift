import CampipeHTTP
import CampipeKit

/// What stands between the slashes of a camera's URL: a host and perhaps a port.
enum CameraAuthority {
    /// Why no camera answers there, whatever the network; nil when one may. Neither user-info nor query is shown.
    static func fault(_ url: CameraURL, at path: FaultPath) -> Fault? {
        guard let slashes = url.text.firstRange(of: "//") else { return nil }
        let authority = url.text[slashes.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if authority.hasPrefix("["), !authority.contains("]") {
            return Fault(
                .invalidValue, at: path, "the bracket of the URL's address is not closed",
                fix: "write it as [::1], and a port behind it")
        }
        // The colons of an address in brackets are its own.
        let inside = authority.hasPrefix("[") ? authority.lastIndex(of: "]") : nil
        let colon = authority[(inside ?? authority.startIndex)...].firstIndex(of: ":")
        guard colon != authority.startIndex, !authority.isEmpty, authority != "[]" else {
            return Fault(.invalidValue, at: path, "the URL has no host", fix: "write http://192.168.1.20/video")
        }
        guard let colon else { return nil }
        let port = authority[authority.index(after: colon)...]
        // An empty port is the scheme's own (RFC 3986, 3.2.3).
        guard !port.isEmpty else { return nil }
        guard port.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return Fault(.invalidValue, at: path, "the port of the URL is no number", fix: "write it as :8080")
        }
        guard let number = UInt16(port), number > 0 else {
            return Fault(
                .outOfRange, at: path, "port \(port.prefix(20)) of the URL is out of range", fix: "accepted: 1…65535")
        }
        return nil
    }
}
