import CampipeHTTP
import CampipeKit

/// What a stream answers, as text.
extension WebStream {
    static func snapshot(
        _ picture: ShownPicture, age: Duration, _ more: HTTPHeaders = [:], state: String = "live"
    ) -> HTTPAnswer {
        var headers: HTTPHeaders = [
            "X-Timestamp": unix(picture.time), "Age": String(max(0, age.nanoseconds / 1_000_000_000)),
            "X-Age-Seconds": seconds(age), "X-Campipe-State": state,
        ]
        headers.add(contentsOf: more)
        return .complete(.jpeg(picture.jpeg, headers: headers))
    }

    /// What is said of a picture that is larger than its viewer asked for: as many kinds as the sink makes were made
    /// already, and this is the nearest one.
    static func headers(of picture: ShownPicture, for request: ViewerRequest) -> HTTPHeaders {
        guard let width = request.width, let size = picture.size, size.width > width else { return [:] }
        return ["X-Campipe-Nearest": "\(size.width)x\(size.height)"]
    }

    /// The size last seen, as it would come for a request.
    static func size(_ last: Size?, request: ViewerRequest, _ limits: StreamLimits) -> Size {
        let size = last ?? Size(640, 360)
        guard let width = request.width ?? (last == nil ? limits.width : nil), width < size.width else { return size }
        return Size(width, max(2, size.height * width / size.width & ~1))
    }

    static func unix(_ time: WallTime) -> String {
        let micros = String(time.microseconds % 1_000_000)
        return
            "\(time.microseconds / 1_000_000).\(String(repeating: "0", count: max(0, 6 - micros.utf8.count)))\(micros)"
    }

    /// Seconds with three places.
    static func seconds(_ age: Duration) -> String {
        let number = max(0, age.nanoseconds / 1_000_000)
        let rest = String(number % 1000)
        return "\(number / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
    }

    /// The state of a stream that is off.
    static func offStateJSON(nodes: String?) -> String {
        stateJSON(
            quality: 0, size: nil, isOnline: false, state: "off", fps: 0, queued: 0, viewers: 0, clients: [],
            nodes: nodes)
    }

    static func stateJSON(
        quality: Int, size: Size?, isOnline: Bool, state: String, fps: Int, queued: Int, viewers: Int,
        clients: [String], nodes: String?
    ) -> String {
        let (width, height) = (size.map { "\($0.width)" } ?? "null", size.map { "\($0.height)" } ?? "null")
        return "{\"ok\":true,\"result\":{\"encoder\":{\"type\":\"CPU\",\"quality\":\(quality)},"
            + "\"source\":{\"resolution\":{\"width\":\(width),\"height\":\(height)},"
            + "\"online\":\(isOnline),\"state\":\"\(state)\",\"captured_fps\":\(fps)},"
            + "\"stream\":{\"queued_fps\":\(queued),\"clients\":\(viewers),"
            + "\"clients_stat\":{\(clients.joined(separator: ","))}}"
            + (nodes.map { ",\"nodes\":\($0)" } ?? "") + "}}"
    }
}
