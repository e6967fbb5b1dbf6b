import CampipeKit
import CampipeMedia

/// What a webhook sends of an event.
enum WebhookBodyKind: String, OptionChoice {
    /// The event as JSON.
    case json
    /// The picture that shows it, a JPEG; an event without one goes as JSON.
    case bestPicture = "best_picture"
    /// A form with the event as JSON and the picture, where there is one (RFC 7578).
    case multipart
}

/// The bytes of a request, and what they are.
struct WebhookBody: Sendable {
    var bytes: Bytes
    var type: String

    /// A larger picture is left out: it is no alert any more.
    static let mostPicture = 8 << 20

    /// - Parameters:
    ///   - json: The event as JSON.
    ///   - picture: The JPEG that shows it.
    ///   - field: What the picture is called in a form.
    init(_ kind: WebhookBodyKind, json: String, picture: Bytes?, field: String) {
        switch (kind, picture) {
        case (.json, _), (.bestPicture, nil):
            self.init(bytes: Bytes(json.utf8), type: "application/json")
        case (.bestPicture, let picture?):
            self.init(bytes: picture, type: "image/jpeg")
        case (.multipart, let picture):
            let boundary = "campipe-" + Self.mark(of: json)
            var form = "--\(boundary)\r\nContent-Disposition: form-data; name=\"event\"\r\n"
            form += "Content-Type: application/json\r\n\r\n\(json)\r\n"
            var bytes = Array(form.utf8)
            if let picture {
                let head =
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"picture.jpg\"\r\n"
                    + "Content-Type: image/jpeg\r\n\r\n"
                bytes += Array(head.utf8)
                unsafe picture.withBytes { unsafe bytes.append(contentsOf: $0) }
                bytes += [13, 10]
            }
            bytes += Array("--\(boundary)--\r\n".utf8)
            self.init(bytes: Bytes(bytes), type: "multipart/form-data; boundary=\(boundary)")
        }
    }

    private init(bytes: Bytes, type: String) {
        self.bytes = bytes
        self.type = type
    }

    /// What stands in no picture by chance: a hash of the event (FNV-1a of 64 bits), which has its own id.
    private static func mark(of json: String) -> String {
        let hash = json.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// The picture that shows an event as a JPEG: the camera's own where there is one.
    static func picture(of event: Event, encoder: JPEGEncoder, pool: FramePool) throws -> Bytes? {
        if let packet = event.picture, packet.format.coding == .jpeg { return packet.data }
        return try event.pictureFrame.map { try encoder.encode($0, quality: 85, pool: pool) }
    }
}
