import CampipeKit
import Testing

@testable import CampipeNodes

@Suite("Pictures in the terminal")
struct TerminalSinkTests {
    /// A terminal that keeps what is written to it.
    private final class Screen: Sendable {
        let written = Lock<[UInt8]>([])
        let size = Lock<TerminalScreen.Size?>(TerminalScreen.Size(columns: 40, rows: 12))
        let isInFront = Lock(true)
        /// What stands under the pictures was told of: covered, or back.
        let covered = Lock<[Bool]>([])
        let services: Services
        let screen: TerminalScreen

        init(term: String = "xterm-256color") {
            screen = TerminalScreen(
                environment: ["TERM": term, "LANG": "C.UTF-8"], measure: { [size] in size.withLock { $0 } },
                isInFront: { [isInFront] in isInFront.withLock { $0 } },
                covering: { [covered] isCovered in covered.withLock { $0.append(isCovered) } },
                writing: { [written] bytes in
                    written.withLock { $0 += bytes }
                    return true
                })
            var services = Services()
            services.add(screen)
            self.services = services
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

    private static let begin = "\u{1b}[?1049h\u{1b}[2J\u{1b}[?25l"
    private static let end = "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"

    @Test("a dumb terminal is sent nothing, and is named once")
    func dumb() throws {
        let screen = Screen(term: "dumb")
        let harness = try NodeHarness(registration, isLive: true, services: screen.services)
        #expect(try harness.push(Pictures.frame(.yuv420, Size(64, 48))) == .ended)
        #expect(harness.logged.map(\.message) == ["this terminal cannot show pictures"])
        #expect(screen.take().isEmpty)
    }

    @Test("a second one in the same terminal says so once and shows nothing; the first goes on")
    func second() throws {
        let screen = Screen()
        let first = try NodeHarness(registration, isLive: true, services: screen.services)
        _ = screen.take()
        let second = try NodeHarness(registration, isLive: true, services: screen.services)
        #expect(try second.push(Pictures.frame(.yuv420, Size(64, 48))) == .ended)
        try second.end()
        #expect(second.logged.map(\.message).count == 1 && second.logged[0].level == .warning)
        #expect(screen.take().isEmpty)
        #expect(try first.push(Pictures.frame(.yuv420, Size(64, 48))) != .ended)
        #expect(screen.take().contains("\u{1b}[?2026l"))
        try first.end()
        #expect(screen.take() == Self.end)
    }

    @Test("stopped, the terminal is as before; going on, the last picture is back at once")
    func stopped() throws {
        let screen = Screen()
        let harness = try NodeHarness(registration, isLive: true, services: screen.services)
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        let picture = screen.take().replacing(Self.begin, with: "")
        screen.screen.pause()
        #expect(screen.take() == Self.end)
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        #expect(screen.take().isEmpty)
        screen.screen.resume()
        #expect(screen.take() == Self.begin + picture)
        #expect(screen.covered.withLock { $0 } == [true, false, true])
    }

    @Test("in the background nothing is painted over the shell; in front again, the next picture is")
    func background() throws {
        let screen = Screen()
        let harness = try NodeHarness(registration, isLive: true, services: screen.services)
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        screen.screen.pause()
        _ = screen.take()
        screen.isInFront.withLock { $0 = false }
        screen.screen.resume()
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        #expect(screen.take().isEmpty)
        screen.isInFront.withLock { $0 = true }
        try harness.push(Pictures.frame(.yuv420, Size(64, 48)))
        #expect(screen.take().hasPrefix(Self.begin))
    }
}
