import CampipeHTTP
import CampipeKit

/// Reads pictures from a camera that sends them over HTTP: MJPEG of any shape, or one JPEG an answer.
struct MJPEGSource: Source {
    static let name = "mjpeg"
    static let summary = "Reads MJPEG, or single JPEGs, over HTTP."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    @Option("Where the camera answers, such as http://192.168.1.20/video.") var url: String
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

    private var clock: (any PipelineClock)?
    private var log: Log?
    private var connection: MJPEGConnection?
    /// Pictures of the connection at hand.
    private var pictures = 0
    /// Why the last picture of the connection at hand was refused, if one was.
    private var refusedLast: String?
    private var refusals = RefusalNote()

    var format: Format? { .packets(.jpeg) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if let fault = urlFault(at: path.key("url")) { faults.append(fault) }
        if connectTimeout <= .zero {
            faults.append(Fault(.outOfRange, at: path.key("connect_timeout"), "a timeout is above 0", fix: "write 10s"))
        }
        if every < .milliseconds(10) {
            faults.append(
                Fault(.outOfRange, at: path.key("every"), "that is too often", fix: "accepted: 10ms and more"))
        }
        faults += CameraTrust(
            isHTTPS: CameraScheme.scheme(of: url) == "https", isChecked: tlsVerify, caFile: caFile,
            fingerprint: tlsFingerprint
        ).faults(at: path)
        if let fault = CameraProxy.fault(proxy, at: path.key("proxy")) { faults.append(fault) }
    }

    private func urlFault(at path: FaultPath) -> Fault? {
        if let fault = CameraScheme.hostFault(url, at: path) { return fault }
        do throws(CampipeError) {
            return CameraAuthority.fault(try CameraURL(url), at: path)
        } catch {
            return Fault(.invalidValue, at: path, error.message, fix: error.fix)
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        let request = FetchRequest(
            try CameraURL(url), username: username?.revealed, password: password?.revealed,
            connectTimeout: connectTimeout, verifiesTLS: tlsVerify, caFile: caFile,
            fingerprint: tlsFingerprint.flatMap { TLSFingerprint($0) }, proxy: CameraProxy.text(proxy))
        let fetcher = try context.service(HTTPFetcher.self)
        clock = context.clock
        log = context.log
        let isUnproven = !tlsVerify && tlsFingerprint == nil && CameraScheme.scheme(of: url) == "https"
        if isUnproven, fetcher.isFirst("unproven \(context.id)") {
            context.log.warning("the camera's certificate is not checked: anybody in between can read and change all")
        }
        let waker = context.waker
        connection = MJPEGConnection(
            request, fetcher: fetcher, clock: context.clock, every: every, wake: { waker.wake() })
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let clock, let connection else { return .ended }
        // A few in one turn; what remains keeps the turn going.
        for _ in 0..<8 {
            guard let event = connection.next() else { return .wait }
            switch event {
            case .opened(let head):
                let type = MediaType(head.headers["Content-Type"] ?? "").name
                log?.debug("the camera answered", ["status": head.status, "type": type])
            case .picture(let picture, let captured):
                pictures += 1
                output.emit(Self.packet(picture, captured))
            case .dropped(let reason, let count):
                output.gap(Gap(Self.reason(reason), count: count, at: clock.now))
                refused(reason.name, count, at: clock.now)
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

    private static func packet(_ picture: JPEGPicture, _ captured: Instant) -> Packet {
        var packet = Packet(
            picture.bytes, format: PacketFormat(.jpeg, size: Size(picture.width, picture.height)), captured: captured,
            pts: MediaTime(captured - .zero))
        if picture.isDamaged { packet.isDamaged = true }
        if let timestamp = picture.timestamp { packet.cameraTime = timestamp }
        return packet
    }

    private static func reason(_ reason: PictureDropReason) -> DropReason {
        switch reason {
        case .truncated: .truncated
        case .notJPEG, .unsupportedPart: .notJPEG
        case .tooLarge: .tooLarge
        }
    }
}
