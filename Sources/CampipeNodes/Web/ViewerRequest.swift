import CampipeKit

/// What one viewer asks for in its URL (`?width=320&fps=5&quality=60`), within what the sink allows and rounded to the
/// steps of wants, so that like requests are equal and share one encode.
struct ViewerRequest: Hashable, Sendable {
    /// Pixels across at most; nil takes what the sink has.
    private(set) var width: Int?
    /// Pictures a second at most; nil takes what the sink has.
    private(set) var fps: Double?
    /// JPEG quality; nil takes what the sink has.
    private(set) var quality: Int?
    /// Whether it is one of many on a page, for which the input `preview` is there.
    var isPreview = false

    /// What a URL without wishes asks for.
    static let plain = ViewerRequest()

    private init() {}

    /// A query that cannot be understood; the sentence says what is accepted.
    struct Refusal: Error, Hashable {
        var sentence: String
    }

    static let widths = 16...16_384
    static let rates = 0.1...1000.0
    static let qualities = 1...100

    /// Reads the wishes of a query; names that are not known, such as a cache breaker, are passed over.
    ///
    /// What is beyond the sink's own limits is cut to them: asking for more than there is, is asking for all.
    init(_ query: [(name: String, value: String)], within limits: StreamLimits) throws(Refusal) {
        var asked = Want()
        for (name, value) in query {
            switch name {
            case "width":
                guard let width = Int(value), Self.widths.contains(width) else {
                    throw Self.refusal(name, value, "a whole number of pixels from 16 to 16384")
                }
                asked.maxWidth = width
            case "fps":
                guard let fps = Double(value), Self.rates.contains(fps) else {
                    throw Self.refusal(name, value, "pictures a second from 0.1 to 1000")
                }
                asked.maxRate = fps
            case "quality":
                guard let quality = Int(value), Self.qualities.contains(quality) else {
                    throw Self.refusal(name, value, "a whole number from 1 to 100")
                }
                asked.quality = quality
            default: continue
            }
        }
        let (rounded, most) = (asked.rounded, limits.want.rounded)
        if let width = rounded.maxWidth, width < most.maxWidth ?? .max { self.width = width }
        if let rate = rounded.maxRate, rate < most.maxRate ?? .infinity { fps = rate }
        if let quality = rounded.quality, quality < most.quality ?? .max { self.quality = quality }
    }

    /// What it asks of the graph.
    func want(within limits: StreamLimits) -> Want {
        Want(
            .packets(.jpeg), maxWidth: width ?? limits.width, maxRate: fps ?? limits.fps,
            quality: quality ?? limits.quality, encodesAgain: quality != nil, input: isPreview ? "preview" : nil)
    }

    /// As a query, for `/state`; empty of the plain one.
    var description: String {
        var parts: [String] = []
        if let width { parts.append("width=\(width)") }
        if let fps { parts.append("fps=\(Int(fps))") }
        if let quality { parts.append("quality=\(quality)") }
        return parts.joined(separator: "&")
    }

    private static func refusal(_ name: String, _ value: String, _ accepted: String) -> Refusal {
        Refusal(sentence: "\(name) cannot be \"\(value.prefix(40))\": it takes \(accepted)")
    }
}

/// What an `http` sink allows at most, from its options.
struct StreamLimits: Hashable, Sendable {
    var width: Int?
    var fps: Double?
    var quality: Int
    /// Viewers of all its streams together.
    var viewers: Int

    var want: Want { Want(.packets(.jpeg), maxWidth: width, maxRate: fps, quality: quality) }
}
