import CampipeKit

/// What a camera turned out to speak. A value.
struct CameraFinding: Equatable, Sendable {
    /// `MJPEG over HTTP`, `H.264 from a file`.
    var speaks: String
    /// More about how: `multipart/x-mixed-replace, boundary "frame"`.
    var shape: String?
    var size: Size?
    /// Pictures a second; nil where it could not be told, or where the camera is asked for single pictures.
    var fps: Double?
    /// How it asks for a password: `Digest`; nil where it asks for none or cannot.
    var login: String?
    /// Whether a URL that answers with one picture is asked again and again.
    var isStill = false
    /// How many pictures were refused beside those that were not, and why the last.
    var refused: (count: Int, reason: String)? = nil

    static func == (left: CameraFinding, right: CameraFinding) -> Bool { left.lines == right.lines }

    /// Three lines for people; what the camera said drives no terminal and ends no comment.
    var lines: [String] {
        let rate: String =
            if isStill {
                "single pictures, asked for once a second"
            } else {
                fps.map(Self.pace) ?? "how many pictures a second is not known"
            }
        let lost = refused.map { ", \($0.count) more refused (\($0.reason))" } ?? ""
        return [
            speaks + (shape.map { ": \($0)" } ?? ""), (size.map { "\($0), " } ?? "") + rate + lost,
            login.map { "asks for a password (\($0))" } ?? "asks for no password",
        ].map { PrintableText.escaping($0) }
    }

    /// For programs, with the file that reads the camera.
    func json(url: String, file: String) -> String {
        func text(_ value: String?) -> String { value.map(JSONString.quoted) ?? "null" }
        let members = [
            ("url", JSONString.quoted(url)), ("speaks", JSONString.quoted(speaks)), ("shape", text(shape)),
            ("width", size.map { String($0.width) } ?? "null"), ("height", size.map { String($0.height) } ?? "null"),
            ("fps", fps.map(Self.rounded) ?? "null"), ("still", String(isStill)),
            ("refused", refused.map { String($0.count) } ?? "0"), ("login", text(login)),
            ("file", JSONString.quoted(file)),
        ]
        return "{\(members.map { "\(JSONString.quoted($0.0)):\($0.1)" }.joined(separator: ","))}\n"
    }

    private static func pace(_ rate: Double) -> String {
        rate < 0.95 && rate > 0 ? "a picture every \(rounded(1 / rate)) s" : "\(rounded(rate)) pictures a second"
    }

    /// With one place, where it needs one.
    private static func rounded(_ rate: Double) -> String {
        let tenths = Int((rate * 10).rounded())
        return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
    }
}
