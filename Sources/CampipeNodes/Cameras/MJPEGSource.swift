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
    @Option("Whether the camera's certificate is checked, of https.") var tlsVerify = true
    @Option("How often a URL that answers with one JPEG is asked.") var every: Duration = .seconds(1)

    private var surroundings: Surroundings?
    private var connection: MJPEGConnection?
    private var askedAt = Instant.zero
    /// Pictures of the connection at hand.
    private var pictures = 0
    private var isStill = false
    /// Why the last picture of the connection at hand was refused, if one was.
    private var refusedLast: String?
    private var refusals = RefusalNote()

    private struct Surroundings {
        var clock: any PipelineClock
        var waker: Waker
        var log: Log
        var fetcher: HTTPFetcher
        var request: FetchRequest
    }

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
        surroundings = Surroundings(
            clock: context.clock, waker: context.waker, log: context.log,
            fetcher: try context.service(HTTPFetcher.self),
            request: FetchRequest(
                try CameraURL(url), username: username?.revealed, password: password?.revealed,
                connectTimeout: connectTimeout, verifiesTLS: tlsVerify))
        if !tlsVerify { context.log.warning("the camera's certificate is not checked") }
        connect()
    }

    private mutating func connect() {
        guard let surroundings else { return }
        askedAt = surroundings.clock.now
        pictures = 0
        refusedLast = nil
        let waker = surroundings.waker
        connection = MJPEGConnection(
            surroundings.request, fetcher: surroundings.fetcher, clock: surroundings.clock, wake: { waker.wake() })
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let surroundings else { return .ended }
        if connection == nil {
            let due = askedAt + every
            if surroundings.clock.now < due { return .waitUntil(due) }
            connect()
        }
        // A few in one turn; what remains keeps the turn going.
        for _ in 0..<8 {
            guard let event = connection?.next() else { return .wait }
            switch event {
            case .opened(let head):
                let type = MediaType(head.headers["Content-Type"] ?? "").name
                isStill = ["image/jpeg", "image/jpg", "image/pjpeg"].contains(type)
                surroundings.log.debug("the camera answered", ["status": head.status, "type": type])
            case .picture(let picture, let captured):
                pictures += 1
                output.emit(Self.packet(picture, captured))
            case .dropped(let reason):
                let now = surroundings.clock.now
                output.gap(Gap(Self.reason(reason), at: now))
                refusedLast = reason.name
                if let (count, reasons) = refusals.happened(reason.name, at: now) {
                    surroundings.log.warning("pictures refused", ["count": count, "reason": reasons])
                }
            case .ended(let error?): throw error
            case .ended(nil):
                connection = nil
                // One JPEG an answer: ask again when it is time. A stream is not meant to end.
                guard isStill, pictures == 1 else {
                    let why = pictures == 0 ? refusedLast.map { ", and its pictures were refused (\($0))" } : nil
                    throw CampipeError(.unavailable, "the camera ended the stream\(why ?? "")")
                }
                return .waitUntil(askedAt + every)
            }
        }
        return .more
    }

    mutating func finish() throws {
        connection?.cancel()
        connection = nil
        surroundings = nil
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
