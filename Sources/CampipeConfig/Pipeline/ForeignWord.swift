internal import CampipeKit

/// What things are called elsewhere (Frigate, go2rtc, Motion, ffmpeg, Home Assistant), for did-you-mean where no word is
/// near by its letters, or the near one is another.
enum ForeignWord {
    /// The key that is meant by one that nobody knows.
    ///
    /// - Parameter known: The keys that may stand there.
    static func key(_ word: String, among known: [String]) -> String? {
        keys[folded(word)]?.first { known.contains($0) }
    }

    /// The key at the top of a file that is meant.
    static func topKey(_ word: String) -> String? { topKeys[folded(word)] }

    /// The type that is meant in a section.
    static func type(_ word: String, in section: String, among known: [String]) -> String? {
        types[section]?[folded(word)].flatMap { known.contains($0) ? $0 : nil }
    }

    private static func folded(_ word: String) -> String { word.lowercased().replacing("-", with: "_") }

    private static func table(_ rows: [(String, String)]) -> [String: String] {
        var result: [String: String] = [:]
        for (words, meant) in rows {
            for word in words.split(separator: " ") { result[String(word)] = meant }
        }
        return result
    }

    private static let topKeys = table([
        ("streams inputs cams feeds devices", "sources"),
        ("outputs publishers destinations recorders", "sinks"),
        ("filters processors processing pipeline stages steps", "transforms"),
        ("http web api webserver webui bind port", "server"),
    ])

    private static let keys: [String: [String]] = table([
        ("segment_time segment_duration segment_length chunk", "segment"), ("rtsp_transport protocol", "transport"),
        ("timeout stimeout rw_timeout", "connect_timeout"), ("interval period frequency", "every"),
        ("framerate frame_rate max_fps rate", "fps analyze_fps"),
        ("pre_capture pre_record pre_buffer prebuffer before pre", "pre_roll"),
        ("post_capture post_record after post", "post_roll"), ("input_format pixel_format fourcc", "format pixel"),
        ("login", "username users"), ("pwd passwd", "password"), ("cmd program run script command", "argv command"),
        ("kinds event_types triggers trigger", "on when"), ("days max_days keep keep_days", "max_age"),
        ("max_size max_bytes quota", "max_total"), ("size resolution video_size", "max_total width"),
        ("contour_area area", "min_area"),
        ("file filename file_name output dest destination folder dir directory", "path"),
        ("address", "listen url device"), ("uri rtsp_url stream_source stream endpoint location", "url path device"),
        ("source src from", "input inputs url"), ("label labels object objects classes", "class"), ("events", "event"),
        ("parameters args arguments vars variables values", "params"), ("template extends base", "use"),
        ("disabled", "enabled"), ("retain retention_days keep_for", "retention"),
        ("port host bind bind_address listen_address", "listen"), ("cert ssl https", "tls"), ("accounts", "users"),
    ]).mapValues { $0.split(separator: " ").map(String.init) }

    private static let types: [String: [String: String]] = [
        "sources": table([
            ("usb webcam uvc device", "v4l2"), ("onvif ip_camera ipcam http generic ffmpeg stream url", "camera"),
            ("video movie", "file"), ("testsrc videotestsrc demo dummy fake", "test_pattern"), ("program", "exec"),
        ]),
        "transforms": table([
            ("resize crop flip downscale", "scale"), ("fps throttle ratelimit framerate limit", "sample"),
            ("text drawtext timestamp watermark annotate", "overlay"), ("mosaic multiview compositor tile", "grid"),
            ("blur privacy", "mask"), ("transcode h264 x264", "encode"), ("motion_detection", "motion"),
            ("detect detector object_detection yolo program", "exec"),
        ]),
        "sinks": table([
            ("record recorder recording recordings snapshot snapshots mp4 save disk", "file"),
            ("webrtc hls mjpeg web server webserver stream browser", "http"),
            ("rtmp rtsp srt push restream", "publish"),
            ("script shell", "command"), ("notify http_post post", "webhook"), ("stdout print console", "log"),
            ("null fakesink none", "discard"), ("display window view screen", "terminal"),
        ]),
    ]
}
