import CampipeKit
import CampipeMedia
import Dispatch

/// One camera that does not exist: JPEG pictures of a demo scene by their number, painted when somebody asks.
final class SimulatedCamera: Sendable {
    let fps: Double
    private let scene: DemoScene
    private let pool = FramePool()
    /// The newest picture; all who ask for the same one share it.
    private let newest = Lock<(number: Int, jpeg: Bytes)?>(nil)
    /// Who asks meanwhile waits here, on a thread of its own.
    private let painting = DispatchQueue(label: "campipe.simulate.painting")

    init(_ kind: DemoScene.Kind, size: Size, fps: Double, seed: UInt64) {
        self.fps = fps
        scene = DemoScene(kind, size: size, seed: seed)
    }

    /// When a picture is due, since the camera began.
    func time(of number: Int) -> Duration { .nanoseconds(Int64(Double(number) / fps * 1e9)) }

    /// The number of the picture that is due at a time since the camera began.
    func number(at time: Duration) -> Int { Int((time.seconds * fps).rounded(.down)) }

    /// A picture as JPEG. Blocks while it is painted.
    func picture(_ number: Int) throws -> Bytes {
        try painting.sync {
            if let newest = newest.withLock({ $0 }), newest.number == number { return newest.jpeg }
            let time = time(of: number)
            let frame = scene.frame(at: time, rate: fps, captured: .zero + time, pool: pool)
            let jpeg = try JPEGEncoder().encode(frame, quality: 85, pool: pool)
            newest.withLock { $0 = (number, jpeg) }
            return jpeg
        }
    }
}
