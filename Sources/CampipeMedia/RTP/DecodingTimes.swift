/// Gives pictures their decoding times, which RTP does not send: they only grow, and none is after its presentation
/// time, but where a stream begins to reorder that did not say so.
///
/// Of pictures that are shown as they are sent both are one. Where some are shown earlier, the decoding times are the
/// presentation times in their order, as many pictures later as the stream reorders. A value.
package struct DecodingTimes: Sendable {
    /// More than any stream reorders (ITU-T H.264 A.3.1).
    private static let most = 16
    /// How many pictures may come before one that is shown before them.
    package private(set) var depth = 0
    private var waiting: [Int64] = []
    private var highest: Int64?
    private var last: Int64?
    private var step: Int64

    /// - Parameter step: Ticks between pictures, for the first ones.
    package init(step: Int64) { self.step = max(1, step) }

    /// Learns how far the stream reorders; nil where it does not say.
    package mutating func learn(_ reordering: Int?) {
        guard let reordering else { return }
        grow(to: min(reordering, Self.most))
    }

    /// The decoding time of the next picture in the order of sending.
    package mutating func place(_ ticks: Int64) -> Int64 {
        if let highest, ticks < highest, depth == 0 { grow(to: 1) }
        if highest == nil {
            // The first ones are decoded before anything is shown.
            for index in 0..<depth { waiting.append(ticks &- Int64(depth - index) &* step) }
        }
        highest = max(highest ?? ticks, ticks)
        let place = waiting.firstIndex { $0 > ticks } ?? waiting.count
        waiting.insert(ticks, at: place)
        var found = waiting.removeFirst()
        if let last, found <= last { found = last &+ 1 }
        last = found
        return found
    }

    private mutating func grow(to count: Int) {
        guard count > depth else { return }
        if let first = waiting.first ?? last {
            for index in 1...(count - depth) { waiting.insert(first &- Int64(index), at: 0) }
        }
        depth = count
    }
}
