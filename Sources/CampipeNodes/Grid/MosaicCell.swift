import CampipeKit
import CampipeMedia

/// One cell of a grid: its picture in the cell's size, and what it shows while none comes.
struct MosaicCell {
    /// What is shown, yuv420 of all levels, as large as the cell.
    private(set) var picture: Frame
    private let size: Size
    private let name: String
    private let isOff: Bool
    private let fit: Fit
    private let labels: CellLabels
    private let painter: any StillPainter
    private let pool: FramePool
    private let scaler = Scaler()
    private var health = StreamHealth()
    private var hasBegun = false
    /// The last picture, darkened, while no other comes.
    private var dimmed: Frame?
    private var shown = Shown.nothing
    /// When the last picture was captured.
    private var lastSeen: Instant?
    /// The last one that was decoded without damage.
    private var lastGood: Instant?

    private enum Shown: Hashable {
        case nothing
        case live
        /// The last picture, so many seconds old.
        case stale(Int64)
        case noSignal
        case off
    }

    /// A damaged picture is shown where no good one is younger.
    private static let goodFor = Duration.seconds(1)

    init(
        _ size: Size, name: String, isOff: Bool, fit: Fit, labels: CellLabels, painter: any StillPainter,
        pool: FramePool
    ) {
        self.size = size
        self.name = name
        self.isOff = isOff
        self.fit = fit
        self.labels = labels
        self.painter = painter
        self.pool = pool
        picture = labels.corner(name, on: Self.dark(size, pool))
    }

    private static func dark(_ size: Size, _ pool: FramePool) -> Frame {
        let buffer = pool.buffer(.yuv420, size)
        for index in buffer.planes.indices {
            unsafe buffer.withMutablePlane(index) { base, plane in
                unsafe base.update(repeating: index == 0 ? 40 : 128, count: plane.stride * plane.height)
            }
        }
        return Frame(buffer, range: .full, matrix: .bt601, captured: .zero, pts: MediaTime(.zero))
    }

    /// Takes what came up to an instant.
    ///
    /// - Returns: Whether the cell looks otherwise now.
    mutating func take(
        _ frame: consuming Frame?, _ condition: Parts.Condition, at instant: Instant
    ) throws(CampipeError) -> Bool {
        if !hasBegun { health.opened(at: instant) }
        hasBegun = true
        let frame = frame.flatMap { isWorthShowing($0) ? $0 : nil }
        if let frame {
            health.came(frame.captured)
            lastSeen = frame.captured
            if !frame.isDamaged { lastGood = frame.captured }
        }
        if condition != .flowing, !health.isLost { health.lost(since: instant) }
        let next = look(at: instant)
        if next == .live, let frame {
            let scaled = try scaler.scale(
                frame, to: size, pixel: .yuv420, range: .full, matrix: .bt601, fit: fit, pool: pool)
            // Nobody else holds it, so that its name is written in place.
            picture = labels.corner(name, on: consume scaled)
            dimmed = nil
        } else {
            guard next != shown else { return false }
            draw(next, at: instant)
        }
        shown = next
        return true
    }

    private func isWorthShowing(_ frame: Frame) -> Bool {
        guard frame.isDamaged, let lastGood else { return true }
        return frame.captured - lastGood >= Self.goodFor
    }

    private func look(at instant: Instant) -> Shown {
        if isOff { return .off }
        switch health.condition(at: instant) {
        case .live: return lastSeen == nil ? .nothing : .live
        case .lost: return .noSignal
        case .stale: return .stale((instant - (lastSeen ?? instant)).nanoseconds / 1_000_000_000)
        }
    }

    private mutating func draw(_ next: Shown, at instant: Instant) {
        switch next {
        case .nothing, .live: picture = labels.corner(name, on: Self.dark(size, pool))
        case .noSignal: picture = labels.corner(name, on: painter.noSignal(size, pool: pool))
        case .off: picture = labels.corner(name, on: labels.middle("OFF", on: Self.dark(size, pool)))
        case .stale:
            let base = dimmed ?? painter.dimmed(picture)
            dimmed = base
            picture = labels.corner(name, on: painter.aged(base, by: instant - (lastSeen ?? instant)))
        }
    }
}
