import CampipeKit

/// What a generated stream shows.
enum PatternScene: String, OptionChoice {
    /// Coloured bars, a square that wanders over them, and a ramp of grey.
    case bars
}

/// Paints the pictures of a generated stream into pooled memory.
struct PatternPainter: Sendable {
    private let size: Size
    private let fps: Double
    private let pool: FramePool
    private let bars: ColorBars

    init(_ scene: PatternScene, size: Size, fps: Double, pool: FramePool) {
        self.size = size
        self.fps = fps
        self.pool = pool
        bars = ColorBars(size)
    }

    /// The picture of a number; the same number gives the same picture.
    func frame(_ number: Int, captured: Instant, pts: MediaTime) -> Frame {
        let buffer = pool.buffer(.yuv420, size)
        bars.paint(buffer, at: pts.duration.seconds)
        return Frame(buffer, rate: fps, captured: captured, pts: pts)
    }
}
