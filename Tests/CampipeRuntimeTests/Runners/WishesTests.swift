import CampipeKit
import Testing

@testable import CampipeRuntime

@Suite("What a node asks for")
struct WishesTests {
    private let want = Want(maxWidth: 320)
    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

    @Test("what came and went before anybody asked is no news, and leaves nothing behind")
    func unheard() {
        var wishes = Wishes()
        for id in 1...1000 {
            wishes.set(Demand.ID(id), want, at: at(0))
            wishes.set(Demand.ID(id), nil, at: at(0))
        }
        #expect(!wishes.hasNews && wishes.nextEnd == nil && wishes.take().isEmpty)
    }

    @Test("of many changes the last one is told, once")
    func last() {
        var wishes = Wishes()
        for width in [160, 320, 640] { wishes.set(3, Want(maxWidth: width), at: at(0)) }
        wishes.set(1, want, at: at(0))
        let changes = wishes.take()
        #expect(changes.map(\.id) == [1, 3])
        #expect(changes.map(\.want) == [want, Want(maxWidth: 640)])
        #expect(!wishes.hasNews && wishes.take().isEmpty)
        wishes.set(3, Want(maxWidth: 160), at: at(1))
        wishes.set(3, Want(maxWidth: 640), at: at(1))
        #expect(!wishes.hasNews)
    }

    @Test("one that ends stays two seconds, and nobody hears when it comes back within them")
    func stays() {
        var wishes = Wishes()
        wishes.set(1, want, at: at(0))
        _ = wishes.take()
        for round in 0..<100 {
            wishes.set(1, nil, at: at(Double(round)))
            wishes.end(at: at(Double(round) + 1.9))
            wishes.set(1, want, at: at(Double(round) + 1.9))
            #expect(!wishes.hasNews && wishes.nextEnd == nil)
        }
        wishes.set(1, nil, at: at(100))
        // Who says it twice does not keep it longer.
        #expect(wishes.nextEnd == at(102))
        wishes.end(at: at(102))
        #expect(wishes.take().map(\.want) == [nil])
        wishes.set(1, nil, at: at(103))
        #expect(!wishes.hasNews && wishes.nextEnd == nil)
    }

    @Test("one that comes back as another is told as that")
    func another() {
        var wishes = Wishes()
        wishes.set(1, want, at: at(0))
        _ = wishes.take()
        wishes.set(1, nil, at: at(1))
        wishes.set(1, Want(maxWidth: 640), at: at(1))
        #expect(wishes.take().map(\.want) == [Want(maxWidth: 640)])
        wishes.end(at: at(9))
        #expect(!wishes.hasNews)
    }

    @Test("of many that ended sixteen stay, the youngest")
    func bounded() {
        var wishes = Wishes()
        for id in 1...50 { wishes.set(Demand.ID(id), want, at: at(0)) }
        _ = wishes.take()
        for id in 1...50 { wishes.set(Demand.ID(id), nil, at: at(1)) }
        #expect(wishes.take().map(\.id) == Array(1...34))
        wishes.end(at: at(3))
        #expect(wishes.take().map(\.id) == Array(35...50))
    }

    @Test("wishes of any number of calls are fetched by one ring; a timer at most waits")
    func box() {
        let clock = ManualClock()
        let rings = Lock(0)
        let box = WishBox(clock: clock) { rings.withLock { $0 += 1 } }
        for id in 1...100 { box.set(Demand.ID(id), want) }
        #expect(rings.withLock { $0 } == 1)
        #expect(box.take().count == 100)
        for _ in 0..<1000 {
            box.set(1, nil)
            box.set(1, want)
        }
        #expect(rings.withLock { $0 } == 1)
        box.set(1, nil)
        clock.advance(by: .seconds(2))
        #expect(rings.withLock { $0 } == 2)
        #expect(box.take().map(\.want) == [nil])
        #expect(clock.nextTimer == nil)
    }
}
