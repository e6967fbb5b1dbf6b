import CampipeHTTP
import CampipeKit

/// What was seen of a camera over HTTP so far, and whether that is enough. A value.
struct HTTPSample: Sendable {
    private let url: CameraURL
    private var head: ResponseHead?
    private var size: Size?
    private var count = 0
    private var cadence = Cadence()
    private var isStill = false
    private var isOver = false
    /// Why the last picture was refused that was, and how many were.
    private var refused: String?
    private var refusals = 0

    init(url: CameraURL) { self.url = url }

    var hasPictures: Bool { count > 0 }

    /// Takes what the session told.
    ///
    /// - Throws: What ended it, where there was no picture.
    mutating func take(_ event: MJPEGConnection.Event) throws(CampipeError) {
        switch event {
        case .opened(let head): self.head = head
        case .picture(let picture, let captured):
            size = Size(picture.width, picture.height)
            came(1, captured)
        case .overrun(let count, let through): came(count, through)
        case .dropped(.secondView, _): break
        case .dropped(let reason, let count):
            refused = reason.name
            refusals += count
        case .resting: isStill = hasPictures
        case .ended(let error):
            guard !hasPictures else {
                isOver = true
                return
            }
            throw error
                ?? CampipeError(
                    .unsupported, "\(url.shown): the stream ended, and its pictures were refused (\(refused ?? "none"))"
                )
        }
    }

    private mutating func came(_ more: Int, _ captured: Instant) {
        count += more
        cadence.came(count, at: captured)
    }

    /// When to look again though nothing came; nil before the first picture.
    var due: Instant? { cadence.due }

    func isEnough(_ now: Instant) -> Bool { isStill || isOver || cadence.isEnough(now) }

    /// Nothing came in time.
    var timeOut: CampipeError {
        let seconds = Int(CameraProbers.patience.seconds)
        if head == nil {
            return CampipeError(
                .timedOut, "cannot open \(url.shown): no answer in \(seconds) s", fix: "check the address and the path")
        }
        let why = refused.map { ", and what came was refused (\($0))" } ?? ""
        return CampipeError(
            .timedOut, "\(url.shown): it answers, but no picture came in \(seconds) s\(why)",
            fix: "see whether the camera shows a picture in a browser")
    }

    var finding: CameraFinding {
        let type = MediaType(head?.headers["Content-Type"] ?? "")
        let name = type.name.isEmpty ? "no type" : type.name
        let transport = url.text.lowercased().hasPrefix("https:") ? "HTTPS" : "HTTP"
        let shape =
            if type.name.hasPrefix("multipart/") {
                "\(name), " + (type.boundary.map { "boundary \"\($0)\"" } ?? "no boundary given")
            } else {
                isStill ? name : "JPEGs back to back, \(name)"
            }
        return CameraFinding(
            speaks: "\(isStill ? "JPEG" : "MJPEG") over \(transport)", shape: shape, size: size,
            fps: isStill ? nil : cadence.fps,
            login: head.map(\.challenges).flatMap { $0.isEmpty ? nil : $0.joined(separator: ", ") },
            isStill: isStill, refused: refused.map { (refusals, $0) })
    }
}
