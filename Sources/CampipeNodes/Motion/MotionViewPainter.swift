import CampipeKit
import CampipeMedia

/// Paints how a detector came to its observation, as one picture of four: above the picture with the movers' boxes and
/// the background model; below the mask and the unrest.
///
/// Of the mask: grey specks that stand out alone, yellow what stands out and hangs together, red what of it also
/// changed lately (only that is motion); dim blue where motion does not count.
struct MotionViewPainter: Sendable {
    /// How many pixels across and down a cell becomes, so that a small plane can be seen.
    static func magnification(columns: Int) -> Int { min(4, max(1, 480 / max(columns, 1))) }

    /// - Parameter like: The frame that was looked at: its times are taken over.
    static func paint(_ view: MotionView, like frame: Frame, pool: FramePool) -> Frame? {
        guard view.columns > 0, view.rows > 0 else { return nil }
        let factor = magnification(columns: view.columns)
        // Held by the picture alone, so that the boxes are painted in place.
        var picture = frame.replacing(tiles(view, factor, pool), range: .full, matrix: .bt601)
        for mover in view.movers {
            let box = PixelRect(
                x: mover.left * factor, y: mover.top * factor, width: (mover.right - mover.left + 1) * factor,
                height: (mover.bottom - mover.top + 1) * factor)
            Painting.box(box, .yellow, thickness: max(1, factor / 2), opacity: 1).paint(on: &picture)
        }
        return picture
    }

    private static func tiles(_ view: MotionView, _ factor: Int, _ pool: FramePool) -> PixelBuffer {
        let buffer = pool.buffer(.yuv444, Size(view.columns * factor * 2, view.rows * factor * 2))
        let mask = maskPlanes(view)
        let grey = [UInt8](repeating: 128, count: view.columns * view.rows)
        let unrest = view.unrest.map { $0 > 63 ? 255 : $0 * 4 }
        let planes = [
            [view.picture, view.background, mask.0, unrest], [grey, grey, mask.1, grey], [grey, grey, mask.2, grey],
        ]
        for (plane, tiles) in planes.enumerated() {
            unsafe buffer.withMutablePlane(plane) { base, shape in
                for y in 0..<view.rows * 2 {
                    let row = unsafe base + y * factor * shape.stride
                    let cells = (y % view.rows) * view.columns
                    let (left, right) = (tiles[y < view.rows ? 0 : 2], tiles[y < view.rows ? 1 : 3])
                    for x in 0..<view.columns {
                        unsafe (row + x * factor).update(repeating: left[cells + x], count: factor)
                        unsafe (row + (view.columns + x) * factor).update(repeating: right[cells + x], count: factor)
                    }
                    for copy in 1..<factor {
                        unsafe (row + copy * shape.stride).update(from: row, count: shape.width)
                    }
                }
            }
        }
        return buffer
    }

    /// The mask's colours, as three planes.
    private static func maskPlanes(_ view: MotionView) -> ([UInt8], [UInt8], [UInt8]) {
        var planes = (
            [UInt8](repeating: 16, count: view.counted.count), [UInt8](repeating: 128, count: view.counted.count),
            [UInt8](repeating: 128, count: view.counted.count)
        )
        for index in view.counted.indices {
            let color: (UInt8, UInt8, UInt8)
            if view.counted[index] == 0 {
                color = (40, 180, 110)
            } else if view.kept[index] != 0 {
                color = view.moved[index] != 0 ? (90, 90, 230) : (200, 30, 145)
            } else if view.changed[index] != 0 {
                color = (110, 128, 128)
            } else {
                continue
            }
            (planes.0[index], planes.1[index], planes.2[index]) = color
        }
        return planes
    }
}
