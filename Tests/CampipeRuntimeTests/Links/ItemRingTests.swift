import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite("Queues of items")
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
                    let item = Self.event(step).storage
                    if step % 50 == 0 { alive.append(Weak(item)) }
                    ring.append(item)
                    model.append(Int64(step))
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
        let event = Self.event()
        ring.append(event.storage)
        ring.insert(.exempt, at: 0)
        #expect(event.flags.isEmpty && ring[0].flags == .exempt)
    }

    private static func event(_ number: Int = 0) -> Event {
        Event("tick", id: "\(number)", captured: Instant(nanoseconds: Int64(number)), node: "test")
    }
}
