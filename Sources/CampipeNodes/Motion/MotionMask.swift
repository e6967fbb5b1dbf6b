/// Which cells of a picture stand out from the background, and which of them changed lately. A value.
struct MotionMask: Sendable {
    /// 1 where the picture stands out from the background.
    private(set) var changed: [UInt8]
    /// 1 where it differs from a picture a little before.
    private(set) var moved: [UInt8]
    /// `changed` without its specks.
    private(set) var kept: [UInt8]
    /// `kept`, and the cells around: they hang together.
    private(set) var wide: [UInt8]

    init(count: Int) {
        changed = [UInt8](repeating: 0, count: count)
        (moved, kept, wide) = (changed, changed, changed)
    }

    /// - Parameters:
    ///   - reference: A smoothed picture a little before; nil: nothing moved.
    ///   - counted: 1 where motion counts.
    mutating func take(
        _ picture: [UInt8], against model: BackgroundModel, reference: [UInt8]?, counted: [UInt8], columns: Int,
        rows: Int
    ) {
        MotionCells.changed(picture, model.levels, limits: model.limits, looked: counted, to: &changed)
        if let reference {
            MotionCells.changed(picture, reference, limits: model.limits, looked: counted, to: &moved)
        } else {
            for index in moved.indices { moved[index] = 0 }
        }
        MotionCells.despeckle(changed, columns, rows, kept: &kept, wide: &wide)
    }
}
