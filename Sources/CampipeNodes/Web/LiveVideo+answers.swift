import CampipeHTTP
import CampipeKit
import CampipeMedia

/// What it says to those who ask.
extension LiveVideo {
    static func type(_ initialization: Initialization?) -> HTTPHeaders {
        let codecs = initialization.map { "; codecs=\"\($0.codecs)\"" } ?? ""
        return ["Content-Type": "video/mp4\(codecs)", "X-Content-Type-Options": "nosniff"]
    }

    /// By which a player is known when it asks again.
    static func cookie(of mark: ViewerMark) -> HTTPHeaders {
        ["Set-Cookie": "\(HLSAudience.cookie)=\(mark.id); HttpOnly; SameSite=Lax"]
    }

    static func answer(_ piece: HLSWindow.Piece, _ found: HLSWindow.Answer, _ headers: HTTPHeaders) -> HTTPAnswer {
        switch found {
        case .text(let text):
            var own: HTTPHeaders = [
                "Content-Type": "application/vnd.apple.mpegurl", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            ]
            own.add(contentsOf: headers)
            return .complete(HTTPResponse(200, headers: own, body: Bytes(text.utf8)))
        case .ready(let parts):
            // Names are used once, but for that of the newest initialization.
            let isNamedOnce = piece != .initialization(nil)
            return .complete(
                HTTPResponse(
                    200,
                    headers: [
                        "Content-Type": "video/mp4",
                        "Cache-Control": isNamedOnce ? "private, max-age=60" : "no-store",
                        "X-Content-Type-Options": "nosniff",
                    ], body: Bytes(joining: parts)))
        case .later, .none: return gone
        }
    }

    static let gone = HTTPAnswer.complete(.text(404, "this piece of the stream is gone"))
    static let notVideo = HTTPAnswer.complete(
        .text(404, "this stream has no H.264 or H.265; its pictures are at /stream and /snapshot below its path"))
    static let nothing = HTTPAnswer.complete(
        .text(503, "no picture came in time", headers: ["Retry-After": "1"]))
}

extension Bytes {
    fileprivate convenience init(joining parts: [Bytes]) {
        unsafe self.init(count: parts.reduce(0) { $0 + $1.count }) { target in
            var at = 0
            for part in parts {
                unsafe part.withBytes { bytes in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: target[at..<(at + bytes.count)])
                        .copyMemory(from: bytes)
                }
                at += part.count
            }
        }
    }
}
