import CampipeKit
import CampipeMedia

/// What a `BrightCamera` does, from the test's hand.
final class CameraScript: Sendable {
    private struct State {
        var isSending = true
        var shots = 0
    }
    private let state = Lock(State())
    let jpeg: Bytes
    let size: Size
    let interval: Duration

    init(size: Size = Size(640, 360), interval: Duration = .milliseconds(100), hasTables: Bool = true) throws {
        self.size = size
        self.interval = interval
        let buffer = FramePool.shared.buffer(.yuv420, size)
        for index in buffer.planes.indices {
            buffer.withMutablePlane(index) { base, plane in
                base.update(repeating: index == 0 ? 200 : 128, count: plane.stride * plane.height)
            }
        }
        let frame = Frame(buffer, range: .full, matrix: .bt601, captured: .zero, pts: MediaTime(.zero))
        jpeg = try JPEGEncoder().encode(frame, quality: 90, pool: .shared)
    }

    var isSending: Bool {
        get { state.withLock { $0.isSending } }
        set { state.withLock { $0.isSending = newValue } }
    }
    /// How many pictures were sent.
    var shots: Int { state.withLock { $0.shots } }
    func shoot() { state.withLock { $0.shots += 1 } }
}

/// A live camera of bright grey JPEGs, at the pace of its script; while the script says so it is silent.
struct BrightCamera: Source {
    static let name = "bright"
    static let summary = "A camera for tests."
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]

    private var script: CameraScript?
    private var clock: (any PipelineClock)?
    private var due = Instant.zero

    mutating func open(_ context: borrowing Context) throws {
        script = try context.service(CameraScript.self)
        clock = context.clock
        due = context.clock.now
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let script, let clock else { return .ended }
        let now = clock.now
        guard now >= due else { return .waitUntil(due) }
        due = now + script.interval
        guard script.isSending else { return .waitUntil(due) }
        script.shoot()
        output.emit(
            Packet(
                script.jpeg, format: PacketFormat(.jpeg, size: script.size), captured: now,
                pts: MediaTime(now - .zero)))
        return .waitUntil(due)
    }
}
