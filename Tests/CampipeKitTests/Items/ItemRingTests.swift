import Testing

@testable import CampipeKit

@Suite("Rows and queues of items")
struct ItemRingTests {
    private final class Weak {
        weak var item: ItemStorage?
        init(_ item: ItemStorage) { self.item = item }
    }

    @Test("a ring does as an array would, and lets go of what was taken")
    func ring() {
        var random = SplitMix(seed: 5)
        var alive: [Weak] = []
        do {
            let ring = ItemRing()
            var model: [Int64] = []
            for step in 0..<20_000 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    let item = Pictures.event(step).storage
                    if step % 50 == 0 { alive.append(Weak(item)) }
                    ring.append(item)
                    model.append(Pictures.at(step).nanoseconds)
                case 5..<8:
                    let taken = ring.popFirst()?.captured.nanoseconds
                    #expect(taken == (model.isEmpty ? nil : model.removeFirst()))
                case 8 where !model.isEmpty:
                    let position = Int.random(in: model.indices, using: &random)
                    let removed = ring.remove(at: position).captured.nanoseconds
                    #expect(removed == model.remove(at: position))
                case 9 where !model.isEmpty:
                    ring.insert(.exempt, at: model.count - 1)
                    #expect(ring[model.count - 1].flags == .exempt)
                default: break
                }
                #expect(ring.count == model.count && ring.isEmpty == model.isEmpty)
                if let first = model.first { #expect(ring[0].captured.nanoseconds == first) }
            }
        }
        #expect(alive.count > 100 && alive.allSatisfy { $0.item == nil })
    }

    @Test("marking an item in a ring leaves another holder's as it was")
    func marks() {
        let ring = ItemRing()
        let event = Pictures.event()
        ring.append(event.storage)
        ring.insert(.exempt, at: 0)
        #expect(event.flags.isEmpty && ring[0].flags == .exempt)
    }

    @Test("a row grows, hands its items out by position, and holds none of them afterwards")
    func buffer() {
        let buffer = ItemBuffer()
        for round in 0..<3 {
            for number in 0..<100 { buffer.append(Pictures.event(round * 100 + number).storage) }
            let kept = Weak(buffer[7] ?? Pictures.event().storage)
            let taken = buffer.take(7)
            #expect(taken?.captured == Pictures.at(round * 100 + 7) && buffer[7] == nil && buffer.count == 100)
            #expect(kept.item === taken)
            let other = Weak(buffer[8] ?? Pictures.event().storage)
            buffer.removeAll()
            #expect(buffer.isEmpty && other.item == nil)
        }
    }
}
