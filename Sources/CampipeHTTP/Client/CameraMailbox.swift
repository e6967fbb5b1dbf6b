import CampipeKit

/// What waits between a camera's session and one reader of it; bounded in pictures, bytes and refusals. A value.
///
/// A full one asks the session to pause. Where the session goes on, since another reader has room, the oldest pictures
/// make room here, counted; so no reader holds up another.
struct CameraMailbox: Sendable {
    /// Bytes of pictures that may wait before the mailbox counts as full; a picture alone is always taken.
    static let byteLimit = 16 << 20
    /// Further events that may wait beside pictures; beyond them refusals are counted together.
    static let eventLimit = 64

    private let capacity: Int
    private var events: [MJPEGConnection.Event] = []
    private(set) var pictures = 0
    private var bytes = 0

    /// - Parameter capacity: Pictures that may wait; those of one read come on top.
    init(capacity: Int) { self.capacity = capacity }

    var isEmpty: Bool { events.isEmpty }

    var isFull: Bool {
        pictures >= capacity || bytes >= Self.byteLimit || events.count >= Self.eventLimit
    }

    /// Adds what one read brought.
    ///
    /// - Parameter evicts: Whether the oldest pictures make room, since the session goes on for others.
    mutating func add(_ more: [MJPEGConnection.Event], evicts: Bool) {
        for event in more {
            switch event {
            case .picture(let picture, _):
                if evicts { while pictures > 0, isFull, evict() {} }
                pictures += 1
                bytes += picture.bytes.count
                events.append(event)
            case .dropped(let reason, let count): addDropped(reason, count)
            case .resting:
                // Only the last word about it counts.
                if case .resting = events.last { events.removeLast() }
                events.append(event)
            case .opened, .overrun, .ended: events.append(event)
            }
        }
    }

    mutating func take() -> MJPEGConnection.Event? {
        guard !events.isEmpty else { return nil }
        let event = events.removeFirst()
        if case .picture(let picture, _) = event {
            pictures -= 1
            bytes -= picture.bytes.count
        }
        return event
    }

    mutating func removeAll() { self = CameraMailbox(capacity: capacity) }

    private mutating func addDropped(_ reason: PictureDropReason, _ count: Int) {
        let isCrowded = events.count >= Self.eventLimit
        if case .dropped(let last, let before) = events.last, isCrowded || last == reason {
            events[events.count - 1] = .dropped(last, count: before + count)
        } else if isCrowded, let index = events.lastIndex(where: { $0.isDropped }),
            case .dropped(let last, let before) = events[index]
        {
            events[index] = .dropped(last, count: before + count)
        } else {
            events.append(.dropped(reason, count: count))
        }
    }

    /// Removes the oldest picture, and leaves its count in its place.
    private mutating func evict() -> Bool {
        guard let index = events.firstIndex(where: { $0.isPicture }),
            case .picture(let picture, let captured) = events[index]
        else { return false }
        pictures -= 1
        bytes -= picture.bytes.count
        if index > 0, case .overrun(let count, _) = events[index - 1] {
            events[index - 1] = .overrun(count: count + 1, through: captured)
            events.remove(at: index)
        } else {
            events[index] = .overrun(count: 1, through: captured)
        }
        return true
    }
}

extension MJPEGConnection.Event {
    fileprivate var isPicture: Bool { if case .picture = self { true } else { false } }
    fileprivate var isDropped: Bool { if case .dropped = self { true } else { false } }
}
