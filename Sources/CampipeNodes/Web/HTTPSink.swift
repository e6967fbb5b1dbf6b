import CampipeHTTP
import CampipeKit
import CampipeMedia

/// Shows pictures to browsers and whatever reads MJPEG over HTTP. Nothing is made while nobody looks.
struct HTTPSink: Sink {
    typealias Input = Packet
    static let name = "http"
    static let summary = "Shows pictures to browsers, as MJPEG over HTTP."
    static let inputs: [any AnyPort] = [In<Packet>("input", accepts: [.packets(.jpeg)])]
    static let lateAfter: Duration? = .seconds(1)

    @Option("Where it is served: PATH/stream, PATH/snapshot, and a page at PATH.") var path: String
    @Option(16...16_384, "Pixels across at most; left out, as they come.") var width: Int? = nil
    @Option(0.1...1000, "Pictures a second at most; left out, as they come.") var fps: Double? = nil
    @Option(1...100, "JPEG quality where pictures are encoded; a camera's own JPEGs pass unchanged.") var quality = 80
    @Option("Who may see it, where the server has users: anyone (public), viewers of the path, or admins.")
    var access = StreamAccess.viewer

    private var streams: WebStreams?
    private var stream: WebStream?
    private var pool: FramePool?
    private var clock: (any PipelineClock)?
    private var waker = Waker {}
    private var absence: Absence?
    private var timer: Timer?

    /// The picture that says there is none, at a size.
    private struct Absence {
        var size: Size
        var jpeg: Bytes
    }

    var want: Want? { nil }
    var resources: [NodeResource] { [NodeResource(.httpPath, path, option: "path")] }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        let allowed = self.path.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"?#%\"<>\\".utf8.contains($0) }
        guard self.path.hasPrefix("/"), !self.path.hasSuffix("/") || self.path == "/", allowed,
            !self.path.contains("//")
        else {
            faults.append(
                Fault(
                    .invalidValue, at: path.key("path"), "\"\(self.path)\" is no path that can be served",
                    fix:
                        "write one like /front: it begins with a slash, does not end with one, and has neither blanks nor "
                        + "any of ? # % \" < > \\ nor letters beyond ASCII"))
            return
        }
        if let field = self.path.firstMatch(of: /\{[^}\/]*\}?|\}/)?.output {
            faults.append(
                Fault(
                    .unknownField, at: path.key("path"), "unknown field \(field)",
                    fix: "a path has no fields but those of a template: {camera} and its params"))
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        clock = context.clock
        waker = context.waker
        let streams = try context.service(WebStreams.self)
        let want = Want(.packets(.jpeg), maxWidth: width, maxRate: fps, quality: quality)
        stream = try streams.open(path, access: access, want: want, clock: context.clock, demand: context.demand)
        self.streams = streams
    }

    mutating func consume(_ packet: consuming Packet) throws -> Next {
        // Cameras of the AVI1 kind leave the standard Huffman tables out, which browsers do not forgive.
        stream?.show(JPEGTables.insertingHuffman(packet.data), size: packet.format.size, captured: packet.captured)
        return .more
    }

    mutating func gap(_ gap: Gap) {
        guard gap.isLost else { return }
        stream?.lose()
        waker.wake()
    }

    /// While the camera is lost, says so once a second; a timer wakes it, since pictures may come at any time.
    mutating func wake() throws -> Next {
        guard let stream, stream.isLost, let clock else { return .more }
        let size = stream.size ?? Size(640, 360)
        if absence?.size != size {
            absence = Absence(size: size, jpeg: try NoSignalPicture.jpeg(size, pool: pool ?? .shared))
        }
        if let absence { stream.showAbsence(absence.jpeg) }
        timer?.cancel()
        let waker = waker
        timer = clock.schedule(at: clock.now + .seconds(1)) { waker.wake() }
        return .more
    }

    mutating func finish() throws {
        timer?.cancel()
        if let stream { streams?.close(stream) }
        stream = nil
        streams = nil
    }
}
