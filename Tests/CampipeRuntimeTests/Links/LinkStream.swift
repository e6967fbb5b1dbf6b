import CampipeKit

@testable import CampipeRuntime

/// A link queue with packets written as a text, and what comes out as one.
///
/// In: `K` a keyframe, `d` a delta, `x` a disposable, one millisecond apart. Out: the places of the packets, and
/// between them what stands there: `[n]` a gap of n, `F` a format, `E` the end.
struct LinkStream: ~Copyable {
    static let h264 = PacketFormat(.h264)
    var queue: LinkQueue
    private var next = 0
    private let format: PacketFormat
    private let bytes: Bytes

    init(_ policy: LinkPolicy, format: PacketFormat = .h264, bytes: Int = 100, lateAfter: Duration? = nil) {
        queue = LinkQueue(policy, lateAfter: lateAfter)
        self.format = format
        self.bytes = Bytes([UInt8](repeating: 0, count: bytes))
    }

    static func time(_ place: Int) -> Instant { .zero + .milliseconds(place) }

    /// Puts packets in.
    mutating func push(_ packets: String, isLive: Bool = false) {
        let buffer = ItemBuffer()
        for letter in packets where letter != " " {
            var packet = Packet(
                bytes, format: format, captured: Self.time(next),
                pts: MediaTime(ticks: Int64(next), timebase: Timebase(1, 1000)), isKeyframe: letter == "K",
                isDisposable: letter == "x"
            ).storage
            if isLive {
                packet = packet.copy()
                packet.flags.insert(.live)
            }
            buffer.append(packet)
            next += 1
        }
        queue.push(buffer, 0..<buffer.count, takes: next % 2 == 0)
    }

    /// Has the link begin with packets that came before; they are the next ones by time.
    mutating func begin(_ packets: String) -> Bool {
        var group: [ItemStorage] = []
        for letter in packets {
            group.append(
                Packet(
                    bytes, format: format, captured: Self.time(next),
                    pts: MediaTime(ticks: Int64(next), timebase: Timebase(1, 1000)), isKeyframe: letter == "K"
                ).storage)
            next += 1
        }
        return queue.begin(with: group)
    }

    /// Takes all that waits.
    mutating func take(limit: Int = .max, through: Instant? = nil, now: Instant = .zero) -> String {
        var batch = Batch()
        queue.take(into: &batch, limit: limit, through: through) { now }
        var words: [String] = []
        while !batch.isEmpty {
            if let control = batch.takeControl() {
                switch control {
                case .gap(let gap): words.append("[\(gap.count)]")
                case .format: words.append("F")
                case .end: words.append("E")
                }
            } else if let item = batch.takeItem() {
                let mark = item.flags.contains(.exempt) ? "!" : ""
                words.append("\(item.captured.nanoseconds / 1_000_000)\(mark)")
            }
        }
        // Whether a format or a gap comes first between two items is all the same.
        for index in words.indices.dropFirst() where words[index - 1] == "F" && words[index].hasPrefix("[") {
            words.swapAt(index - 1, index)
        }
        return words.joined(separator: " ")
    }
}
