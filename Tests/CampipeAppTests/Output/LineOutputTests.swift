import CampipeKit
import CampipeNodes
import Dispatch
import Testing

@testable import CampipeApp

@Suite("Lines and the status line")
struct LineOutputTests {
    private func pending(_ lines: [String] = [], status: String = "", lost: Int = 0) -> LineOutput.Pending {
        LineOutput.Pending(lines: lines, lost: lost, status: status)
    }

    @Test("lines go above the status line: it is wiped, they come, it comes back")
    func above() {
        #expect(pending(["a\n", "b\n"], status: "15/s").painted(over: "14/s") == "\r\u{1B}[Ka\nb\n15/s")
        #expect(pending(["a\n"], status: "15/s").painted(over: "15/s") == "\r\u{1B}[Ka\n15/s")
        #expect(pending(["a\n"]).painted(over: "15/s") == "\r\u{1B}[Ka\n")
    }

    @Test("without a status line there is not one escape")
    func plain() {
        #expect(pending(["a\n"]).painted(over: "") == "a\n")
        #expect(pending().painted(over: "") == "")
    }

    @Test("a status line that stays the same is not painted again")
    func same() {
        #expect(pending(status: "15/s").painted(over: "15/s") == "")
        #expect(pending(status: "16/s").painted(over: "15/s") == "\r\u{1B}[K16/s")
    }

    private func below(_ text: String) -> String {
        "\u{1B}7\u{1B}[?7l\u{1B}[999;1H\u{1B}[0m\u{1B}[K\(text)\u{1B}[?7h\u{1B}8"
    }

    @Test("under a picture lines wait until it has gone, and the status has the last row")
    func underPicture() {
        var pending = LineOutput.Pending(lines: ["a\n"], status: "15/s", isUnderPicture: true)
        #expect(pending.painted(over: "") == below("15/s"))
        #expect(pending.painted(over: below("15/s")) == "")
        _ = pending.take()
        (pending.status, pending.isClosed) = ("", true)
        #expect(pending.painted(over: "15/s") == "a\n")
    }

    @Test("what somebody else writes to the terminal comes above the status line, which comes back")
    func foreign() {
        let written = Lock("")
        let shown = DispatchSemaphore(value: 0)
        let output = LineOutput { text in
            written.withLock { $0 += text }
            shown.signal()
        }
        output.above { written.withLock { $0 += "one\n" } }
        output.show("15/s")
        shown.wait()
        output.above { written.withLock { $0 += "two\n" } }
        output.close()
        #expect(written.withLock { $0 } == "one\n15/s\r\u{1B}[Ktwo\n15/s\r\u{1B}[K")
    }

    @Test("lines come in order, and all of them, before close returns")
    func order() {
        let written = Lock("")
        let output = LineOutput { text in written.withLock { $0 += text } }
        for number in 0..<1000 { output.add("\(number)\n") }
        output.close()
        #expect(written.withLock { $0 } == (0..<1000).map { "\($0)\n" }.joined())
    }

    @Test("a reader that stands still holds nobody up: what is too much is counted, and said when it reads again")
    func stuck() {
        let written = Lock("")
        let gate = DispatchSemaphore(value: 0)
        let entered = DispatchSemaphore(value: 0)
        let output = LineOutput { text in
            entered.signal()
            gate.wait()
            written.withLock { $0 += text }
        }
        output.add("first\n")
        entered.wait()
        for _ in 0..<(LineOutput.most + 7) { output.add("x\n") }
        gate.signal()
        gate.signal()
        gate.signal()
        output.close()
        #expect(written.withLock { $0 }.hasSuffix("x\n(7 lines were lost: nobody took them)\n"))
    }

    @Test("closing gives up when nobody reads")
    func abandoned() {
        let gate = DispatchSemaphore(value: 0)
        let output = LineOutput { _ in gate.wait() }
        output.add("never taken\n")
        output.close(within: .milliseconds(50))
        gate.signal()
    }

    @Test("a picture that comes takes the status line along, and lines wait until it has gone")
    func covered() {
        let written = Lock("")
        let shown = DispatchSemaphore(value: 0)
        let output = LineOutput { text in
            written.withLock { $0 += text }
            shown.signal()
        }
        output.show("15/s")
        #expect(shown.wait(timeout: .now() + 30) == .success)
        output.cover(true)
        for _ in 0..<2 { #expect(shown.wait(timeout: .now() + 30) == .success) }
        output.add("a\n")
        output.cover(false)
        output.close()
        #expect(written.withLock { $0 }.hasPrefix("15/s\r\u{1B}[K\(below("15/s"))a\n"))
    }

    @Test("lines of nodes wait under a picture, come in order behind it, and the next ones behind them")
    func held() throws {
        let written = Lock<[String]>([])
        let lines = HeldLines(
            LineWriter { line in
                written.withLock { $0.append(line) }
                return .written
            })
        _ = try lines.write("before")
        lines.cover(true)
        for number in 0..<(LineOutput.most + 2) { _ = try lines.write("\(number)") }
        #expect(written.withLock { $0 } == ["before"])
        lines.cover(false)
        _ = try lines.write("after")
        let all = written.withLock { $0 }
        #expect(all.count == LineOutput.most + 3 && all[1] == "0")
        #expect(all.suffix(2) == ["(2 lines were lost under the picture)", "after"])
    }
}
