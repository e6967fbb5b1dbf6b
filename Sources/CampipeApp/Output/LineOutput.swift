import CampipeKit
import Dispatch
import Foundation

/// Standard error as the threads of a pipeline use it: whole lines, and below them a status line that is painted over.
///
/// Nobody who writes waits: a thread of its own does, also when what reads the log stands still. Then the newest lines
/// are lost, and counted.
final class LineOutput: Sendable {
    /// The most lines that wait.
    static let most = 4096

    /// What is to be written next.
    struct Pending {
        var lines: [String] = []
        /// Lines that were dropped since.
        var lost = 0
        var status = ""
        /// Where it is served, for the rows below a picture.
        var addresses = ""
        /// The newest line of the log.
        var newest = ""
        /// Whether a picture fills the terminal.
        var isUnderPicture = false
        var isClosed = false

        /// What stands on the terminal once all is painted: the status line, or what is below the picture.
        func standing(in room: TerminalFooter.Room = .init()) -> String {
            guard isUnderPicture, !isClosed else { return status }
            return TerminalFooter(addresses: addresses, status: status, newest: newest).painted(in: room)
        }

        /// The bytes for the terminal, given what stands there: the status line goes, the lines come, it comes back.
        func painted(over shown: String, in room: TerminalFooter.Room = .init()) -> String {
            if isUnderPicture, !isClosed {
                let footer = standing(in: room)
                return footer == shown ? "" : footer
            }
            guard !lines.isEmpty || lost > 0 || status != shown else { return "" }
            let note =
                lost > 0
                ? "(\(lost) line\(lost == 1 ? " was" : "s were") lost: nobody took \(lost == 1 ? "it" : "them"))\n" : ""
            return (shown.isEmpty || isUnderPicture ? "" : "\r\u{1B}[K") + lines.joined() + note + status
        }

        /// Takes out what `painted` wrote.
        mutating func take() -> Pending {
            let taken = self
            if !isUnderPicture || isClosed { (lines, lost) = ([], 0) }
            return taken
        }
    }

    private let write: @Sendable (String) -> Void
    private let room: @Sendable () -> TerminalFooter.Room
    private let pending: Lock<Pending>
    /// The status line that stands on the terminal; held while anything is written there, by threads that may block.
    private let shown = Lock("")
    private let bell = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - room: The window that a picture may fill.
    ///   - write: Writes all of a text; may block, on this output's thread.
    init(
        room: @escaping @Sendable () -> TerminalFooter.Room = { TerminalFooter.Room() },
        _ write: @escaping @Sendable (String) -> Void
    ) {
        self.room = room
        self.write = write
        pending = Lock(Pending())
        let thread = Thread { [self] in run() }
        thread.name = "campipe-log"
        thread.stackSize = 1 << 18
        thread.start()
    }

    /// Adds a line, which ends with a newline. Any thread; returns at once.
    ///
    /// - Parameter isLog: Whether it is shown below a picture, as the newest one.
    func add(_ line: String, isLog: Bool = false) {
        let newest = isLog ? TerminalFooter.newest(of: line) : nil
        pending.withLock { pending in
            if let newest { pending.newest = newest }
            if pending.lines.count < Self.most { pending.lines.append(line) } else { pending.lost += 1 }
        }
        bell.signal()
    }

    /// Shows a status line in place of the one before; an empty one takes it away.
    func show(_ status: String) {
        pending.withLock { $0.status = status }
        bell.signal()
    }

    /// Says where it is served, for the rows below a picture.
    func show(addresses: [String]) {
        pending.withLock { $0.addresses = addresses.joined(separator: "  ") }
        bell.signal()
    }

    /// Says that a picture is about to fill the terminal, or that it has gone: in between, lines wait, and the status,
    /// the newest line and the addresses have the rows that the picture leaves. Waits for what is being written; only for threads that may.
    func cover(_ isCovered: Bool) {
        shown.withLock { shown in
            if isCovered, !shown.isEmpty { write("\r\u{1B}[K") }
            shown = ""
            pending.withLock { $0.isUnderPicture = isCovered }
        }
        bell.signal()
    }

    /// Takes the status line away, writes what waits, and ends the thread; gives up after a while when nobody reads.
    func close(within patience: DispatchTimeInterval = .seconds(2)) {
        pending.withLock { pending in
            pending.status = ""
            pending.isClosed = true
        }
        bell.signal()
        _ = ended.wait(timeout: .now() + patience)
    }

    /// Writes something else to the same terminal, above the status line: it goes, the other comes, it comes back.
    ///
    /// Waits for what is being written; only for threads that may.
    ///
    /// - Parameter action: Writes whole lines.
    func above<Result>(_ action: () throws -> Result) rethrows -> Result {
        try shown.withLock { shown in
            let isPainted = !shown.isEmpty && !pending.withLock { $0.isUnderPicture }
            if isPainted { write("\r\u{1B}[K") }
            defer { if isPainted { write(shown) } }
            return try action()
        }
    }

    private func run() {
        while true {
            bell.wait()
            let isClosed = shown.withLock { shown in
                let next = pending.withLock { $0.take() }
                let room = next.isUnderPicture ? room() : TerminalFooter.Room()
                let text = next.painted(over: shown, in: room)
                if !text.isEmpty { write(text) }
                shown = next.standing(in: room)
                return next.isClosed
            }
            if isClosed {
                ended.signal()
                return
            }
        }
    }
}
