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
    var transport: RTSPTransportChoice
    var http: HTTPCameraOptions
}

/// Any camera: its URL says how it is read. Registered once for each kind.
struct Camera<Kind: CameraKind>: Source {
    static var name: String { "camera" }
    static var summary: String {
        "Reads a camera by its URL: rtsp and rtsps, http and https (MJPEG), v4l2, a file, or the built-in demo."
    }
    static var execution: Execution { Kind.Inner.execution }
    static var outputs: [any AnyPort] { Kind.Inner.outputs }

    @Option(
        "Where the camera is: rtsp://…, http://…, either with an s for TLS, v4l2:///dev/video0, file:PATH, or demo://porch.",
        example: "demo://porch")
    var url: String
    @Option("How packets of rtsp travel; auto takes TCP, and where that brings nothing UDP, then an HTTP tunnel.")
    var transport = RTSPTransportChoice.auto
    var http = HTTPCameraOptions()

    private var inner: Kind.Inner?

    var applies: Bool { Kind.schemes.contains(CameraScheme.scheme(of: url)) }
    var isLive: Bool { made.isLive }
    var format: Format? { made.format }
    var resources: [NodeResource] { made.resources }

    private var made: Kind.Inner {
        Kind.make(CameraOptions(url: url, transport: transport, http: http))
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let fault = CameraScheme.fault(url, at: path.key("url")) {
            faults.append(fault)
        } else if applies {
            if let fault = CameraScheme.wordFault(url, at: path.key("url")) { faults.append(fault) }
            made.check(at: path, into: &faults)
            if !(made is MJPEGSource) {
                http.checkUnused(
                    by: CameraScheme.scheme(of: url), signsIn: made is RTSPSource, at: path, into: &faults)
            }
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
        node.http = options.http
        return node
    }
}

enum RTSPCamera: CameraKind {
    static let schemes = ["rtsp", "rtsps"]

    static func make(_ options: CameraOptions) -> RTSPSource {
        var node = RTSPSource()
        node.url = options.url
        node.camera.username = options.http.username
        node.camera.password = options.http.password
        node.camera.transport = options.transport
        node.camera.connectTimeout = options.http.connectTimeout
        node.camera.tlsVerify = options.http.tlsVerify
        node.camera.caFile = options.http.caFile
        node.camera.tlsFingerprint = options.http.tlsFingerprint
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

/// A camera of this machine that gives MJPEG.
enum V4L2Camera: CameraKind {
    static let schemes = ["v4l2"]

    static func make(_ options: CameraOptions) -> V4L2Source<Packet> {
        var node = V4L2Source<Packet>()
        // What is wrong with it was said when the file was checked.
        guard let address = try? V4L2Address(options.url) else { return node }
        node.options.device = address.device
        node.options.width = address.size?.width
        node.options.height = address.size?.height
        node.options.fps = address.fps
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
