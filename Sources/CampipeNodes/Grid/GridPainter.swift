import CampipeKit
import CampipeMedia

/// Puts the cells of a grid together. A cell is drawn when its picture or its state changes; a picture in which no cell
/// changed shares the pixels of the one before.
///
/// One owner, in one node's turns.
final class GridPainter {
    private let size: Size
    private let pool: FramePool
    private let rate: Double
    private var cells: [MosaicCell]
    private let layout: GridLayout
    private var last: PixelBuffer?
    /// How often the cells were put together.
    private(set) var compositions = 0

    /// - Parameters:
    ///   - names: What stands in each cell; empty where nothing does.
    ///   - isOff: Which cells' inputs are switched off.
    init(
        _ layout: GridLayout, size: Size, names: [String], isOff: [Bool], fit: Fit, rate: Double,
        painter: any StillPainter, pool: FramePool
    ) {
        self.layout = layout
        self.size = size
        self.rate = rate
        self.pool = pool
        let labels = CellLabels()
        cells = zip(layout.cells, zip(names, isOff)).map { rect, cell in
            MosaicCell(
                rect.size, name: cell.0, isOff: cell.1, fit: fit, labels: labels, painter: painter, pool: pool)
        }
    }

    var count: Int { cells.count }

    /// What came for a cell up to an instant, if anything.
    func take(_ frame: Frame?, _ condition: Parts.Condition, at instant: Instant, _ index: Int) throws(CampipeError) {
        if try cells[index].take(frame, condition, at: instant) { last = nil }
    }

    /// All cells as they are.
    func picture(at instant: Instant) -> Frame {
        let pixels = last ?? compose()
        last = pixels
        return Frame(
            pixels, range: .full, matrix: .bt601, rate: rate, captured: instant, pts: MediaTime(instant - .zero))
    }

    private func compose() -> PixelBuffer {
        compositions += 1
        let buffer = pool.buffer(.yuv420, size)
        let isWhole = layout.cells.count % layout.columns == 0
        for index in buffer.planes.indices {
            let part = index == 0 ? 1 : 2
            unsafe buffer.withMutablePlane(index) { base, plane in
                // The last row may have cells that are not there.
                if !isWhole {
                    unsafe base.update(repeating: index == 0 ? 16 : 128, count: plane.stride * plane.height)
                }
                for (rect, cell) in zip(layout.cells, cells) {
                    unsafe cell.picture.withPlane(index) { source, own in
                        let columns = min(own.width, plane.width - rect.x / part)
                        for y in 0..<min(own.height, plane.height - rect.y / part) {
                            let row = unsafe base + (rect.y / part + y) * plane.stride + rect.x / part
                            unsafe row.update(from: source + y * own.stride, count: columns)
                        }
                    }
                }
            }
        }
        return buffer
    }
}
