import CampipeKit

/// What was read of a file and is not due yet: pictures and sound apart, since files keep them in pieces of up to a
/// second, and neither is to wait for the other. A value without clock.
struct FileAhead {
    private static let limit = 512
    private static let byteLimit = 16 << 20

    private var pictures: [FileStep] = []
    private var sounds: [FileStep] = []
    private var byteCount = 0

    /// Whether more is to be read: so much that whatever is due has been, as far as the limits allow.
    ///
    /// - Parameters:
    ///   - now: nil where nothing has a time to be due at: then one at a time is read.
    ///   - hasSound: Whether sound is read too.
    func wantsMore(at now: Instant?, hasSound: Bool) -> Bool {
        guard let now else { return pictures.isEmpty && sounds.isEmpty }
        guard pictures.count + sounds.count < Self.limit, byteCount < Self.byteLimit else { return false }
        func isDue(_ step: FileStep?) -> Bool { step.map { $0.captured <= now } ?? true }
        return isDue(pictures.last) || hasSound && isDue(sounds.last)
    }

    /// When the next step is due; nil when there is none.
    var due: Instant? {
        switch (pictures.first, sounds.first) {
        case (let picture?, let sound?): min(picture.captured, sound.captured)
        case (let one?, nil), (nil, let one?): one.captured
        case (nil, nil): nil
        }
    }

    mutating func add(_ step: FileStep) {
        byteCount += step.byteCount
        if step.isSound { sounds.append(step) } else { pictures.append(step) }
    }

    /// Takes the step that is due first.
    mutating func take() -> FileStep? {
        let isSound = sounds.first.map { sound in pictures.first.map { sound.captured < $0.captured } ?? true } ?? false
        let step = isSound ? sounds.removeFirst() : pictures.isEmpty ? nil : pictures.removeFirst()
        byteCount -= step?.byteCount ?? 0
        return step
    }

    mutating func removeAll() { self = FileAhead() }
}

extension FileStep {
    private var packet: Packet {
        switch self {
        case .packet(let packet), .refused(let packet, _, _, _): packet
        }
    }
    fileprivate var captured: Instant { packet.captured }
    fileprivate var byteCount: Int { packet.data.count }
    fileprivate var isSound: Bool { packet.format.isAudio }
}
