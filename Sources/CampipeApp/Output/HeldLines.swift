import CampipeKit
import CampipeNodes
import Dispatch

/// Lines of nodes for standard output, which wait while a picture covers the terminal and come whole when it has gone.
final class HeldLines: Sendable {
    private struct State {
        var isCovered = false
        var lines: [String] = []
        /// Lines that found no room since.
        var lost = 0
    }

    private let writer: LineWriter
    // Held while lines are written, so that those that waited come first. Only threads that may block come here.
    private let state = Lock(State())

    init(_ writer: LineWriter) { self.writer = writer }

    /// Writes a line, or keeps it; of those that wait, `LineOutput.most` at most, the oldest.
    func write(_ line: String) throws -> LineWriter.Outcome {
        try state.withLock { state in
            guard state.isCovered else { return try writer.write(line) }
            if state.lines.count < LineOutput.most { state.lines.append(line) } else { state.lost += 1 }
            return .written
        }
    }

    /// Says that a picture covers the terminal, or has gone: then what waited is written.
    func cover(_ isCovered: Bool) {
        state.withLock { state in
            state.isCovered = isCovered
            guard !isCovered else { return }
            var lines = state.lines
            if state.lost > 0 { lines.append("(\(state.lost) lines were lost under the picture)") }
            (state.lines, state.lost) = ([], 0)
            // Who reads no more, or cannot take them, is told to the node by its next line.
            for line in lines { _ = try? writer.write(line) }
        }
    }

    /// Writes what waits where the process is left at once; gives up after a while when nobody reads.
    func close(within patience: DispatchTimeInterval = .seconds(1)) {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [self] in
            cover(false)
            done.signal()
        }
        _ = done.wait(timeout: .now() + patience)
    }
}
