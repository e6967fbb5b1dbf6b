import CampipeHTTP
import CampipeKit

/// Reads pictures from a camera that sends them over HTTP: MJPEG of any shape, or one JPEG an answer.
struct MJPEGSource: Source {
    static let name = "mjpeg"
    static let summary = "Reads MJPEG, or single JPEGs, over HTTP."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("Where the camera answers, such as http://192.168.1.20/video.", example: "http://192.168.1.20/video")
    var url: String
    var http = HTTPCameraOptions()

    private var clock: (any PipelineClock)?
    private var log: Log?
    private var connection: MJPEGConnection?
    /// Pictures of the connection at hand.
    private var pictures = 0
    /// Why the last picture of the connection at hand was refused, if one was.
    private var refusedLast: String?
    /// Pictures that were cut, and are not told yet: the connection's end may be what cut them.
    private var cut = 0
    private var refusals = RefusalNote()
    /// That of the last picture; kept, since most have the same.
    private var packetFormat = PacketFormat.jpeg

    var format: Format? { .packets(.jpeg) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let fault = urlFault(at: path.key("url")) { faults.append(fault) }
        http.check(url, at: path, into: &faults)
    }

    private func urlFault(at path: FaultPath) -> Fault? {
        if let fault = CameraScheme.hostFault(url, at: path) ?? CameraScheme.blankFault(url, at: path) { return fault }
        do throws(CampipeError) {
            return CameraAuthority.fault(try CameraURL(url), at: path)
        } catch {
            return Fault(.invalidValue, at: path, error.message, fix: error.fix ?? "write it as http://host/path")
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        let request = http.request(try CameraURL(url))
        let fetcher = try context.service(HTTPFetcher.self)
        clock = context.clock
        log = context.log
        if http.trust(url).isUnproven, fetcher.isFirst("unproven \(context.id)") {
            context.log.warning("the camera's certificate is not checked: anybody in between can read and change all")
        }
        let waker = context.waker
        connection = MJPEGConnection(
            request, fetcher: fetcher, clock: context.clock, every: http.every, wake: { waker.wakeHere() })
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let connection else { return .ended }
        // A few in one turn; what remains keeps the turn going.
        for _ in 0..<8 {
            guard let event = connection.next() else { return .wait }
            if cut > 0 { tellCut(by: event, at: clock?.now ?? .zero) }
            switch event {
            case .opened(let head):
                let type = MediaType(head.headers["Content-Type"] ?? "").name
                log?.debug("the camera answered", ["status": head.status, "type": type])
            case .picture(let picture, let captured):
                pictures += 1
                output.emit(packet(picture, captured))
            case .dropped(let reason, let count):
                let now = clock?.now ?? .zero
                output.gap(Gap(Self.reason(reason), count: count, at: now))
                switch reason {
                // What belongs to the picture before it is no loss.
                case .secondView: break
                case .truncated: cut += count
                default: refused(Self.reason(reason).name, count, at: now)
                }
            case .overrun(let count, let through): output.gap(Gap(.overrun, count: count, at: through))
            case .resting(let until): output.rest(until: until)
            case .ended(let error?): throw error
            case .ended(nil):
                if pictures == 0, let refusedLast {
                    throw CampipeError(
                        .unavailable, "the camera ended the stream, and its pictures were refused (\(refusedLast))")
                }
                throw CampipeError(.ended, "the camera ended the stream")
            }
        }
        return .more
    }

    /// Of what the connection's end cut its loss tells, which is said once a cause.
    private mutating func tellCut(by event: MJPEGConnection.Event, at now: Instant) {
        if case .ended = event {
            refusedLast = DropReason.truncated.name
        } else {
            refused(DropReason.truncated.name, cut, at: now)
        }
        cut = 0
    }

    private mutating func refused(_ reason: String, _ count: Int, at now: Instant) {
        refusedLast = reason
        if let (count, reasons) = refusals.happened(reason, count, at: now) {
            log?.warning("pictures refused", ["count": count, "reason": reasons])
        }
    }

    mutating func finish() throws {
        connection?.cancel()
        connection = nil
    }

    private mutating func packet(_ picture: JPEGPicture, _ captured: Instant) -> Packet {
        let size = Size(picture.width, picture.height)
        if packetFormat.size != size { packetFormat = PacketFormat(.jpeg, size: size) }
        var packet = Packet(
            picture.bytes, format: packetFormat, captured: captured,
            pts: MediaTime(ticks: captured.nanoseconds, timebase: .nanoseconds))
        if picture.isDamaged { packet.isDamaged = true }
        if let timestamp = picture.timestamp { packet.cameraTime = timestamp }
        return packet
    }

    private static func reason(_ reason: PictureDropReason) -> DropReason {
        switch reason {
        case .truncated: .truncated
        case .notJPEG, .unsupportedPart: .notJPEG
        case .tooLarge: .tooLarge
        case .secondView: .filtered
        }
    }
}
