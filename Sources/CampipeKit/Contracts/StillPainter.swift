/// Paints what is shown in the place of a picture that does not come. A service: whoever shows pictures (`http`,
/// `terminal`, `grid`) takes it from `context.service`, so that an old picture looks the same everywhere.
///
/// Any thread may call it; nothing waits, but a picture is decoded or encoded in the call, so it belongs into a turn.
public protocol StillPainter: Sendable {
    /// The picture of an intra-coded packet, decoded and dimmed.
    ///
    /// - Throws: `.badData` when there is no picture in it, `.unsupported` of what is not JPEG.
    func dimmed(_ packet: Packet, pool: FramePool) throws -> Frame

    /// The picture dimmed, for whoever has frames; it is changed in place where nobody else holds it.
    func dimmed(_ frame: consuming Frame) -> Frame

    /// The picture with its age as text in the middle; the one that is given stays as it is.
    func aged(_ dimmed: Frame, by age: Duration) -> Frame

    /// A dark picture that says NO SIGNAL.
    func noSignal(_ size: Size, pool: FramePool) -> Frame

    /// A dark picture that says WAITING: the camera may be well, and nothing is to be shown now.
    func waiting(_ size: Size, pool: FramePool) -> Frame

    /// The picture as a JPEG.
    ///
    /// - Throws: `.unsupported` for a side of more than 65,535 pixels.
    func jpeg(_ frame: Frame, pool: FramePool) throws -> Bytes
}
