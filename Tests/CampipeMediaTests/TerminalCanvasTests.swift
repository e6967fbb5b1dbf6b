import CampipeKit
import Testing

@testable import CampipeMedia

@Suite("Pictures in a terminal")
struct TerminalCanvasTests {
    let pool = FramePool()

    private func halves() -> Frame {
        Made.frame(.yuv420, Size(160, 80)) { plane, x, _ in plane > 0 ? 128 : x < 80 ? 0 : 255 }
    }

    @Test(
        "the environment says what the terminal can",
        arguments: [
            (["TERM": "xterm-kitty", "LANG": "C.UTF-8"], TerminalCapabilities(.kitty, .truecolor)),
            (["TERM": "xterm-256color", "LANG": "de_DE.UTF-8"], TerminalCapabilities(.symbols, .truecolor)),
            (
                ["TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "en_US.utf8"],
                TerminalCapabilities(.symbols, .truecolor)
            ),
            (["TERM": "xterm-256color", "LANG": "C"], TerminalCapabilities(.ascii, .truecolor)),
            (["TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C"], TerminalCapabilities(.ascii, .truecolor)),
            (["TERM": "mlterm", "LANG": "C.UTF-8"], TerminalCapabilities(.sixel, .indexed256)),
            (["TERM": "foot", "LANG": "C.UTF-8"], TerminalCapabilities(.sixel, .truecolor)),
            (["TERM": "xterm-ghostty", "LANG": "C.UTF-8"], TerminalCapabilities(.kitty, .truecolor)),
            (
                ["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm", "LANG": "C.UTF-8"],
                TerminalCapabilities(.iterm, .truecolor)
            ),
            (
                ["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "LANG": "C.UTF-8"],
                TerminalCapabilities(.iterm, .truecolor)
            ),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/x", "LANG": "C.UTF-8"], TerminalCapabilities(.symbols, .truecolor)),
            (["TERM": "linux", "LANG": "C.UTF-8"], TerminalCapabilities(.symbols, .indexed16)),
            (["TERM": "xterm-kitty", "NO_COLOR": "1", "LANG": "C.UTF-8"], TerminalCapabilities(.symbols, .none)),
            (["TERM": "dumb"], TerminalCapabilities(.ascii, .none)), ([:], TerminalCapabilities(.ascii, .none)),
        ])
    func environment(_ environment: [String: String], _ wanted: TerminalCapabilities) {
        #expect(TerminalCapabilities(environment: environment) == wanted)
    }

    @Test(
        "the picture keeps its shape in the room there is",
        arguments: [
            (Size(160, 80), 80, 24, Size(80, 20)), (Size(160, 80), 20, 24, Size(20, 5)),
            (Size(80, 160), 80, 24, Size(24, 24)),
            (Size(1280, 720), 120, 40, Size(120, 34)), (Size(1, 1), 0, 0, Size(1, 1)),
            (Size(2000, 2), 80, 24, Size(80, 1)),
        ])
    func shape(_ picture: Size, _ columns: Int, _ rows: Int, _ cells: Size) {
        #expect(TerminalCanvas.cells(of: picture, columns: columns, rows: rows, cell: Size(10, 20)) == cells)
    }

    @Test("ASCII shows dark and bright, and nothing but ASCII")
    func ascii() throws {
        let bytes = try TerminalCanvas().draw(
            halves(), columns: 40, rows: 10, capabilities: .init(.ascii, .none), pool: pool)
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 10)
        for line in lines where line.count >= 40 {
            #expect(line.allSatisfy { (32..<127).contains($0) })
            #expect(line[line.startIndex + 5] == UInt8(ascii: " "))
            #expect(line[line.startIndex + 35] != UInt8(ascii: " "))
        }
    }

    @Test(
        "each protocol begins as its terminal wants it",
        arguments: [
            (TerminalCapabilities.Graphics.kitty, "\u{1B}_G"), (.sixel, "\u{1B}P"), (.iterm, "\u{1B}]1337;"),
            (.symbols, "\u{1B}["),
        ])
    func protocols(_ graphics: TerminalCapabilities.Graphics, _ start: String) throws {
        let bytes = try TerminalCanvas().draw(
            Made.gradient(.yuv420, Size(160, 80)), columns: 20, rows: 5, capabilities: .init(graphics, .truecolor),
            pool: pool)
        let text = try #require(String(validating: bytes, as: UTF8.self))
        #expect(text.hasPrefix(start))
        #expect(bytes.count > 200)
    }

    @Test(
        "however large the window is, a picture of pixels has a bounded size, and symbols fill the window",
        arguments: [
            (TerminalCapabilities.Graphics.kitty, 1_500_000), (.iterm, 1_500_000), (.sixel, 5_000_000),
            (.symbols, 1_500_000),
        ])
    func bounded(_ graphics: TerminalCapabilities.Graphics, _ limit: Int) throws {
        let noise = Made.frame(.yuv420, Size(640, 360)) { plane, x, y in (x * 7919 ^ y * 104_729 ^ x * y) & 255 }
        let canvas = TerminalCanvas()
        for (columns, rows, cell) in [(384, 108, Size(10, 20)), (213, 60, Size(18, 36)), (80, 24, Size(10, 20))] {
            let bytes = try canvas.draw(
                noise, columns: columns, rows: rows, cell: cell, capabilities: .init(graphics, .truecolor), pool: pool)
            #expect(bytes.count < limit, "\(columns)x\(rows): \(bytes.count)")
        }
        // kitty is told the cells that the picture fills, and makes it that large.
        guard graphics == .kitty else { return }
        let large = try canvas.draw(
            noise, columns: 384, rows: 108, cell: Size(10, 20), capabilities: .init(graphics, .truecolor), pool: pool)
        let head = String(decoding: large.prefix(80), as: UTF8.self)
        #expect(head.contains("c=384,r=108"), "\(head)")
    }

    @Test(
        "colours are those of the picture, in each depth",
        arguments: [
            (TerminalCapabilities.Colors.truecolor, ["255;0;0", "254;0;0"]),
            (.indexed256, [";5;196", ";5;9m", ";5;9;"]), (.indexed16, ["91", "101"]),
        ])
    func colors(_ colors: TerminalCapabilities.Colors, _ codes: [String]) throws {
        let red = Made.frame(.rgb24, Size(80, 80)) { _, x, _ in x % 3 == 0 ? 255 : 0 }
        let bytes = try TerminalCanvas().draw(
            red, columns: 8, rows: 4, capabilities: .init(.symbols, colors), pool: pool)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(codes.contains { text.contains($0) }, "\(text.debugDescription)")
    }

    @Test(
        "the same frame gives the same bytes, whatever was drawn before",
        arguments: TerminalCapabilities.Graphics.allCases)
    func pure(_ graphics: TerminalCapabilities.Graphics) throws {
        let canvas = TerminalCanvas()
        let capabilities = TerminalCapabilities(graphics, .truecolor)
        let first = try canvas.draw(halves(), columns: 40, rows: 10, capabilities: capabilities, pool: pool)
        _ = try canvas.draw(
            Made.gradient(.gray8, Size(33, 17)), columns: 40, rows: 10, capabilities: capabilities, pool: pool)
        _ = try canvas.draw(halves(), columns: 3, rows: 90, capabilities: .init(.ascii, .none), pool: pool)
        #expect(try canvas.draw(halves(), columns: 40, rows: 10, capabilities: capabilities, pool: pool) == first)
        #expect(
            try TerminalCanvas().draw(halves(), columns: 40, rows: 10, capabilities: capabilities, pool: pool) == first)
    }
}
