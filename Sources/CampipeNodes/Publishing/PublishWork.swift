import CampipeKit
import CampipeMedia

/// What the `publish` sink does with packets: connects with a keyframe, sends, and connects anew when the stream becomes
/// another.
///
/// Touched in the sink's turns, on its own thread; it blocks while the server does.
struct PublishWork {
    struct Settings {
        var id: String
        var target: PublishTarget
        /// How long connecting, and each packet, may take.
        var limit: Duration
    }

    private let settings: Settings
    private let origins: PublishOrigins
    private let clock: any PipelineClock
    private let stop: StopFlag
    private let log: Log
    private var stream = PublishedStream()
    private var connection: PublishConnection?

    init(_ settings: Settings, origins: PublishOrigins, clock: any PipelineClock, stop: StopFlag, log: Log) {
        self.settings = settings
        self.origins = origins
        self.clock = clock
        self.stop = stop
        self.log = log
    }

    mutating func take(_ packet: Packet) throws(CampipeError) {
        if stream.take(packet), connection != nil {
            log.info("the stream changed, connects again", ["to": settings.target.shown])
            connection = nil
        }
        if connection == nil {
            // A stream begins with what decodes alone.
            guard packet.isKeyframe else { return }
            connection = try connect(packet)
        }
        try connection?.write(packet)
    }

    private func connect(_ packet: Packet) throws(CampipeError) -> PublishConnection {
        guard let format = stream.format else {
            throw CampipeError(.badData, "cannot publish: the keyframe has no parameter sets")
        }
        let connection = try PublishConnection(
            settings.target, streams: [format], origin: origins.origin(of: settings.id, first: packet.dts),
            limit: settings.limit, clock: clock, stop: stop)
        log.debug("publishing", ["to": settings.target.shown, "video": Format.packets(format)])
        return connection
    }

    mutating func close() { connection = nil }
}

/// What a server was told of a stream, and whether it became another. A value.
struct PublishedStream {
    private var announced: PacketFormat?
    private var inBand: InBandSets?
    /// The stream with its parameter sets, from the packets or beside them; nil while some are missing.
    private(set) var format: PacketFormat?

    /// Looks at the next packet.
    ///
    /// - Returns: Whether it begins another stream: of another coding or size, or with other parameter sets. Only a
    ///   keyframe does.
    mutating func take(_ packet: Packet) -> Bool {
        guard packet.isKeyframe else { return false }
        if packet.format != announced {
            announced = packet.format
            inBand = InBandSets(packet.format)
        }
        if !packet.isDamaged { inBand?.learn(packet.data) }
        let before = format
        let now = inBand?.format ?? packet.format
        format = now.parameterSets == nil ? nil : now
        guard let before else { return false }
        return before.coding != now.coding || before.size != now.size || before.parameterSets != now.parameterSets
    }
}
