import CampipeKit
import CampipeMedia

/// One camera that does not exist: JPEG pictures of a demo scene by their number, painted when somebody asks.
final class SimulatedCamera: Sendable {
    let fps: Double
    private let scene: DemoScene
    private let state = Lock<(encoder: JPEGEncoder?, newest: (number: Int, jpeg: Bytes)?)>((nil, nil))
    private let pool = FramePool()

    init(_ kind: DemoScene.Kind, size: Size, fps: Double, seed: UInt64) {
        self.fps = fps
        scene = DemoScene(kind, size: size, seed: seed)
    }

    /// When a picture is due, since the camera began.
    func time(of number: Int) -> Duration { .nanoseconds(Int64(Double(number) / fps * 1e9)) }

    /// The number of the picture that is due at a time since the camera began.
    func number(at time: Duration) -> Int { Int((time.seconds * fps).rounded(.down)) }

    /// A picture as JPEG; all who ask for the same one share it.
    func picture(_ number: Int) throws -> Bytes {
        let known = state.withLock { $0.newest }
        if let known, known.number == number { return known.jpeg }
        let time = time(of: number)
        let frame = scene.frame(at: time, rate: fps, captured: .zero + time, pool: pool)
        let jpeg = try JPEGEncoder().encode(frame, quality: 85, pool: pool)
        state.withLock { $0.newest = (number, jpeg) }
        return jpeg
    }
}
