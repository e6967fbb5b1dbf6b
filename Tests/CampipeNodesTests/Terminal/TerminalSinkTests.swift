import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Pictures in the terminal")
struct TerminalSinkTests {
    /// A terminal that keeps what is written to it.
    private final class Screen: Sendable {
        let written = Lock<[UInt8]>([])
        let size = Lock<TerminalScreen.Size?>(TerminalScreen.Size(columns: 40, rows: 12))

        var services: Services {
            var services = Services()
            services.add(
                TerminalScreen(
                    environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8"], measure: { self.size.withLock { $0 } },
                    writing: { bytes in
                        self.written.withLock { $0 += bytes }
                        return true
                    }))
            return services
        }

        func take() -> String {
            written.withLock { bytes in
                defer { bytes = [] }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private let registration = Registration(sink: TerminalSink.self)

    @Test("a picture fills the window but its last line, and the screen is as before afterwards")
    func draws() throws {
        let screen = Screen()
        let harness = try NodeHarness(registration, isLive: true, services: screen.services)
        #expect(screen.take().contains("\u{1b}[?1049h"))
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        let drawn = screen.take()
        #expect(drawn.contains("\u{1b}[H"))
        #expect((5...11).contains(drawn.split(separator: "\n").count))
        try harness.end()
        #expect(screen.take().hasSuffix("\u{1b}[?25h\u{1b}[?1049l"))
    }

    @Test("another size of the window clears what the old one left")
    func resize() throws {
        let screen = Screen()
        let harness = try NodeHarness(registration, isLive: true, services: screen.services)
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        _ = screen.take()
        screen.size.withLock { $0 = TerminalScreen.Size(columns: 20, rows: 6) }
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        #expect(screen.take().contains("\u{1b}[2J"))
    }

    @Test("without a terminal it says so once, writes nothing and takes nothing more")
    func noTerminal() throws {
        let screen = Screen()
        screen.size.withLock { $0 = nil }
        let harness = try NodeHarness(registration, isLive: true, services: screen.services)
        #expect(try harness.push(Pictures.frame(.yuv420, Size(64, 48))) == .ended)
        #expect(harness.logged.map(\.message) == ["there is no terminal to show pictures in"])
        #expect(screen.take().isEmpty)
    }
}
