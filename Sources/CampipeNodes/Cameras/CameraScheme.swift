import CampipeKit
import Glibc

/// What stands before the colon of a camera's URL, and what follows from it.
package enum CameraScheme {
    private static let known = ["http", "https", "rtsp", "rtsps", "v4l2", "file", "demo"]

    /// In small letters; a URL without a scheme is a file's path, and a path of `/dev/video*` a camera's.
    package static func scheme(of url: String) -> String {
        let scheme = written(in: url)
        return scheme == "file" && path(of: url).hasPrefix("/dev/video") ? "v4l2" : scheme
    }

    private static func written(in url: String) -> String {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return "file" }
        let scheme = url[..<colon]
        let isScheme = scheme.utf8.first.map { ($0 | 32) >= 97 && ($0 | 32) <= 122 } ?? false
        let isPlain = scheme.utf8.allSatisfy { ($0 | 32) >= 97 && ($0 | 32) <= 122 || (48...57).contains($0) }
        return isScheme && isPlain ? scheme.lowercased() : "file"
    }

    /// The path of `file:PATH`, `file:///PATH`, or a path as it is.
    static func path(of url: String) -> String {
        guard url.lowercased().hasPrefix("file:") else { return url }
        let path = url.dropFirst("file:".count)
        return path.hasPrefix("//") ? String(path.dropFirst(2)) : String(path)
    }

    /// Why a camera cannot be read by this URL; nil when it can. The URL itself is not shown: it may hold a password.
    static func fault(_ url: String, at path: FaultPath) -> Fault? {
        if let fault = hostFault(url, at: path) ?? blankFault(url, at: path) { return fault }
        let scheme = scheme(of: url)
        if scheme == "v4l2" {
            do throws(CampipeError) {
                _ = try V4L2Address(url)
            } catch {
                return Fault(.invalidValue, at: path, error.message, fix: error.fix ?? "write v4l2:///dev/video0")
            }
        }
        if scheme == "file", let fault = slipFault(url, at: path) { return fault }
        if known.contains(scheme) { return nil }
        return Fault(
            .invalidValue, at: path, "there is no camera of the kind \"\(scheme.prefix(40))\"",
            fix: Nearest.fix(scheme, in: known))
    }

    /// Of a host without a scheme, which would be taken for a file's name; nil for all else.
    ///
    /// - Parameter due: The scheme that the camera most likely has.
    static func hostFault(_ url: String, at path: FaultPath, due: String = "http") -> Fault? {
        if let fault = passwordFault(url, at: path) ?? schemeFault(url, at: path, due: due) { return fault }
        guard let shape = HostShape(url) else { return nil }
        return Fault(
            .invalidValue, at: path,
            "\"\(shape.host.prefix(60))\" looks like a host, and no \(due):// stands before it",
            fix: "write \(due)://\(shape.host.prefix(60))\(shape.path.prefix(60))"
                + (due == "http" ? ", or file:PATH for a file" : ""))
    }

    /// Of `//camera/video`, a URL without its scheme; no path begins with two slashes, unless there is such a file.
    private static func schemeFault(_ url: String, at path: FaultPath, due: String) -> Fault? {
        guard url.hasPrefix("//"), unsafe access(url, F_OK) != 0 else { return nil }
        let rest = url.drop { $0 == "/" }
        guard !rest.isEmpty else { return nil }
        let isShown = !rest.contains("@") && !rest.contains("?")
        return Fault(
            .invalidValue, at: path, "no scheme stands before the // of the URL",
            fix: isShown ? "write \(due)://\(rest.prefix(120))" : "write \(due): before it")
    }

    /// Of a password with a character that ends the host of a URL: `http://admin:pa#ss@camera/`. Nothing of it is shown.
    private static func passwordFault(_ url: String, at path: FaultPath) -> Fault? {
        guard let slashes = url.firstRange(of: "://"), scheme(of: url) != "file" else { return nil }
        let rest = url[slashes.upperBound...]
        guard let end = rest.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }), !rest[..<end].contains("@"),
            rest[end...].contains("@")
        else { return nil }
        // A port is digits; an address in brackets has colons of its own.
        let port =
            rest[..<end].hasPrefix("[") ? nil : rest[..<end].firstIndex(of: ":").map { rest[$0..<end].dropFirst() }
        let isPort = port?.utf8.allSatisfy { (48...57).contains($0) } ?? true
        guard !isPort || rest[end] == "#" else { return nil }
        let codes: [Character: String] = ["/": "%2F", "?": "%3F", "#": "%23"]
        return Fault(
            .invalidValue, at: path, "a \(rest[end]) in the user's name or password ends the host of the URL",
            fix: "write \(codes[rest[end]] ?? "") for it, or take both out of the URL and give username: and password:")
    }

    /// Warns of a bare word, which is a file's name only where there is such a file; else a host was most likely meant.
    static func wordFault(_ url: String, at path: FaultPath) -> Fault? {
        guard isWord(url), unsafe access(url, F_OK) != 0 else { return nil }
        return Fault(
            .missingFile, at: path, "\"\(url.prefix(60))\" is read as the name of a file, and there is none",
            fix: "write http://\(url.prefix(60))/ for a camera of this name, or file:PATH for a file",
            severity: .warning)
    }

    /// Whether it is neither a URL nor what a path of a file looks like: without a colon, a slash, a dot.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && !":/.~*".utf8.contains($0) }
    }

    /// Of a URL that would be taken for a file's name: `http//camera`, `file:http://camera`.
    private static func slipFault(_ url: String, at path: FaultPath) -> Fault? {
        let name = Self.path(of: url).lowercased()
        for scheme in known where scheme != "file" {
            if name.hasPrefix(scheme + "//") || name.hasPrefix(scheme + "/") && name.contains("@") {
                return Fault(
                    .invalidValue, at: path, "the colon is missing behind \"\(scheme)\"", fix: "write \(scheme)://")
            }
            if url.lowercased().hasPrefix("file:"), name.hasPrefix(scheme + ":/") {
                return Fault(
                    .invalidValue, at: path, "\"file:\" stands before a URL of \(scheme)", fix: "delete \"file:\"")
            }
        }
        return nil
    }

    /// Of a blank in or around a URL; nil for what has none, and for files, whose names may have some.
    static func blankFault(_ url: String, at path: FaultPath) -> Fault? {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }
        let scalars = Array(url.unicodeScalars)
        guard let place = scalars.firstIndex(where: isBlank) else { return nil }
        let inner = scalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let text = String(String.UnicodeScalarView(inner))
        guard text.contains("://"), scheme(of: text) != "file" else { return nil }
        let mended = text.replacing(" ", with: "%20").filter { !$0.unicodeScalars.allSatisfy(isBlank) }
        // Behind an @ nobody knows where a password ends.
        let isShown = !text.contains("@")
        return Fault(
            .invalidValue, at: path,
            inner.count < scalars.count && !text.unicodeScalars.contains(where: isBlank)
                ? "a blank stands before or behind the URL" : "a blank stands in the URL, where there are none",
            fix: isShown
                ? "write \(mended.prefix(120))" : "delete it, or write %20 where it belongs to a name or a password",
            span: place..<(place + 1))
    }
}
