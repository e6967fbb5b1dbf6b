import CampipeKit

/// The node that a camera's URL means: what `camera` becomes.
protocol CameraKind: SendableMetatype {
    associatedtype Inner: Source
    /// The schemes of its URLs, in small letters.
    static var schemes: [String] { get }
    /// The node for these options; made where no options are being learnt.
    static func make(_ options: CameraOptions) -> Inner
}

/// What `camera` was given.
struct CameraOptions: Sendable {
    var url: String
    var username: Secret?
    var password: Secret?
    var connectTimeout: Duration
    var proxy: Secret?
    var tlsVerify: Bool
    var caFile: String?
    var tlsFingerprint: String?
    var every: Duration
}

/// Any camera: its URL says how it is read. Registered once for each kind.
struct Camera<Kind: CameraKind>: Source {
    static var name: String { "camera" }
    static var summary: String { "Reads a camera: http and https (MJPEG), a file, or the built-in demo, by its URL." }
    static var execution: Execution { Kind.Inner.execution }
    static var outputs: [any AnyPort] { Kind.Inner.outputs }

    @Option("Where the camera is: http://…, https://…, file:PATH, or demo://porch.") var url: String
    @Option("The user's name, where the camera asks for one.") var username: Secret? = nil
    @Option("The password that belongs to it.") var password: Secret? = nil
    @Option("How long connecting may take.") var connectTimeout: Duration = .seconds(10)
    @Option("The proxy, http://host:port, or none; by default as the environment says.")
    var proxy: Secret? = nil
    @Option("Whether the camera's certificate is checked, of https.") var tlsVerify = true
    @Option("A file of certificates (PEM) to trust instead of the system's.") var caFile: String? = nil
    @Option("The SHA-256 of the camera's certificate, as AB:CD:…, or of its public key, as sha256//BASE64.")
    var tlsFingerprint: String? = nil
    @Option("How often a URL that answers with one JPEG is asked.") var every: Duration = .seconds(1)

    private var inner: Kind.Inner?

    var applies: Bool { Kind.schemes.contains(CameraScheme.scheme(of: url)) }
    var isLive: Bool { made.isLive }
    var format: Format? { made.format }
    var resources: [NodeResource] { made.resources }

    private var made: Kind.Inner {
        Kind.make(
            CameraOptions(
                url: url, username: username, password: password, connectTimeout: connectTimeout, proxy: proxy,
                tlsVerify: tlsVerify, caFile: caFile, tlsFingerprint: tlsFingerprint, every: every))
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let fault = CameraScheme.fault(url, at: path.key("url")) {
            faults.append(fault)
        } else if applies {
            made.check(at: path, into: &faults)
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        var node = made
        try node.open(context)
        inner = node
    }

    mutating func next(to output: inout Output) throws -> Next { try inner?.next(to: &output) ?? .ended }

    mutating func finish() throws {
        try inner?.finish()
        inner = nil
    }
}

enum HTTPCamera: CameraKind {
    static let schemes = ["http", "https"]

    static func make(_ options: CameraOptions) -> MJPEGSource {
        var node = MJPEGSource()
        node.url = options.url
        node.username = options.username
        node.password = options.password
        node.connectTimeout = options.connectTimeout
        node.proxy = options.proxy
        node.tlsVerify = options.tlsVerify
        node.caFile = options.caFile
        node.tlsFingerprint = options.tlsFingerprint
        node.every = options.every
        return node
    }
}

enum DemoCamera: CameraKind {
    static let schemes = ["demo"]

    static func make(_ options: CameraOptions) -> DemoSource {
        var node = DemoSource()
        node.url = options.url
        return node
    }
}

/// A file in the place of a camera: in real time.
enum FileCamera: CameraKind {
    static let schemes = ["file"]

    static func make(_ options: CameraOptions) -> FileSource {
        var node = FileSource()
        node.path = CameraScheme.path(of: options.url)
        node.speed = .realtime
        return node
    }
}
