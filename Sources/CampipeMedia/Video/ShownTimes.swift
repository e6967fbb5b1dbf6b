import CampipeKit

/// Gives the pictures of a stream that says only when they are decoded (AVI, H.264 without a container) the times at which
/// they are shown: those of decoding, in the order of showing.
///
/// Decoding moves ahead by as many pictures as the stream reorders, so that none is shown before it is decoded. A value.
struct ShownTimes {
    private struct Held {
        var packet: Packet
        /// nil while one that is shown before it may still come.
        var shown: Int64?
    }
    private let depth: Int
    /// In decoding order; the first one's number is `firstHeld`.
    private var held: [Held] = []
    private var firstHeld = 0
    /// What has no time yet, in the order of showing.
    private var waiting: [(sequence: Int, order: Int, number: Int)] = []
    /// When the pictures are decoded, from `firstTime` on.
    private var times: [Int64] = []
    private var firstTime = 0
    private var shownCount = 0
    private var sequence = 0
    private var highest: Int?

    /// - Parameter depth: How many pictures may come before one that is shown before them.
    init(depth: Int) { self.depth = depth }

    /// Takes the next picture in decoding order.
    ///
    /// - Parameters:
    ///   - packet: With its decoding time.
    ///   - order: Its place in the order of showing, beside those since the last picture that nothing crosses.
    mutating func add(_ packet: Packet, order: Int) {
        // Where the count begins anew, all that came before is shown before.
        if packet.isKeyframe, let highest, order <= highest {
            sequence += 1
            self.highest = nil
        }
        highest = max(highest ?? order, order)
        let number = firstHeld + held.count
        let place = waiting.firstIndex { ($0.sequence, $0.order) > (sequence, order) } ?? waiting.count
        waiting.insert((sequence, order, number), at: place)
        held.append(Held(packet: packet))
        times.append(packet.dts.ticks)
        while waiting.count > depth { show() }
    }

    /// Nothing more comes.
    ///
    /// - Returns: Whether there was anything that `take` hands out now.
    mutating func end() -> Bool {
        while !waiting.isEmpty { show() }
        return !held.isEmpty
    }

    /// The next picture in decoding order, with both times; nil while it has to wait.
    mutating func take() -> Packet? {
        guard let shown = held.first?.shown else { return nil }
        var packet = held.removeFirst().packet
        let number = firstHeld
        firstHeld += 1
        let pts = MediaTime(ticks: shown, timebase: packet.pts.timebase)
        packet.captured = packet.captured + (pts.duration - packet.pts.duration)
        packet.pts = pts
        packet.dts = MediaTime(ticks: decoding(number), timebase: pts.timebase)
        // Neither the next one's decoding time nor the next one's to be shown is before this.
        let unneeded = min(shownCount, firstHeld - depth) - firstTime
        if unneeded > 64 {
            times.removeFirst(unneeded)
            firstTime += unneeded
        }
        return packet
    }

    private mutating func show() {
        let next = waiting.removeFirst()
        held[next.number - firstHeld].shown = times[shownCount - firstTime]
        shownCount += 1
    }

    private func decoding(_ number: Int) -> Int64 {
        let earlier = number - depth
        guard earlier < 0 else { return times[earlier - firstTime] }
        // Nothing was forgotten yet.
        let step = times.count > 1 ? times[1] &- times[0] : 1
        return times[0] &+ Int64(earlier) &* step
    }
}
