import CampipeKit
import Testing

@testable import CampipeProcess

@Suite("What a child writes on standard error")
struct ChildLinesTests {
    @Test("lines come whole, across reads, without what a terminal would obey")
    func lines() {
        var lines = ChildLines()
        #expect(lines.take(Array("one\ntw".utf8)[...], at: .zero).lines == ["one"])
        #expect(
            lines.take(Array("o\n\n  \n\u{1B}[31mred\nlast".utf8)[...], at: .zero).lines == ["two", "\\u001b[31mred"])
        #expect(lines.end(at: .zero).lines == ["last"])
        #expect(lines.last == "last")
    }

    @Test("a flood is cut to some lines a second, and the count is told; a line without an end takes no memory")
    func flood() {
        var lines = ChildLines()
        let flood = Array(String(repeating: "flood\n", count: 1000).utf8)
        #expect(lines.take(flood[...], at: .zero).lines.count == ChildLines.rateLimit)
        let later = lines.take(Array("calm\n".utf8)[...], at: .zero + .seconds(1))
        #expect(later.lines == ["calm"])
        #expect(later.left == 1000 - ChildLines.rateLimit)
        let long = [UInt8](repeating: 65, count: 1_000_000)
        _ = lines.take(long[...], at: .zero + .seconds(3))
        #expect(lines.end(at: .zero + .seconds(3)).lines.first?.utf8.count == ChildLines.lineLimit)
    }
}
