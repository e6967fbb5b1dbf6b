package import CampipeKit

/// A camera on this machine while it captures. One owner, one thread at a time.
package protocol CaptureDevice: AnyObject {
    /// What was agreed with it.
    var facts: CaptureFacts { get }
    /// The next picture, if one comes within a time.
    ///
    /// - Throws: `.unavailable` once it is gone.
    func next(within limit: Duration) throws(CampipeError) -> CapturedPicture?
}

/// What is asked of a camera.
package struct CaptureRequest: Hashable, Sendable {
    /// Such as `/dev/video0`.
    package var path: String
    package var layout: CaptureLayout
    /// nil takes what it is set to.
    package var size: Size?
    /// Pictures a second; nil takes what it is set to.
    package var rate: Double?

    package init(path: String, layout: CaptureLayout, size: Size? = nil, rate: Double? = nil) {
        self.path = path
        self.layout = layout
        self.size = size
        self.rate = rate
    }
}

/// What a camera says it will give; a size or rate that it does not have becomes the nearest.
package struct CaptureFacts: Hashable, Sendable {
    /// As it calls itself.
    package var name: String
    package var layout: CaptureLayout
    package var size: Size
    /// From one row to the next, of what is no JPEG.
    package var bytesPerRow: Int
    package var rate: Double?
    package var range: ColorRange

    package init(
        name: String, layout: CaptureLayout, size: Size, bytesPerRow: Int, rate: Double? = nil,
        range: ColorRange = .limited
    ) {
        self.name = name
        self.layout = layout
        self.size = size
        self.bytesPerRow = bytesPerRow
        self.rate = rate
        self.range = range
    }
}

/// One picture as the driver gave it.
package struct CapturedPicture: Sendable {
    package var bytes: Bytes
    /// On CLOCK_MONOTONIC, in nanoseconds, where the driver keeps that.
    package var time: Int64?
    /// The driver's number, which counts those that it lost too.
    package var sequence: UInt32
    /// Whether the driver says that it came broken.
    package var isDamaged: Bool

    package init(_ bytes: Bytes, time: Int64? = nil, sequence: UInt32, isDamaged: Bool = false) {
        self.bytes = bytes
        self.time = time
        self.sequence = sequence
        self.isDamaged = isDamaged
    }
}

/// Opens cameras: a service, so that a test can have one that is none.
package struct CaptureDevices: Sendable {
    package let open: @Sendable (CaptureRequest) throws(CampipeError) -> any CaptureDevice

    /// - Parameter open: What opens one; throws `.unavailable` where there is none, `.unsupported` for a layout that it
    ///   does not have.
    package init(open: @escaping @Sendable (CaptureRequest) throws(CampipeError) -> any CaptureDevice) {
        self.open = open
    }

    /// Those of the kernel.
    package static let v4l2 = CaptureDevices { request throws(CampipeError) in try V4L2Device(request) }
}
