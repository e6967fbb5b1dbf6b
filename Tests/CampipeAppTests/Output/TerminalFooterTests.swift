import Testing

@testable import CampipeApp

@Suite("Below the picture in the terminal")
struct TerminalFooterTests {
    private let footer = TerminalFooter(
        addresses: "http://127.0.0.1:8080/front", status: "front running 15/s", newest: "12:00:00.000 info serving")

    @Test(
        "as many rows as the picture leaves: the state, the log under it, the addresses above",
        arguments: [
            (3, 24, ["http://127.0.0.1:8080/front", "front running 15/s", "12:00:00.000 info serving"]),
            (2, 24, ["front running 15/s", "12:00:00.000 info serving"]), (1, 24, ["front running 15/s"]),
            (3, 11, ["front running 15/s"]),
        ])
    func rows(_ asked: Int, _ height: Int, _ rows: [String]) {
        #expect(footer.rows(in: .init(columns: 80, rows: height, footerRows: asked)) == rows)
    }

    @Test("no row reaches the last column, and the cursor comes back")
    func width() {
        let room = TerminalFooter.Room(columns: 10, rows: 24, footerRows: 3)
        #expect(footer.rows(in: room) == ["http://12", "front run", "12:00:00."])
        #expect(
            footer.painted(in: room)
                == "\u{1B}7\u{1B}[?7l\u{1B}[999;1H\u{1B}[0m\u{1B}[K12:00:00.\u{1B}[A\r\u{1B}[0m\u{1B}[Kfront run"
                + "\u{1B}[A\r\u{1B}[0m\u{1B}[Khttp://12\u{1B}[?7h\u{1B}8")
    }

    @Test(
        "of a log's text the last line that says anything, without colours",
        arguments: [
            ("\u{1B}[2m12:00\u{1B}[0m \u{1B}[33mwarning\u{1B}[0m stalled\n", "12:00 warning stalled"),
            ("one\ntwo\n\n", "two"), ("a\tb\u{7}c\n", "abc"), ("\n", nil), ("", nil), ("x\u{1B}[", "x"),
        ])
    func newest(_ text: String, _ line: String?) {
        #expect(TerminalFooter.newest(of: text) == line)
    }
}
