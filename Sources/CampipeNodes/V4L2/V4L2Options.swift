import CampipeKit
import CampipeMedia

/// What a camera is asked to give, as an option.
enum V4L2Choice: String, OptionChoice {
    case mjpeg, yuyv, nv12, yuv420, gray, rgb24
}

/// Which camera of this machine is read, and how.
struct V4L2Options: SharedOptions {
    @Option("The camera's device.") var device = "/dev/video0"
    @Option(16...16_384, "Pixels across; left out, what the camera is set to; the nearest that it has is taken.")
    var width: Int? = nil
    @Option(16...16_384, "Pixels down, with width.") var height: Int? = nil
    @Option(0.1...1000, "Pictures a second; left out, what the camera is set to.") var fps: Double? = nil
    @Option("What the camera is to give: mjpeg, as it comes; any other becomes frames.") var format = V4L2Choice.mjpeg

    var layout: CaptureLayout { CaptureLayout(rawValue: format.rawValue) ?? .mjpeg }

    var request: CaptureRequest {
        let size = width.flatMap { width in height.map { Size(width, $0) } }
        return CaptureRequest(path: device, layout: layout, size: size, rate: fps)
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        if (width == nil) != (height == nil) {
            let (given, missing) = width == nil ? ("height", "width") : ("width", "height")
            faults.append(
                Fault(
                    .invalidValue, at: path.key(given), "\(given) does not go without \(missing)",
                    fix: "write width: 1280 and height: 720"))
        }
        if !device.hasPrefix("/") {
            faults.append(
                Fault(.invalidValue, at: path.key("device"), "this is no device's path", fix: "write /dev/video0"))
        }
    }
}
