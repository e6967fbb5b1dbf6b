import CampipeKit

/// What one node of a drawn graph was given and made, with what was wrong about it.
///
/// Touched in the node's turns, and by the test when all is over. It has no lock on purpose: the thread sanitizer tells
/// if two turns of a node ever overlap, or if a turn does not see what the one before did.
final class NodeRecord: @unchecked Sendable {
    // See above.
    let id: String
    /// Items of the main input that came to the node.
    private(set) var received = 0
    /// Items that gaps of the main input answered for.
    private(set) var missed = 0
    /// Items that it failed at.
    var failed = 0
    private(set) var opened = 0
    private(set) var finished = 0
    /// When the items were captured that it emitted, by output.
    var emitted: [[Instant]] = [[], []]
    /// When the side items were captured that came with primaries, and with which.
    private(set) var sides: [String: [(side: Instant, primary: Instant)]] = [:]
    /// What happened on the main input, where it is kept.
    var entries: [Entry] = []
    private(set) var wrongs: [String] = []
    /// Whether several links lead to the main input, so that there is no order among them.
    var hasManyInputs = false

    enum Entry: Hashable {
        case item(Int, Instant)
        case gap(Gap)
        case gate(Bool, Instant)
    }

    private var last = Instant.distantPast
    private var watermark = Instant.distantPast

    init(_ id: String) { self.id = id }

    /// Items that came or are answered for.
    var arrived: Int { received + missed }
    var lastPrimary: Instant { last }

    func open() {
        opened += 1
        if opened != finished + 1 { wrong("opened \(opened) times, finished \(finished)") }
    }

    func finish() {
        finished += 1
        if opened != finished { wrong("finished \(finished) times, opened \(opened)") }
    }

    func take(_ captured: Instant) {
        received += 1
        if opened != finished + 1 { wrong("an item while not open") }
        guard !hasManyInputs else { return }
        if captured < last { wrong("an item of \(captured) after one of \(last)") }
        if captured <= watermark { wrong("an item of \(captured) after the watermark \(watermark)") }
        last = captured
    }

    func take(_ gap: Gap) {
        missed += gap.count
        watermark = max(watermark, gap.through)
        if gap.count < 0 || gap.from > gap.through { wrong("a gap of \(gap)") }
    }

    func take(side: String, _ captured: Instant, primary: Instant) {
        sides[side, default: []].append((captured, primary))
    }

    func wrong(_ sentence: String) { if wrongs.count < 5 { wrongs.append("\(id): \(sentence)") } }
}

/// The records of a graph's nodes, by id; given to the nodes as a service.
final class Journal: Sendable {
    /// Whether joins forget what their primary input missed, to see that it is found.
    let hasDeafJoins: Bool
    private let records = Lock<[String: NodeRecord]>([:])

    init(hasDeafJoins: Bool = false) { self.hasDeafJoins = hasDeafJoins }

    subscript(id: String) -> NodeRecord {
        records.withLock { records in
            if let record = records[id] { return record }
            let record = NodeRecord(id)
            records[id] = record
            return record
        }
    }

    var all: [NodeRecord] { records.withLock { Array($0.values) } }
}
