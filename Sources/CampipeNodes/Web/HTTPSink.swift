import CampipeHTTP
import CampipeKit
import CampipeMedia

/// Shows a stream to browsers and players: H.264 and H.265 as they are, pictures as MJPEG. Nothing is made while nobody
/// looks.
struct HTTPSink: Sink {
    typealias Input = Packet
    static let name = "http"
    static let summary = "Shows a stream to browsers: H.264 and H.265 as they are, everything as MJPEG."
    static let inputs: [any AnyPort] = [
        In<Packet>("input", accepts: [.packets(.jpeg), .packets(.h264), .packets(.h265)]), preview, audio,
    ]
    /// A smaller stream of the same camera, for pages with many.
    static let preview = In<Packet>("preview", optional: true, onDemand: true, accepts: [.packets(.jpeg)])
    /// The sound of the same camera, for who listens.
    static let audio = In<Packet>("audio", optional: true, onDemand: true, accepts: .sound)
    static let lateAfter: Duration? = .seconds(1)

    @Option(
        "Where it is served: a page at PATH; PATH/live.mp4 and PATH/index.m3u8 (HLS) of H.264 and H.265; PATH/stream (MJPEG) and PATH/snapshot.",
        example: "/front") var path: String
    @Option(16...16_384, "Pixels across at most of pictures, rounded up to a step; left out, as they come.")
    var width: Int? = nil
    @Option(0.1...1000, "Pictures a second at most, rounded up to a step; left out, as they come.")
    var fps: Double? = nil
    @Option(1...100, "JPEG quality where pictures are encoded; a camera's own JPEGs pass unchanged.") var quality = 80
    @Option("Who may see it, where the server has users: anyone (public), viewers of the path, or admins.")
    var access = StreamAccess.viewer
    @Option(
        1...32,
        "How many kinds of picture (?width=, ?quality= of viewers) are encoded at once; the next gets the nearest.")
    var maxVariants: Int? = 4
    @Option(1...100_000, "Viewers at once; the next is told to come back.") var maxViewers = 1000

    private var streams: WebStreams?
    private var stream: WebStream?
    private var stills: StillPictureKeeper?
    private var clock: (any PipelineClock)?
    private var times: CaptureTime?
    private var isLive = true
    private var waker = Waker {}
    private var timer: Timer?
    private var sound = WebSound()
    private var log = Log.silent

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
        clock = context.clock
        times = context.captureTime
        isLive = context.isLive
        waker = context.waker
        log = context.log
        let painter = (try? context.service((any StillPainter).self)) ?? StillPictures()
        stills = StillPictureKeeper(painter, pool: context.pool)
        let streams = try context.service(WebStreams.self)
        let limits = StreamLimits(width: width, fps: fps, quality: quality, viewers: maxViewers)
        stream = try streams.open(
            path, access: access, limits: limits,
            WebStream.Surroundings(
                clock: context.clock, demand: context.demand, waker: context.waker, isGated: context.isGated,
                hasSound: context.connected.contains(Self.audio.name), source: context.source))
        self.streams = streams
    }

    mutating func consume<T: Item>(_ item: consuming T, on port: In<T>) throws -> Next {
        let packet = Packet(storage: item.storage)
        guard port.name == Self.audio.name else { return try consume(packet) }
        if let frames = sound.take(packet, log: log) { stream?.video.take(frames, subscription: packet.subscription) }
        return .more
    }

    mutating func consume(_ packet: consuming Packet) throws -> Next {
        guard let stream, let clock, let times else { return .more }
        if packet.subscription >= LiveVideo.firstSubscription || packet.format.coding != .jpeg {
            stream.video.take(packet)
            return .more
        }
        // Cameras of the AVI1 kind leave the standard Huffman tables out, which browsers do not forgive.
        let picture = ShownPicture(
            jpeg: JPEGTables.insertingHuffman(packet.data), size: packet.format.size,
            taken: isLive ? packet.captured : clock.now, time: times.wallTime(at: packet.captured),
            isDamaged: packet.isDamaged)
        stream.show(picture, subscription: packet.subscription)
        return .more
    }

    mutating func gap(_ gap: Gap) {
        if gap.isLost { stream?.lose(since: gap.through) }
    }

    mutating func gate(_ change: GateChange) throws { stream?.gate(isOpen: change.isOpen) }

    /// Paints what stands for pictures that do not come, once a second while somebody looks; a timer wakes it for the
    /// next look, since pictures may come at any time.
    mutating func wake() throws -> Next {
        guard let stream, let clock else { return .more }
        let (orders, next) = stream.stillOrders()
        stills?.keepOnly(orders)
        for order in orders {
            if let jpeg = try stills?.jpeg(of: order) { stream.show(still: jpeg, for: order) }
        }
        timer?.cancel()
        let waker = waker
        timer = next.map { instant in clock.schedule(at: instant) { waker.wake() } }
        return .more
    }

    mutating func finish() throws {
        timer?.cancel()
        if let stream { streams?.close(stream) }
        stream = nil
        streams = nil
    }
}
