import CampipeKit
import Foundation
import Testing

@testable import CampipeApp

@Suite("The log")
struct LogPrinterTests {
    private let time = WallTime(microseconds: 1_767_225_605_123_456)
    private let plain = TerminalStyle(isTerminal: false, environment: [:])

    /// An entry as a log hands it on.
    private func entry(_ facts: [(key: String, value: String)], _ message: String = "stalled") throws -> Log.Entry {
        let taken = Lock<Log.Entry?>(nil)
        Log(facts: facts) { entry in taken.withLock { $0 = entry } }.warning(message)
        return try #require(taken.withLock { $0 })
    }

    @Test(
        "secrets of a URL in a cause from elsewhere are left out, as text and as JSON",
        arguments: [LogFormat.text, .json])
    func secrets(format: LogFormat) {
        let written = Lock("")
        let output = LineOutput { text in written.withLock { $0 += text } }
        let log = LogPrinter(format: format, style: plain, clock: ManualClock(), output: output).log(level: .info)
        log.error("cannot open http://u:hunter2@h/", ["cause": "http://h/?pwd=hunter2: no"])
        output.close()
        let text = written.withLock { $0 }
        #expect(text.contains("http://***@h/") && text.contains("http://h/?pwd=***"), "\(text)")
        #expect(!text.contains("hunter2"))
    }

    @Test("an entry is one JSON object on one line, with its facts beside time, level and message")
    func json() throws {
        let line = try LogPrinter.json(entry([("node", "front"), ("cause", "said \"no\"\nand left")]), at: time)
        #expect(line.hasSuffix("}\n") && line.count { $0 == "\n" } == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(
            object == [
                "time": "2026-01-01T00:00:05.123456Z", "level": "warning", "message": "stalled", "node": "front",
                "cause": "said \"no\"\nand left",
            ])
    }

    @Test("a key stands once: the last value wins, and no fact takes the place of time, level or message")
    func keys() throws {
        let line = try LogPrinter.json(entry([("node", "a"), ("node", "b"), ("level", "3")]), at: time)
        #expect(line.hasSuffix("\"message\":\"stalled\",\"node\":\"b\",\"level_\":\"3\"}\n"))
    }

    @Test("numbers, durations and sizes are numbers in JSON, with their units in the keys, and read well as text")
    func numbers() throws {
        let taken = Lock<Log.Entry?>(nil)
        Log(facts: [("node", "5")]) { entry in taken.withLock { $0 = entry } }.info(
            "m",
            [
                "count": 3, "errno": Int32(-2), "share": 0.25, "live": true,
                "retry_in": Duration.microseconds(1_500_250),
                "seconds": Duration.seconds(2), "space": ByteCount.kibibytes(64), "bytes": 12, "status": "200",
                "nothing": Double.infinity,
            ])
        let entry = try #require(taken.withLock { $0 })
        let line = LogPrinter.json(entry, at: time)
        #expect(
            line.hasSuffix(
                "\"message\":\"m\",\"node\":\"5\",\"count\":3,\"errno\":-2,\"share\":0.25,\"live\":true,"
                    + "\"retry_in_seconds\":1.50025,\"seconds\":2,\"space_bytes\":65536,\"bytes\":12,\"status\":\"200\","
                    + "\"nothing\":null}\n"), "\(line)")
        #expect(
            LogPrinter.text(entry, at: time, plain).hasSuffix(
                " m node=5 count=3 errno=-2 share=0.25 live=true retry_in=1500ms seconds=2s space=64KiB bytes=12 "
                    + "status=200 nothing=inf\n"))
    }

    @Test("as text it is a sentence and facts, quoted where their end could not be told")
    func text() throws {
        let line = try LogPrinter.text(
            entry([("node", "front"), ("cause", "nothing came"), ("empty", ""), ("sum", "a=b")]), at: time, plain)
        #expect(line.dropFirst(12) == " warning stalled node=front cause=\"nothing came\" empty=\"\" sum=\"a=b\"\n")
        #expect(line.prefix(12).wholeMatch(of: /\d\d:\d\d:05\.123/) != nil)
    }

    @Test(
        "nothing that a terminal would obey reaches it",
        arguments: ["\u{1B}[31mred", "a\nb", "bell\u{7}", "csi\u{9B}31m", "del\u{7F}"])
    func control(_ text: String) throws {
        let line = try LogPrinter.text(entry([("cause", text), (text, "x")], text), at: time, plain).dropLast()
        #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(line.debugDescription)")
    }

    @Test("colour is for terminals")
    func colour() throws {
        let style = TerminalStyle(isTerminal: true, environment: [:])
        #expect(try LogPrinter.text(entry([]), at: time, style).contains("\u{1B}[33mwarning\u{1B}[0m"))
        #expect(try !LogPrinter.text(entry([]), at: time, plain).contains("\u{1B}"))
    }

    @Test("what is below the level is not written")
    func level() {
        let written = Lock("")
        let output = LineOutput { text in written.withLock { $0 += text } }
        let printer = LogPrinter(format: .json, style: plain, clock: ManualClock(), output: output)
        let log = printer.log(level: .warning)
        log.info("quiet")
        log.error("loud")
        output.close()
        let text = written.withLock { $0 }
        #expect(text.contains("loud") && !text.contains("quiet"))
    }
}
