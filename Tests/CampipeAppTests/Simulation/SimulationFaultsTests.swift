import CampipeKit
import CampipeMedia
import Testing

@testable import CampipeApp

@Suite("When a simulated camera does wrong")
struct SimulationFaultsTests {
    @Test("a fault falls on the first picture after each multiple of its time")
    func times() {
        let faults = SimulationFaults(damageEvery: .seconds(2))
        var last = Duration.zero
        var hits: [Int] = []
        for tenth in 1...70 {
            let now = Duration.milliseconds(Int64(tenth) * 100)
            if faults.fault(from: last, to: now) == .damage { hits.append(tenth) }
            last = now
        }
        #expect(hits == [20, 40, 60])
    }

    @Test("of two at once the graver one falls")
    func order() {
        let all = SimulationFaults(stallEvery: .seconds(1), cutEvery: .seconds(3), damageEvery: .seconds(1))
        #expect(all.fault(from: .milliseconds(900), to: .milliseconds(1100)) == .stall)
        #expect(all.fault(from: .milliseconds(2900), to: .milliseconds(3100)) == .cut)
        #expect(SimulationFaults().fault(from: .zero, to: .seconds(1000)) == nil)
    }

    @Test("a damaged picture is one that still begins as a JPEG, and every second has no end")
    func damage() throws {
        let camera = SimulatedCamera(.porch, size: Size(320, 240), fps: 10, seed: 1)
        let jpeg = try camera.picture(3).array
        let even = SimulationFaults.damaged(jpeg, number: 2)
        let odd = SimulationFaults.damaged(jpeg, number: 3)
        #expect(even != jpeg && even.prefix(64) == jpeg.prefix(64) && even.suffix(2) == [0xFF, 0xD9])
        #expect(odd.count == jpeg.count - 2)
    }

    @Test("a camera shows its pictures by their time, the same one to all")
    func camera() throws {
        let camera = SimulatedCamera(.porch, size: Size(64, 48), fps: 4, seed: 1)
        #expect(camera.number(at: .milliseconds(999)) == 3 && camera.time(of: 3) == .milliseconds(750))
        #expect(try camera.picture(3).array == camera.picture(3).array)
        #expect(try camera.picture(3).array != camera.picture(4).array)
    }
}
