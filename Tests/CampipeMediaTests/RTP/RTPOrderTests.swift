import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("The order of RTP packets")
struct RTPOrderTests {
    private static func packet(_ sequence: Int, source: UInt8 = 7) -> [UInt8] {
        [0x80, 96, UInt8(sequence >> 8 & 255), UInt8(sequence & 255), 0, 0, 0, 0, 0, 0, 0, source, 1]
    }

    /// What comes out: sequence numbers, with minus how many are missing in front.
    private static func out(_ packets: [RTPOrder.Packet]) -> [Int] {
        packets.flatMap { ($0.missing > 0 ? [-$0.missing] : []) + [Int($0.header.sequence)] }
    }

    @Test(
        "packets come in their order, each once",
        arguments: [
            ([1, 2, 3], [1, 2, 3]), ([1, 3, 2, 4], [1, 2, 3, 4]), ([1, 4, 3, 2, 5], [1, 2, 3, 4, 5]),
            ([1, 2, 2, 1, 3], [1, 2, 3]), ([65_534, 65_535, 1, 0, 2], [65_534, 65_535, 0, 1, 2]),
            ([5, 7, 7, 6], [5, 6, 7]),
            // Somewhere else for good: the second in a row is believed.
            ([1, 2, 30_000, 30_001, 30_002], [1, 2, -1, 30_001, 30_002]),
            ([1, 2, 30_000, 3, 4], [1, 2, 3, 4]),
            // Shortly before: four in a row.
            ([100, 101, 50, 51, 52, 53, 54], [100, 101, -1, 53, 54]),
        ])
    func order(_ sent: [Int], _ expected: [Int]) {
        var order = RTPOrder()
        #expect(Self.out(sent.flatMap { order.add(Self.packet($0), at: .zero) }) == expected)
    }

    @Test("over TCP a step back is a stream that began anew")
    func reliable() {
        var order = RTPOrder(isReliable: true)
        #expect(Self.out([8, 8, 9, 1, 2].flatMap { order.add(Self.packet($0), at: .zero) }) == [8, 9, 1, 2])
    }

    @Test("what is missing is given up after a tenth of a second, and counted")
    func patience() {
        var order = RTPOrder()
        var found = order.add(Self.packet(1), at: .zero)
        found += order.add(Self.packet(4), at: .zero)
        found += order.add(Self.packet(5), at: .zero + .milliseconds(99))
        #expect(Self.out(found) == [1])
        #expect(Self.out(order.drain(at: .zero + .milliseconds(100))) == [-2, 4, 5])
        #expect(order.lost == 2)
        #expect(order.add(Self.packet(3), at: .zero + .milliseconds(101)).isEmpty)
        #expect(order.late == 1)
    }

    @Test("no more than so many wait")
    func capacity() {
        var order = RTPOrder()
        _ = order.add(Self.packet(0), at: .zero)
        var found: [RTPOrder.Packet] = []
        for number in 2...(RTPOrder.capacity + 2) { found += order.add(Self.packet(number), at: .zero) }
        #expect(Self.out(Array(found.prefix(1))) == [-1, 2])
        #expect(found.count == RTPOrder.capacity + 1)
    }

    @Test("another sender is followed at once, and wraps are counted for it")
    func source() {
        var order = RTPOrder()
        var found = order.add(Self.packet(9), at: .zero)
        found += order.add(Self.packet(500, source: 8), at: .zero)
        #expect(Self.out(found) == [9, 500])
        var wrapping = RTPOrder()
        for number in [65_534, 65_535, 0, 1] { _ = wrapping.add(Self.packet(number), at: .zero) }
        #expect(wrapping.highest == 0x1_0001)
    }

    @Test(
        "what is no RTP packet is passed over",
        arguments: [
            [], [UInt8](repeating: 0x80, count: 11), [0x40] + [UInt8](repeating: 0, count: 20),
            [0x8F] + [UInt8](repeating: 0, count: 20), [0x90] + [UInt8](repeating: 0, count: 12),
            [0xA0] + [UInt8](repeating: 255, count: 20), [0x80] + [UInt8](repeating: 0, count: 11),
        ])
    func broken(_ bytes: [UInt8]) {
        #expect(RTPHeader(bytes) == nil)
        var order = RTPOrder()
        #expect(order.add(bytes, at: .zero).isEmpty)
    }
}
