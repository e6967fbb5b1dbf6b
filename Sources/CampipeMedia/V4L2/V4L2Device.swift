import CV4L2
import CampipeKit
import Glibc

/// A camera that the kernel's Video4Linux drives, read by its ioctls: buffers of the driver, mapped, one lent after the
/// other (the kernel's userspace API, "Streaming I/O (Memory Mapping)").
@safe final class V4L2Device: CaptureDevice {
    /// Enough for a reader that is late by as many pictures; more would only keep old ones.
    private static let bufferCount: UInt32 = 4

    let facts: CaptureFacts
    private let descriptor: Int32
    private let path: String
    private let buffers: MappedBuffers

    init(_ request: CaptureRequest) throws(CampipeError) {
        path = request.path
        let descriptor = unsafe open(request.path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.openError(request.path, errno) }
        do throws(CampipeError) {
            facts = try Self.agree(request, descriptor)
            buffers = try MappedBuffers(descriptor, count: Self.bufferCount, path: request.path)
            try buffers.start()
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        buffers.stop()
        close(descriptor)
    }

    func next(within limit: Duration) throws(CampipeError) -> CapturedPicture? {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&waiting, 1, Int32(clamping: limit.nanoseconds / 1_000_000))
        guard count > 0 else { return nil }
        return try buffers.take()
    }

    // MARK: Opening

    private static func openError(_ path: String, _ code: Int32) -> CampipeError {
        let attempted = "cannot open \(path)"
        return switch code {
        case ENOENT, ENODEV, ENXIO:
            CampipeError(.unavailable, "\(attempted): there is no such camera", fix: "look with ls /dev/video*")
        case EACCES, EPERM:
            CampipeError(
                .failed, "\(attempted): this user may not", fix: "add the user to the group video, and log in again")
        default: .system(attempted, errno: code, kind: .unavailable)
        }
    }

    private static func agree(_ request: CaptureRequest, _ descriptor: Int32) throws(CampipeError) -> CaptureFacts {
        var capability = v4l2_capability()
        guard unsafe campipe_v4l2_call(descriptor, campipe_v4l2_query_capability, &capability) == 0 else {
            throw CampipeError(.unsupported, "\(request.path) is no camera")
        }
        // Of a camera that is several devices, what this one can do.
        let all = capability.capabilities
        let hasOwn: UInt32 = 0x8000_0000  // V4L2_CAP_DEVICE_CAPS
        let can = all & hasOwn != 0 ? capability.device_caps : all
        guard can & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0, can & UInt32(V4L2_CAP_STREAMING) != 0 else {
            throw CampipeError(
                .unsupported, "\(request.path) captures no pictures", fix: "take the camera's other device")
        }
        let name = unsafe withUnsafeBytes(of: capability.card) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let pix = try setFormat(request, descriptor)
        let layout = request.layout
        let size = Size(Int(pix.width), Int(pix.height))
        return CaptureFacts(
            name: name, layout: layout, size: size,
            bytesPerRow: max(Int(pix.bytesperline), layout.bytesPerRow(size.width)),
            rate: setRate(request.rate, descriptor),
            range: pix.quantization == campipe_v4l2_full_range || layout == .rgb24 ? .full : .limited)
    }

    private static func setFormat(
        _ request: CaptureRequest, _ descriptor: Int32
    ) throws(CampipeError) -> v4l2_pix_format {
        var format = unsafe v4l2_format()
        unsafe format.type = campipe_v4l2_capture
        _ = unsafe campipe_v4l2_call(descriptor, campipe_v4l2_get_format, &format)
        unsafe format.fmt.pix.pixelformat = request.layout.code
        // V4L2_FIELD_ANY: progressive where there is a choice.
        unsafe format.fmt.pix.field = 0
        unsafe format.fmt.pix.bytesperline = 0
        if let size = request.size {
            unsafe format.fmt.pix.width = UInt32(size.width)
            unsafe format.fmt.pix.height = UInt32(size.height)
        }
        let result = unsafe campipe_v4l2_call(descriptor, campipe_v4l2_set_format, &format)
        if result == -EBUSY {
            throw CampipeError(.unavailable, "cannot read \(request.path): another program does")
        }
        let pix = unsafe format.fmt.pix
        guard result == 0, pix.pixelformat == request.layout.code, pix.width > 0, pix.height > 0 else {
            let offered = offered(descriptor)
            let usable = CaptureLayout.allCases.first { offered.contains($0.name) }
            throw CampipeError(
                .unsupported,
                "\(request.path) gives no \(request.layout.name)"
                    + (offered.isEmpty ? "" : "; it has \(offered.joined(separator: ", "))"),
                fix: usable.map { "write {type: v4l2, device: \(request.path), format: \($0.rawValue)}" })
        }
        return pix
    }

    private static func offered(_ descriptor: Int32) -> [String] {
        var names: [String] = []
        for index in 0..<UInt32(32) {
            var description = v4l2_fmtdesc()
            description.index = index
            description.type = campipe_v4l2_capture
            guard unsafe campipe_v4l2_call(descriptor, campipe_v4l2_enumerate_formats, &description) == 0 else { break }
            names.append(CaptureLayout.name(of: description.pixelformat))
        }
        return names
    }

    /// What the camera says then; a driver may know no rates.
    private static func setRate(_ rate: Double?, _ descriptor: Int32) -> Double? {
        var parameters = v4l2_streamparm()
        parameters.type = campipe_v4l2_capture
        guard unsafe campipe_v4l2_call(descriptor, campipe_v4l2_get_parameters, &parameters) == 0 else { return nil }
        if let rate {
            unsafe parameters.parm.capture.timeperframe = v4l2_fract(
                numerator: 1000, denominator: UInt32((rate * 1000).rounded()))
            _ = unsafe campipe_v4l2_call(descriptor, campipe_v4l2_set_parameters, &parameters)
        }
        let interval = unsafe parameters.parm.capture.timeperframe
        guard interval.numerator > 0, interval.denominator > 0 else { return nil }
        return Double(interval.denominator) / Double(interval.numerator)
    }
}
