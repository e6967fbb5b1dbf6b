import CampipeKit

/// The packets of the last seconds, kept so that a clip can begin before what it is about. A value.
///
/// It keeps whole groups, so that the first packet decodes alone, and no more than a limit of bytes. Sound belongs to the
/// group that it comes in.
struct PreRoll: Sendable {
    private let length: Duration
    private let limit: Int
    private var packets: [Packet] = []
    /// Where the oldest packet that is kept stands; what is before it was let go already.
    private var first = 0
    private(set) var byteCount = 0

    init(_ length: Duration, limit: ByteCount) {
        self.length = length
        self.limit = limit.bytes
    }

    var count: Int { packets.count - first }

    mutating func append(_ packet: Packet) {
        packets.append(packet)
        byteCount += packet.data.count
        trim(newest: packet.captured)
    }

    /// Lets go of groups that are older than the length, or beyond the limit of bytes.
    private mutating func trim(newest: Instant) {
        while count > 1 {
            guard let next = nextKeyframe, byteCount > limit || packets[next].captured <= newest - length else { break }
            drop(to: next)
        }
        // One group alone beyond the limit: what is left of it decodes no more, so all of it goes.
        if byteCount > limit { removeAll() }
        guard first > 64, first * 2 > packets.count else { return }
        packets.removeFirst(first)
        first = 0
    }

    private var nextKeyframe: Int? { packets[(first + 1)...].firstIndex { $0.beginsGroup } }

    private mutating func drop(to index: Int) {
        for position in first..<index { byteCount -= packets[position].data.count }
        first = index
    }

    /// Takes out all packets from the last keyframe that is at least the length before `instant`, or from the first
    /// one.
    mutating func take(before instant: Instant) -> [Packet] {
        defer { removeAll() }
        let kept = packets[first...]
        let start =
            kept.lastIndex { $0.beginsGroup && $0.captured <= instant - length } ?? kept.firstIndex { $0.beginsGroup }
        return start.map { Array(kept[$0...]) } ?? []
    }

    mutating func removeAll() {
        packets = []
        first = 0
        byteCount = 0
    }
}

extension Packet {
    /// Whether it is a picture that a file can begin with.
    var beginsGroup: Bool { isKeyframe && !format.isAudio }
}
