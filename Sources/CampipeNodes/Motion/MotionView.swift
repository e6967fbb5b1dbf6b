/// What a detector saw last and how, for who wants to see why something was or was not found. A value.
struct MotionView: Sendable {
    var columns: Int
    var rows: Int
    /// The smoothed picture.
    var picture: [UInt8]
    var background: [UInt8]
    /// In levels.
    var unrest: [UInt8]
    /// 1 where motion counts.
    var counted: [UInt8]
    /// 1 where the picture stands out, and without the specks.
    var changed: [UInt8]
    var moved: [UInt8]
    var kept: [UInt8]
    var movers: [MotionRegion]
}
