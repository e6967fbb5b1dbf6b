import CampipeConfig
import CampipeHTTP
import CampipeKit
import CampipeNodes

/// A camera that was named on the command line, as the source `camera` of a pipeline file. A value.
///
/// The text that it makes holds no password: where one belongs, it names a variable or a file; `surroundings` gives the
/// variables their values in this process.
struct CameraEntry: Sendable {
    /// What belongs to the camera beside its URL.
    struct Options: Sendable {
        var username: String?
        var password: String?
        /// The file that the password was read from; it stands in the text then.
        var passwordFile: String?
        /// As the node's option: `http://host:port`, or `none`.
        var proxy: String?
        var tlsVerify = true
        var tlsFingerprint: String?
        var caFile: String?
    }

    /// The variable of the password, in the file that comes of it.
    static let variable = "CAMERA_PASSWORD"
    /// The variable of a proxy that has a password.
    static let proxyVariable = "CAMERA_PROXY"

    let scheme: String
    /// Without user-info.
    let url: String
    let username: String?
    let password: String?
    private let options: Options
    /// The URL as the file has it, and the secrets that it names.
    private let written: (url: String, secrets: [String: String])

    /// - Throws: `.configuration` for an http or https URL that is none.
    init(_ url: String, _ options: Options = Options()) throws(CampipeError) {
        scheme = CameraScheme.scheme(of: url)
        self.options = options
        var plain = url
        var user: String?
        var secret: String?
        if let colon = url.firstRange(of: "://"), !["file", "demo", "v4l2"].contains(scheme) {
            // User-info is the same in all of them (RFC 3986, section 3.2.1).
            let address = try CameraURL((scheme == "https" ? "https" : "http") + url[colon.lowerBound...])
            (user, secret) = (address.username, address.password)
            if let rest = address.text.firstRange(of: "://") { plain = scheme + address.text[rest.lowerBound...] }
        }
        self.url = plain
        username = options.username ?? user
        password = options.password ?? secret
        written = Self.written(plain, hasPassword: password != nil && options.passwordFile == nil)
    }

    /// The first password of a query or a path is the variable's value where nothing else is.
    private static func written(_ url: String, hasPassword: Bool) -> (String, [String: String]) {
        let literal = url.replacing("${", with: "$${")
        guard url.contains("://") else { return (literal, [:]) }
        var secrets: [String: String] = [:]
        let shown = SecretText.replacingFields(of: literal) { value in
            let number = secrets.count + (hasPassword ? 2 : 1)
            let name = number == 1 ? variable : "\(variable)_\(number)"
            secrets[name] = value.replacing("$${", with: "${")
            return "${\(name):-}"
        }
        return (shown, secrets)
    }

    /// As it may be shown.
    var shown: String { written.url }

    /// The variables that the text names, and what they are now.
    var secrets: [String: String] {
        var secrets = written.secrets
        if let password, options.passwordFile == nil { secrets[Self.variable] = password }
        if let proxy = options.proxy, hidesProxy { secrets[Self.proxyVariable] = proxy }
        return secrets
    }

    /// Whether the proxy is given with a password.
    private var hidesProxy: Bool { options.proxy?.contains("@") ?? false }

    /// A whole pipeline file.
    ///
    /// - Parameter sink: A line of the map `sinks` that takes `camera`.
    func file(name: String? = nil, sink: String) -> String {
        var lines = ["version: 1"]
        if let name { lines.append("name: \(name)") }
        lines += ["sources:", "  camera:", "    type: camera", "    url: \(JSONString.quoted(written.url))"]
        func add(_ key: String, _ value: String?) {
            if let value {
                lines.append("    \(key): \(JSONString.quoted(value.replacing("${", with: "$${")))")
            }
        }
        add("username", username)
        if let file = options.passwordFile {
            lines.append("    password: !secret \(JSONString.quoted("file:\(file)"))")
        } else if password != nil {
            lines.append("    password: \"${\(Self.variable):-}\"")
        }
        if hidesProxy {
            lines.append("    proxy: \"${\(Self.proxyVariable):-none}\"")
        } else {
            add("proxy", options.proxy)
        }
        if !options.tlsVerify { lines.append("    tls_verify: false") }
        add("ca_file", options.caFile)
        add("tls_fingerprint", options.tlsFingerprint)
        return (lines + ["sinks:", "  \(sink)"]).joined(separator: "\n") + "\n"
    }

    /// This process's surroundings, with the secrets beside the environment.
    var surroundings: Surroundings {
        let secrets = secrets
        var surroundings = Surroundings.process(folder: ".")
        let variable = surroundings.variable
        surroundings.variable = { secrets[$0] ?? variable($0) }
        return surroundings
    }

    /// The pipeline of a file for this camera, checked and planned as `run` would.
    ///
    /// - Parameter warn: Told each warning of the file, as a sentence.
    /// - Throws: `.configuration` with the first thing that is wrong with it.
    func pipeline(
        name: String? = nil, sink: String, warn: (String) -> Void = { _ in }
    ) throws(CampipeError) -> PipelineDescription {
        let loaded = LoadedPipeline(
            text: file(name: name, sink: sink), name: name ?? "camera", surroundings: surroundings)
        // Whoever names a camera on the command line has it at hand.
        let missing = loaded.report.diagnostics.first { $0.code == .missingFile }
        for line in loaded.report.warningLines(except: .missingFile) { warn(line) }
        if let description = loaded.description, missing == nil { return description }
        let first = loaded.report.diagnostics.first { $0.severity == .error } ?? missing
        throw CampipeError(.configuration, first?.sentence ?? "this camera cannot be read", fix: first?.fix)
    }

    /// How it is fetched, of http and https.
    ///
    /// - Throws: `.configuration` when it is no http or https URL.
    func request() throws(CampipeError) -> FetchRequest {
        FetchRequest(
            try CameraURL(url), username: username, password: password, verifiesTLS: options.tlsVerify,
            caFile: options.caFile, fingerprint: options.tlsFingerprint.flatMap { TLSFingerprint($0) },
            proxy: CameraProxy.text(options.proxy.map { Secret($0) }))
    }
}
