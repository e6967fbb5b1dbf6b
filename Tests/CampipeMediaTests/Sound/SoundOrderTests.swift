import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Sound beside pictures")
struct SoundOrderTests {
    /// A line of time that begins at 100 s where the pipeline's begins at 0, a keyframe a second.
    private static func picture(_ milliseconds: Int) -> Packet {
        Packet(
            .empty, format: .h264, captured: .zero + .milliseconds(milliseconds),
            pts: MediaTime(.seconds(100) + .milliseconds(milliseconds)), isKeyframe: milliseconds % 1000 == 0)
    }

    /// A line that begins at 7 s, 20 ms a packet.
    private static func sound(_ milliseconds: Int, line: Int = 7000, coding: Coding = .pcmu) -> Packet {
        var format = PacketFormat(coding, timebase: Timebase(1, 8000))
        format.sampleRate = 8000
        format.channels = 1
        return Packet(
            .empty, format: format, captured: .zero + .milliseconds(milliseconds),
            pts: MediaTime(ticks: Int64(line + milliseconds) * 8, timebase: Timebase(1, 8000)),
            duration: .milliseconds(20))
    }

    private static func text(_ packets: [Packet]) -> [String] {
        packets.map { ($0.format.isAudio ? "s" : "p") + "\($0.captured.nanoseconds / 1_000_000)" }
    }

    @Test("what comes goes on in order, and sound has its time on the pictures' line")
    func order() {
        var order = SoundOrder(wait: .milliseconds(500), hasSound: true)
        var out: [Packet] = []
        for time in stride(from: 0, to: 200, by: 40) { out += order.add(Self.picture(time)) }
        #expect(out.isEmpty)
        for time in stride(from: 10, to: 190, by: 20) { out += order.add(Self.sound(time)) }
        #expect(
            Self.text(out) == [
                "p0", "s10", "s30", "p40", "s50", "s70", "p80", "s90", "s110", "p120", "s130", "s150", "p160",
            ])
        out += order.flush()
        #expect(Self.text(out).last == "s170")
        for packet in out {
            let line = packet.pts.duration - .seconds(100)
            #expect(line == packet.captured - .zero)
            #expect(packet.pts == packet.dts)
        }
        #expect(order.sound?.coding == .pcmu)
    }

    @Test("pictures pass at once where no sound can come")
    func none() {
        var order = SoundOrder(wait: .milliseconds(500), hasSound: false)
        for time in stride(from: 0, to: 200, by: 40) {
            let found = order.add(Self.picture(time))
            #expect(found.count == 1)
        }
        let rest = order.flush()
        #expect(rest.isEmpty && order.sound == nil)
    }

    @Test("a picture waits for the first sound two seconds, and for none that stops longer than it was told")
    func silence() {
        var order = SoundOrder(wait: .milliseconds(500), hasSound: true)
        var most = 0
        var (given, back) = (0, 0)
        for time in stride(from: 0, to: 10_000, by: 40) {
            if (4000..<5000).contains(time) {
                back += order.add(Self.sound(time)).count { !$0.format.isAudio }
                back += order.add(Self.sound(time + 20)).count { !$0.format.isAudio }
            }
            back += order.add(Self.picture(time)).count { !$0.format.isAudio }
            given += 1
            most = max(most, given - back)
            if time > 2100, time < 4000 { #expect(given == back) }
            if time > 5600 { #expect(given == back) }
            if (4040..<4900).contains(time) { #expect(given - back <= 1) }
            if time < 8000, time > 5000 { #expect((order.sound != nil) == (time <= 4980 + 3000)) }
        }
        #expect(most <= 52)
    }

    @Test("sound that is found elsewhere is moved anew only when it stays there")
    func moved() {
        var order = SoundOrder(wait: .milliseconds(500), hasSound: true)
        _ = order.add(Self.picture(0))
        var times: [Int64] = []
        func note(_ packets: [Packet]) {
            for packet in packets where packet.format.isAudio {
                times.append((packet.pts.duration - .seconds(100)).nanoseconds / 1_000_000)
            }
        }
        func hear(_ range: Range<Int>, late: Int) {
            for number in range {
                var packet = Self.sound(number * 20)
                packet.captured = .zero + .milliseconds(number * 20 + late)
                note(order.add(packet))
                note(order.add(Self.picture(number * 20 + 1)))
            }
        }
        // Five late ones are jitter; forty are another line.
        hear(0..<20, late: 0)
        hear(20..<25, late: 100)
        hear(25..<60, late: 0)
        hear(60..<100, late: 100)
        note(order.flush())
        #expect(times.prefix(60) == (0..<60).map { Int64($0 * 20) }[...])
        #expect(times.last == Int64(2080))
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("sound before the first keyframe, and what lies over the sound before, is left out")
    func leftOut() {
        var order = SoundOrder(wait: .milliseconds(500), hasSound: true)
        var out = order.add(Self.sound(0)) + order.add(Self.sound(20))
        out += order.add(Self.picture(1000))
        out += order.add(Self.sound(1000)) + order.add(Self.sound(1005, line: 7000)) + order.add(Self.sound(1020))
        out += order.flush()
        #expect(Self.text(out) == ["p1000", "s1000", "s1020"])
    }

    @Test("after an interruption the lines are compared anew")
    func interruption() {
        var order = SoundOrder(wait: .milliseconds(500), hasSound: true)
        _ = order.add(Self.picture(0))
        _ = order.add(Self.sound(0))
        let held = order.interrupt()
        #expect(held.isEmpty)
        _ = order.add(Self.picture(5000))
        let found =
            order.add(Self.sound(5000, line: 60_000)).first { $0.format.isAudio }
            ?? order.flush().first {
                $0.format.isAudio
            }
        #expect(found?.pts.duration == .seconds(105))
    }
}
