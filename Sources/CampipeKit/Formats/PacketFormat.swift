/// How a packet is coded.
public enum Coding: String, Sendable, CaseIterable {
    case jpeg, h264, h265, aac, opus
    case pcmu, pcma
    /// Packets without a picture, for measuring the graph itself.
    case empty
    /// A coding that campipe only carries or hands to FFmpeg; `PacketFormat.codecName` says which.
    case other

    /// Whether each packet decodes alone.
    public var isIntraCoded: Bool {
        switch self {
        case .h264, .h265, .other: false
        default: true
        }
    }

    public var isAudio: Bool {
        switch self {
        case .aac, .opus, .pcmu, .pcma: true
        default: false
        }
    }
}

/// What a stream of packets is.
public struct PacketFormat: Hashable, Sendable {
    /// nil where any coding is meant, or the source has not spoken yet.
    public var coding: Coding?
    /// nil until the source has spoken, and of audio.
    public var size: Size?
    /// Pictures a second, where the stream says so.
    public var rate: Double?
    /// Seconds per tick of the packets' times.
    public var timebase: Timebase
    /// SPS and PPS, VPS too, or AudioSpecificConfig, as the container keeps them (FFmpeg's extradata).
    public var parameterSets: Bytes?
    /// FFmpeg's name of the codec, of `.other`.
    public var codecName: String?
    /// Samples a second and channels, of audio.
    public var sampleRate: Int?
    public var channels: Int?

    public init(_ coding: Coding?, size: Size? = nil, rate: Double? = nil, timebase: Timebase = .nanoseconds) {
        self.coding = coding
        self.size = size
        self.rate = rate
        self.timebase = timebase
    }

    public static let any = PacketFormat(nil)
    public static let jpeg = PacketFormat(.jpeg)
    public static let h264 = PacketFormat(.h264)
    public static let h265 = PacketFormat(.h265)
    public static let empty = PacketFormat(.empty)

    /// Whether each packet decodes alone; an unknown coding counts as not.
    public var isIntraCoded: Bool { coding?.isIntraCoded ?? false }
}
