/// Something that happened: motion started, a camera was lost, a clip is ready.
public struct Event: Item {
    @usableFromInline var header: EventStorage

    /// What a beginning, an ending and a single happening are to who waits for them.
    public enum Phase: String, Sendable {
        /// It goes on until an event with the same `id` ends it.
        case began
        /// What began is over; it repeats what its beginning said.
        case ended
        /// It has no length.
        case happened
    }

    /// - Parameters:
    ///   - kind: What happened, such as `motion_started`.
    ///   - id: The same for the beginning, the repeats and the end of one happening.
    ///   - captured: When, on the pipeline's line; it may lie in the past.
    ///   - node: Who says so.
    public init(
        _ kind: EventKind, id: String, phase: Phase = .happened, captured: Instant, node: String,
        payload: [String: EventValue] = [:]
    ) {
        header = EventStorage(kind: kind, id: id, phase: phase, captured: captured, node: node, payload: payload)
    }

    /// An event is the kind `.event`.
    public static let kind = ItemKind.event
    /// Its header, for links and for the harness.
    @inlinable public var storage: ItemStorage { header }
    /// Traps where the storage is no event's.
    @inlinable public init(storage: consuming ItemStorage) {
        precondition(type(of: storage) == EventStorage.self, "expected an event, found a \(storage.kind)")
        header = unsafe unsafeDowncast(storage, to: EventStorage.self)
    }

    /// What happened, such as `motion_started`.
    public var kind: EventKind { header.eventKind }
    /// The same for the beginning, the repeats and the end of one happening.
    public var id: String { header.id }
    /// Whether it begins, ends or has no length.
    public var phase: Phase { header.phase }
    /// The id of the node that says so.
    public var node: String { header.node }
    /// What the node says of it: `boxes`, `score`, `label`, and whatever else it has.
    public var payload: [String: EventValue] { header.payload }
    /// Whether an active happening says again that it goes on, so that a consumer recovers from any loss.
    public var isRepeat: Bool { header.isRepeat }
    /// When it happened in the world's time, as the node that said so saw it.
    public var wallTime: WallTime? { header.wallTime }
    /// The picture that shows best what happened: of a beginning the best so far, of an end the best of all. A packet
    /// where the stream's packets decode alone, so that it is the camera's own; repeats have none.
    public var picture: Packet? { header.picture }
    /// The same as a decoded frame, as large as the node looked at it, where no packet decodes alone.
    public var pictureFrame: Frame? { header.pictureFrame }

    /// The same event, said again now.
    public func repeated(at captured: Instant) -> Event {
        let copy = EventStorage(copying: header)
        copy.isRepeat = true
        copy.captured = captured
        (copy.picture, copy.pictureFrame) = (nil, nil)
        copy.byteCount = EventStorage.ownBytes
        return Event(storage: copy)
    }

    /// The same event with the packet that shows it, which decodes alone.
    public func showing(_ packet: Packet) -> Event {
        let copy = EventStorage(copying: header)
        (copy.picture, copy.pictureFrame) = (packet, nil)
        copy.byteCount = EventStorage.ownBytes + packet.data.count
        return Event(storage: copy)
    }

    /// The same event with a frame that shows it, where there is no such packet.
    public func showing(_ frame: Frame) -> Event {
        let copy = EventStorage(copying: header)
        (copy.picture, copy.pictureFrame) = (nil, frame)
        copy.byteCount = EventStorage.ownBytes + frame.storage.byteCount
        return Event(storage: copy)
    }

    /// The same event with the world's time at which it happened.
    public func at(_ wallTime: WallTime) -> Event {
        let copy = EventStorage(copying: header)
        copy.wallTime = wallTime
        return Event(storage: copy)
    }
}

/// The name of what happened. A node may have its own beside these.
public struct EventKind: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral {
    /// In snake_case, as it stands in JSON and in the file's `when`.
    public let rawValue: String
    /// A kind of a node's own: `EventKind(rawValue: "person_seen")`, or just "person_seen".
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }

    public static let motionStarted: EventKind = "motion_started"
    public static let motionEnded: EventKind = "motion_ended"
    public static let clipReady: EventKind = "clip_ready"
    public static let cameraLost: EventKind = "camera_lost"
    public static let cameraFound: EventKind = "camera_found"
    public static let diskFull: EventKind = "disk_full"
    public static let pluginFailed: EventKind = "plugin_failed"
}

@usableFromInline final class EventStorage: ItemStorage, @unchecked Sendable {
    // As its superclass: changed only through a unique reference.
    let eventKind: EventKind
    let id: String
    let phase: Event.Phase
    let node: String
    let payload: [String: EventValue]
    var isRepeat = false
    var wallTime: WallTime?
    var picture: Packet?
    var pictureFrame: Frame?

    /// What an event weighs without its picture, in bytes.
    static let ownBytes = 256

    init(
        kind: EventKind, id: String, phase: Event.Phase, captured: Instant, node: String, payload: [String: EventValue]
    ) {
        eventKind = kind
        self.id = id
        self.phase = phase
        self.node = node
        self.payload = payload
        super.init(captured: captured, flags: [], byteCount: Self.ownBytes, formatToken: 1)
    }

    init(copying other: EventStorage) {
        eventKind = other.eventKind
        id = other.id
        phase = other.phase
        node = other.node
        payload = other.payload
        isRepeat = other.isRepeat
        wallTime = other.wallTime
        picture = other.picture
        pictureFrame = other.pictureFrame
        super.init(copying: other)
    }

    override func copy() -> ItemStorage { EventStorage(copying: self) }
    override var kind: ItemKind { .event }
    override var streamFormat: Format { .events }
    override func hasFormat(_ format: Format?) -> Bool { format == .events }
}
