import CampipeKit
import Testing

@testable import CampipeRuntime

/// Random operations on a link queue beside a slow model: one list, in which what is dropped becomes a gap where it
/// stood.
@Suite struct LinkModelTests {
    @Test("Random operations do what the slow model does", arguments: 0..<40)
    func randomOperations(part: Int) {
        for seed in part * 50..<(part + 1) * 50 {
            var random = SplitMix(seed: UInt64(seed))
            let whenFull = WhenFull.allCases[Int(random.next() % 5)]
            let policy = LinkPolicy(
                whenFull, maxItems: Int(random.next() % 5) + 1,
                maxBytes: random.next() % 3 == 0 ? 250 : 1 << 20,
                maxAge: random.next() % 3 == 0 ? .milliseconds(Int(random.next() % 6)) : nil)
            var model = LinkModel(policy)
            var stream = LinkStream(policy)
            for step in 0..<60 {
                switch random.next() % 12 {
                case 0...6:
                    // One, or a run of them.
                    let packets = (0...(random.next() % 3)).map { _ in ["K", "d", "d", "x"][Int(random.next() % 4)] }
                    stream.push(packets.joined())
                    for packet in packets { model.push(packet) }
                case 7...9:
                    let limit = Int(random.next() % 4)
                    let gave = stream.take(limit: limit)
                    let expected = model.take(limit)
                    guard gave == expected else {
                        Issue.record("seed \(seed), \(policy), step \(step): \(gave), expected \(expected)")
                        return
                    }
                case 10:
                    stream.queue.setOpen(model.isOpen == false)
                    model.setOpen(!model.isOpen)
                default:
                    let format: Format = random.next() % 2 == 0 ? .packets(.h264) : .packets(.jpeg)
                    stream.queue.push(.format(format))
                    model.push(format)
                }
                #expect(stream.queue.ledger.isBalanced)
                #expect(stream.queue.count == model.count)
                #expect(stream.queue.bytes == model.count * 100)
            }
            #expect(stream.take() == model.take(.max), "seed \(seed), \(policy)")
        }
    }
}

/// What a link is to do, told as slowly and plainly as can be.
private struct LinkModel {
    enum Entry: Equatable {
        case item(Int, Character)
        case gap(Int)
        case format

        var isItem: Bool { if case .item = self { true } else { false } }
    }

    let policy: LinkPolicy
    private(set) var isOpen = true
    private var entries: [Entry] = []
    private var next = 0
    private var awaitsKey = false
    private var missed = 0
    private var isInterCoded: Bool?

    init(_ policy: LinkPolicy) { self.policy = policy }

    private var items: [(place: Int, kind: Character)] {
        entries.compactMap { if case .item(let place, let kind) = $0 { (place, kind) } else { nil } }
    }
    var count: Int { items.count }

    private var isFull: Bool {
        guard let first = items.first, let last = items.last else { return false }
        if items.count >= policy.maxItems || items.count * 100 + 100 > policy.maxBytes { return true }
        return policy.maxAge.map { .milliseconds(last.place - first.place) >= $0 } ?? false
    }

    /// The policy, of a stream whose packets need one another.
    private var whenFull: WhenFull {
        let prefersNewest = policy.whenFull == .latest || policy.whenFull == .dropOldest
        return prefersNewest && isInterCoded == true ? .dropGOP : policy.whenFull
    }

    private var isOverHalf: Bool {
        guard let first = items.first, let last = items.last else { return false }
        return items.count > policy.maxItems / 2 || items.count * 100 > policy.maxBytes / 2
            || policy.maxAge.map { .milliseconds(last.place - first.place) > $0 / 2 } ?? false
    }

    mutating func push(_ kind: String) {
        let kind = Character(kind)
        let place = next
        next += 1
        guard isOpen else {
            missed += 1
            return
        }
        if awaitsKey {
            guard kind == "K" else { return entries.append(.gap(1)) }
            awaitsKey = false
            if whenFull == .dropGOP, isOverHalf || isFull { drop(items.count) }
        }
        while isFull {
            switch whenFull {
            case .block: return entries.append(.item(place, kind))
            case .latest: drop(items.count)
            case .dropOldest: drop(1)
            case .dropNewest:
                if isInterCoded == true, kind != "x" { awaitsKey = true }
                return entries.append(.gap(1))
            case .dropGOP:
                if kind == "x" { return entries.append(.gap(1)) }
                if let disposable = entries.firstIndex(where: { if case .item(_, "x") = $0 { true } else { false } }) {
                    entries[disposable] = .gap(1)
                } else if let key = items.lastIndex(where: { $0.kind == "K" }), key > 0 {
                    drop(key)
                } else if kind == "K" {
                    drop(items.count)
                } else {
                    awaitsKey = true
                    return entries.append(.gap(1))
                }
            }
        }
        entries.append(.item(place, kind))
    }

    mutating func push(_ format: Format) {
        if policy.whenFull != .block, isInterCoded == nil, format.isInterCoded { awaitsKey = true }
        isInterCoded = format.isInterCoded
        entries.append(.format)
    }

    mutating func setOpen(_ open: Bool) {
        isOpen = open
        if open {
            if missed > 0 { entries.append(.gap(missed)) }
            missed = 0
            if policy.whenFull != .block, isInterCoded == true { awaitsKey = true }
        } else {
            drop(items.count)
        }
    }

    private mutating func drop(_ count: Int) {
        var left = count
        for index in entries.indices where left > 0 && entries[index].isItem {
            entries[index] = .gap(1)
            left -= 1
        }
    }

    /// Between two items there is one gap, then one format, if any.
    mutating func take(_ limit: Int) -> String {
        var words: [String] = []
        var taken = 0
        var gap = 0
        var hasFormat = false
        func say() {
            if gap > 0 { words.append("[\(gap)]") }
            if hasFormat { words.append("F") }
            gap = 0
            hasFormat = false
        }
        while let entry = entries.first {
            switch entry {
            case .item(let place, _):
                guard taken < limit else {
                    say()
                    return words.joined(separator: " ")
                }
                say()
                words.append("\(place)")
                taken += 1
            case .gap(let count):
                gap += count
            case .format:
                hasFormat = true
            }
            entries.removeFirst()
        }
        say()
        return words.joined(separator: " ")
    }
}
