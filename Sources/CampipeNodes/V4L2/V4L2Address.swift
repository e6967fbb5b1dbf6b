import CampipeKit

/// What `v4l2:///dev/video0?width=1280&height=720&fps=30` asks for; a device's path alone means it too.
struct V4L2Address: Hashable, Sendable {
    var device: String
    var size: Size?
    var fps: Double?

    /// - Throws: `.configuration` with what would be accepted.
    init(_ url: String) throws(CampipeError) {
        var rest = Substring(url)
        for prefix in ["v4l2://", "v4l2:", "file://", "file:"] where rest.lowercased().hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            break
        }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        device = parts.first.map(String.init) ?? ""
        guard device.hasPrefix("/"), device.count > 1 else {
            throw CampipeError(.configuration, "the URL names no device", fix: "write v4l2:///dev/video0")
        }
        var (width, height): (Int?, Int?) = (nil, nil)
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            let key = sides.first ?? ""
            guard ["width", "height", "fps"].contains(key) else {
                throw CampipeError(
                    .configuration, "unknown setting \"\(key.prefix(40))\" of a v4l2 camera",
                    fix: Nearest.fix(key, in: ["width", "height", "fps"]))
            }
            let number = sides.count == 2 ? Double(sides[1]) : nil
            switch (key, number) {
            case ("width", let number?) where (16...16_384).contains(number): width = Int(number)
            case ("height", let number?) where (16...16_384).contains(number): height = Int(number)
            case ("fps", let number?) where (0.1...1000).contains(number): fps = number
            default:
                throw CampipeError(
                    .configuration, "\"\(pair.prefix(40))\" is out of range of a v4l2 camera",
                    fix: "accepted: width and height 16…16384, fps 0.1…1000")
            }
        }
        guard (width == nil) == (height == nil) else {
            throw CampipeError(
                .configuration, "width and height go together", fix: "write ?width=1280&height=720")
        }
        if let width, let height { size = Size(width, height) }
    }
}
