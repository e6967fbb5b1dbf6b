import Testing

@testable import CampipeHTTP

@Suite("Connections by address")
struct AddressCounterTests {
    /// Which of these may be, each counted.
    private func admitted(_ addresses: [String], _ counter: inout AddressCounter) -> [Bool] {
        addresses.map { counter.add($0) }
    }

    @Test("an address has so many at once, others have theirs, and what is over makes room")
    func most() {
        var counter = AddressCounter(most: 2)
        #expect(
            admitted(["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.2"], &counter) == [true, true, false, true])
        counter.remove("10.0.0.1")
        #expect(admitted(["10.0.0.1", "10.0.0.1"], &counter) == [true, false])
        for address in ["10.0.0.1", "10.0.0.1", "10.0.0.2"] { counter.remove(address) }
        #expect(counter.count == 0)
    }

    @Test("of IPv6 the network counts, and IPv4 in IPv6 is the same address")
    func networks() {
        var counter = AddressCounter(most: 2)
        let networks = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::3", "2001:db8:1:3::1"]
        #expect(admitted(networks, &counter) == [true, true, false, true])
        #expect(admitted(["::ffff:10.0.0.1", "10.0.0.1", "::ffff:10.0.0.1"], &counter) == [true, true, false])
    }

    @Test("this machine's own are not counted", arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
    func local(address: String) {
        var counter = AddressCounter(most: 1)
        #expect(admitted([address, address, address], &counter) == [true, true, true])
        #expect(counter.count == 0)
    }
}
