import CampipeKit
import Foundation
import Glibc
import Testing

@testable import CampipeApp

@Suite("campipe view", .serialized)
struct ViewTests {
    private static let environment = ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "TMUX": ""]

    private func start(_ words: [String], _ terminal: PseudoTerminal) throws -> Child {
        let handle = FileHandle(fileDescriptor: terminal.slave, closeOnDealloc: false)
        return try Child(["view"] + words, environment: Self.environment, input: handle, output: handle)
    }

    @Test("it shows the camera in the terminal, and q ends it and puts the terminal back", arguments: ["q", "\u{1B}"])
    func shows(key: String) throws {
        let terminal = try PseudoTerminal()
        let child = try start(["demo://porch?width=320&height=180", "--width", "40"], terminal)
        var shown = ""
        let began = child.wait { _ in
            shown += terminal.shown()
            return shown.contains("\u{1B}[?2026l")
        }
        #expect(began, "\(child.error)")
        #expect(shown.contains("\u{1B}[?1049h") && shown.contains("\u{1B}[?25l"))
        #expect(!terminal.echoes)
        terminal.type("x")
        terminal.type(key)
        // What is shown is taken all the while, as a terminal does.
        _ = child.wait(30) { _ in
            shown += terminal.shown()
            return false
        }
        #expect(child.wait(1) == 0, "\(child.error)")
        shown += terminal.shown()
        #expect(shown.hasSuffix("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"))
        #expect(terminal.echoes)
        #expect(child.error == "")
    }

    @Test("a signal ends it as well")
    func signal() throws {
        let terminal = try PseudoTerminal()
        let child = try start(["demo://porch?width=320&height=180"], terminal)
        var shown = ""
        #expect(
            child.wait { _ in
                shown += terminal.shown()
                return shown.contains("\u{1B}[?2026l")
            })
        child.signal(SIGTERM)
        _ = child.wait(30) { _ in terminal.shown().contains("no such thing") }
        #expect(child.wait(1) == 0, "\(child.error)")
        #expect(terminal.echoes)
    }

    @Test("what cannot be opened is said once, with the cause, and leaves with 1")
    func failure() throws {
        let terminal = try PseudoTerminal()
        let camera = try ScriptedCamera { _ in [.send(Answers.status("404 Not Found"))] }
        defer { camera.stop() }
        let child = try start([camera.url], terminal)
        #expect(child.wait(30) == 1)
        #expect(
            child.error.contains("404 Not Found") && child.error.count(where: { $0 == "\n" }) == 1, "\(child.error)")
        #expect(terminal.echoes)
    }

    @Test("what is only warned of in the camera's file is said before the pictures")
    func warning() throws {
        let terminal = try PseudoTerminal()
        let child = try start(["https://127.0.0.1:9/video", "--tls-verify", "false"], terminal)
        #expect(child.wait(30) == 1)
        #expect(child.error.split(separator: "\n").first == ProbeTests.unchecked, "\(child.error)")
    }

    @Test("without a terminal it says so once, and leaves with 1; a URL that is none too")
    func noTerminal() throws {
        let result = Captured.run(["view", "demo://porch"])
        #expect(result.code == 1 && result.output == "")
        #expect(result.error.hasPrefix("campipe: there is no terminal to show pictures in; "))
        let wrong = Captured.run(["view", "demo://perch"], isTerminal: true)
        #expect(wrong.code == 1 && wrong.error.contains("porch"), "\(wrong.error)")
    }

    @Test("a file is shown to its end")
    func file() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.jpg").path(percentEncoded: false)
        try Data(try CameraRig.picture()).write(to: URL(filePath: file))
        let terminal = try PseudoTerminal()
        let child = try start([file], terminal)
        _ = child.wait(30) { _ in terminal.shown().contains("no such thing") }
        #expect(child.wait(1) == 0, "\(child.error)")
    }

    @Test("Control-Z puts the terminal back before it stops; going on, it shows pictures again")
    func suspended() throws {
        let terminal = try PseudoTerminal()
        let child = try start(["demo://porch?width=320&height=180", "--width", "40"], terminal)
        var shown = ""
        func shows(_ text: String) -> Bool {
            child.wait { _ in
                shown += terminal.shown()
                return shown.contains(text)
            }
        }
        #expect(shows("\u{1B}[?2026l"), "\(child.error)")
        shown = ""
        child.signal(SIGTSTP)
        #expect(shows("\u{1B}[?25h\u{1B}[?1049l"))
        child.signal(SIGCONT)
        // Behind the end; where nobody could wake it, the kernel has not stopped it, and it is there already.
        let back = "\u{1B}[?1049l"
        #expect(
            child.wait { _ in
                shown += terminal.shown()
                let rest = shown.range(of: back).map { shown[$0.upperBound...] } ?? ""
                return rest.contains("\u{1B}[?1049h") && rest.contains("\u{1B}[?2026l")
            })
        #expect(!terminal.echoes)
        child.signal(SIGTERM)
        _ = child.wait(30) { _ in terminal.shown().contains("no such thing") }
        #expect(child.wait(1) == 0, "\(child.error)")
        #expect(terminal.echoes)
    }

    @Test("in a dumb terminal it says so and leaves with 1")
    func dumb() {
        let result = Captured.run(["view", "demo://porch"], ["TERM": "dumb"], isTerminal: true)
        #expect(result.code == 1 && result.output == "")
        #expect(result.error.hasPrefix("campipe: this terminal cannot show pictures (TERM=dumb); "))
    }
}
