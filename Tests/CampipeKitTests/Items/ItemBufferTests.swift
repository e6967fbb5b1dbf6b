import Testing

@testable import CampipeKit

@Suite("Rows of items")
struct ItemBufferTests {
    private final class Weak {
        weak var item: ItemStorage?
        init(_ item: ItemStorage) { self.item = item }
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
