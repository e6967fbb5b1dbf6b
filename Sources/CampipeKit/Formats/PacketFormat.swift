/// How a packet is coded.
public enum Coding: String, Sendable, CaseIterable, Codable {
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
///
/// One reference to shared facts, since each packet has it; changing one makes a copy.
public struct PacketFormat: Sendable {
    private var facts: Facts

    private final class Facts: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private struct Values: Hashable, Sendable {
        var coding: Coding?
        var size: Size?
        var rate: Double?
        var timebase: Timebase
        var parameterSets: Bytes?
        var codecName: String?
        var sampleRate: Int?
        var channels: Int?
        var keyframesOnly = false
    }

    public init(_ coding: Coding?, size: Size? = nil, rate: Double? = nil, timebase: Timebase = .nanoseconds) {
        facts = Facts(Values(coding: coding, size: size, rate: rate, timebase: timebase))
    }

    /// nil where any coding is meant, or the source has not spoken yet.
    public var coding: Coding? {
        get { facts.values.coding }
        set { change { $0.coding = newValue } }
    }
    /// nil until the source has spoken, and of audio.
    public var size: Size? {
        get { facts.values.size }
        set { change { $0.size = newValue } }
    }
    /// Pictures a second, where the stream says so.
    public var rate: Double? {
        get { facts.values.rate }
        set { change { $0.rate = newValue } }
    }
    /// Seconds per tick of the packets' times.
    public var timebase: Timebase {
        get { facts.values.timebase }
        set { change { $0.timebase = newValue } }
    }
    /// SPS and PPS, VPS too, or AudioSpecificConfig, as the container keeps them (FFmpeg's extradata).
    public var parameterSets: Bytes? {
        get { facts.values.parameterSets }
        set { change { $0.parameterSets = newValue } }
    }
    /// FFmpeg's name of the codec, of `.other`.
    public var codecName: String? {
        get { facts.values.codecName }
        set { change { $0.codecName = newValue } }
    }
    /// Samples a second, of audio.
    public var sampleRate: Int? {
        get { facts.values.sampleRate }
        set { change { $0.sampleRate = newValue } }
    }
    /// Channels, of audio.
    public var channels: Int? {
        get { facts.values.channels }
        set { change { $0.channels = newValue } }
    }

    /// Whether only keyframes come, of a coding whose packets otherwise need one another: nothing has to be waited for
    /// behind one to show it.
    public var keyframesOnly: Bool {
        get { facts.values.keyframesOnly }
        set { change { $0.keyframesOnly = newValue } }
    }

    /// The same while any copy of this value lives.
    var token: UInt { UInt(bitPattern: ObjectIdentifier(facts).hashValue) }

    private mutating func change(_ change: (inout Values) -> Void) {
        var values = facts.values
        change(&values)
        facts = Facts(values)
    }

    public static let any = PacketFormat(nil)
    public static let jpeg = PacketFormat(.jpeg)
    public static let h264 = PacketFormat(.h264)
    public static let h265 = PacketFormat(.h265)
    public static let empty = PacketFormat(.empty)

    /// Whether each packet decodes alone, as all sound does; an unknown coding counts as not.
    public var isIntraCoded: Bool { isAudio || coding?.isIntraCoded ?? false }

    /// Whether it is sound; of a coding that is only carried the samples a second tell.
    public var isAudio: Bool { coding?.isAudio ?? false || facts.values.sampleRate != nil }
}

extension [Format] {
    /// What an input accepts that takes sound of any coding.
    public static var sound: [Format] {
        var other = PacketFormat(.other)
        other.sampleRate = 48_000
        return [PacketFormat(.aac), PacketFormat(.opus), PacketFormat(.pcmu), PacketFormat(.pcma), other].map {
            .packets($0)
        }
    }
}

extension PacketFormat: Hashable {
    public static func == (left: PacketFormat, right: PacketFormat) -> Bool {
        left.facts === right.facts || left.facts.values == right.facts.values
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(facts.values) }
}

/// What the ports of a type say of packets; what only a stream knows (timebase, parameter sets) is left out.
extension PacketFormat: Codable {
    private enum Key: String, CodingKey { case coding, size, rate, codecName, sampleRate, channels, keyframesOnly }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            try values.decodeIfPresent(Coding.self, forKey: .coding),
            size: try values.decodeIfPresent(Size.self, forKey: .size),
            rate: try values.decodeIfPresent(Double.self, forKey: .rate))
        codecName = try values.decodeIfPresent(String.self, forKey: .codecName)
        sampleRate = try values.decodeIfPresent(Int.self, forKey: .sampleRate)
        channels = try values.decodeIfPresent(Int.self, forKey: .channels)
        keyframesOnly = try values.decode(Bool.self, forKey: .keyframesOnly)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encodeIfPresent(coding, forKey: .coding)
        try values.encodeIfPresent(size, forKey: .size)
        try values.encodeIfPresent(rate, forKey: .rate)
        try values.encodeIfPresent(codecName, forKey: .codecName)
        try values.encodeIfPresent(sampleRate, forKey: .sampleRate)
        try values.encodeIfPresent(channels, forKey: .channels)
        try values.encode(keyframesOnly, forKey: .keyframesOnly)
    }
}
