/// An encoded unit: one JPEG, one H.264 access unit, one audio packet.
public struct Packet: Item {
    @usableFromInline var header: PacketStorage

    /// - Parameters:
    ///   - data: The bytes; empty of packets that only measure the graph.
    ///   - format: The stream it belongs to.
    ///   - captured: When the light arrived.
    ///   - pts: Presentation time.
    ///   - dts: Decoding time, where it differs.
    ///   - duration: How long it lasts, where known.
    ///   - isKeyframe: Whether it decodes alone; of an intra-coded format always true.
    ///   - isDisposable: Whether no other packet needs it.
    public init(
        _ data: Bytes, format: PacketFormat, captured: Instant, pts: MediaTime, dts: MediaTime? = nil,
        duration: Duration? = nil, isKeyframe: Bool = true, isDisposable: Bool = false
    ) {
        var flags: ItemFlags = []
        if format.isIntraCoded { flags.formUnion([.intraCoded, .key]) }
        if isKeyframe { flags.insert(.key) }
        if isDisposable { flags.insert(.disposable) }
        header = PacketStorage(
            data: data, format: format, captured: captured, pts: pts, dts: dts ?? pts, duration: duration, flags: flags)
    }

    /// A packet is the kind `.packet`.
    public static let kind = ItemKind.packet
    /// Its header and bytes, for links and for the harness.
    @inlinable public var storage: ItemStorage { header }
    /// Traps where the storage is no packet's.
    @inlinable public init(storage: consuming ItemStorage) {
        precondition(type(of: storage) == PacketStorage.self, "expected a packet, found a \(storage.kind)")
        header = unsafe unsafeDowncast(storage, to: PacketStorage.self)
    }

    /// The encoded picture, or piece of sound, as the coding has it: of H.264 and H.265 in the form that `format` says.
    public var data: Bytes { header.data }
    /// Its coding, size, timebase and parameter sets: what `begin` was told of.
    public var format: PacketFormat { header.format }
    /// Whether it decodes alone; every JPEG does.
    public var isKeyframe: Bool { header.flags.contains(.key) }
    /// Whether no other packet needs it to be decoded.
    public var isDisposable: Bool { header.flags.contains(.disposable) }
    /// How long it is shown or heard, where known.
    public var duration: Duration? { header.duration }

    /// When the light arrived, on the pipeline's clock; of what is not live, on the stream's own line.
    public var captured: Instant {
        get { header.captured }
        set { unique { $0.captured = newValue } }
    }
    /// When it is to be shown, on the stream's line, in the timebase of its format.
    public var pts: MediaTime {
        get { header.pts }
        set { unique { $0.pts = newValue } }
    }
    /// When it is to be decoded: never before that of the packet in front, and `pts` where pictures come in order.
    public var dts: MediaTime {
        get { header.dts }
        set { unique { $0.dts = newValue } }
    }
    /// Whether it came broken: without its end, or with a hole.
    public var isDamaged: Bool {
        get { header.flags.contains(.damaged) }
        set { unique { if newValue { $0.flags.insert(.damaged) } else { $0.flags.remove(.damaged) } } }
    }
    /// The camera's own clock at the picture, where it sends one; metadata, never used for scheduling.
    public var cameraTime: WallTime? {
        get { header.cameraTime }
        set { unique { $0.cameraTime = newValue } }
    }

    /// The same times and marks around other bytes of another format.
    public func replacing(_ data: Bytes, format: PacketFormat) -> Packet {
        let packet = Packet(
            data, format: format, captured: captured, pts: pts, dts: dts, duration: duration, isKeyframe: isKeyframe)
        packet.header.flags.formUnion(header.flags.intersection(ItemFlags.inherited.union(.damaged)))
        packet.header.subscription = header.subscription
        packet.header.cameraTime = header.cameraTime
        return packet
    }

    /// The same bytes and marks at another time of presentation, which is that of decoding too, in another stream.
    ///
    /// - Parameter duration: How long it lasts there, where known.
    public func replayed(at pts: MediaTime, format: PacketFormat, duration: Duration?) -> Packet {
        let packet = Packet(
            data, format: format, captured: captured, pts: pts, duration: duration, isKeyframe: isKeyframe,
            isDisposable: isDisposable)
        packet.header.flags.formUnion(header.flags.intersection(ItemFlags.inherited.union(.damaged)))
        packet.header.subscription = header.subscription
        packet.header.cameraTime = header.cameraTime
        return packet
    }

    private mutating func unique(_ change: (PacketStorage) -> Void) {
        if !isKnownUniquelyReferenced(&header) { header = PacketStorage(copying: header) }
        change(header)
    }
}

@usableFromInline final class PacketStorage: ItemStorage, @unchecked Sendable {
    // As its superclass: changed only through a unique reference.
    let data: Bytes
    let format: PacketFormat
    var pts: MediaTime
    var dts: MediaTime
    let duration: Duration?
    var cameraTime: WallTime?

    init(
        data: Bytes, format: PacketFormat, captured: Instant, pts: MediaTime, dts: MediaTime, duration: Duration?,
        flags: ItemFlags
    ) {
        self.data = data
        self.format = format
        self.pts = pts
        self.dts = dts
        self.duration = duration
        super.init(captured: captured, flags: flags, byteCount: data.count, formatToken: format.token)
    }

    init(copying other: PacketStorage) {
        data = other.data
        format = other.format
        pts = other.pts
        dts = other.dts
        duration = other.duration
        cameraTime = other.cameraTime
        super.init(copying: other)
    }

    override func copy() -> ItemStorage { PacketStorage(copying: self) }
    override var streamTime: Duration? { dts.duration }
    override func shift(by offset: Duration, captured: Instant) {
        pts = pts.shifted(by: offset)
        dts = dts.shifted(by: offset)
        self.captured = captured
    }
    override var kind: ItemKind { .packet }
    override var streamFormat: Format { .packets(format) }
    override func hasFormat(_ other: Format?) -> Bool {
        if case .packets(let other)? = other { other == format } else { false }
    }
}
