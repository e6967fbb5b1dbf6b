import CampipeKit
import CampipeRuntime

/// Paints the pipeline's state on the last line of the terminal, once a second.
final class StatusPainter: Sendable {
    private let pipeline: Pipeline
    private let line: StatusLine
    private let printer: LogPrinter
    private let clock: SystemClock
    private let state: Lock<(before: [LinkKey: Int], timer: Timer?, isStopped: Bool)>

    init(_ pipeline: Pipeline, _ console: Console, _ printer: LogPrinter, _ clock: SystemClock) {
        self.pipeline = pipeline
        self.printer = printer
        self.clock = clock
        line = StatusLine(console)
        state = Lock(([:], nil, false))
        printer.attach(line)
        arrange()
    }

    func stop() {
        state.withLock {
            $0.isStopped = true
            $0.timer?.cancel()
        }
        printer.attach(nil)
        line.clear()
    }

    private func arrange() {
        let timer = clock.schedule(at: clock.now + .seconds(1)) { [weak self] in self?.paint() }
        let isStopped = state.withLock { state -> Bool in
            state.timer = timer
            return state.isStopped
        }
        if isStopped { timer.cancel() }
    }

    private func paint() {
        let snapshot = pipeline.snapshot
        let before = state.withLock { $0.before }
        let text = Self.text(snapshot, before: before)
        state.withLock { state in
            state.before = Dictionary(
                snapshot.links.map { ($0.key, $0.ledger.offered) }, uniquingKeysWith: { first, _ in first })
            if !state.isStopped { line.show(text) }
        }
        arrange()
    }

    /// `front running 15/s | web 15/s age 42ms | dropped 3`.
    static func text(_ snapshot: PipelineSnapshot, before: [LinkKey: Int]) -> String {
        var parts: [String] = []
        for node in snapshot.nodes where node.contract == .source {
            let rate = snapshot.links.filter { $0.key.from.node == node.key }
                .map { $0.ledger.offered - (before[$0.key] ?? 0) }.max() ?? 0
            let reason = node.state.state == .running ? "" : node.state.reason.map { " (\($0))" } ?? ""
            parts.append("\(node.id) \(node.state.state.rawValue)\(reason) \(rate)/s")
        }
        for node in snapshot.nodes where node.contract == .sink {
            if node.state.state == .failed { parts.append("\(node.id) failed") }
            guard let age = node.ages?.percentile(0.5) else { continue }
            parts.append("\(node.id) age \(age.nanoseconds / 1_000_000)ms")
        }
        let lost = snapshot.links.reduce(0) { sum, link in
            sum + link.ledger.dropped - link.ledger.dropped(.noDemand) - link.ledger.dropped(.superseded)
                - link.ledger.dropped(.rate)
        }
        if lost > 0 { parts.append("dropped \(lost)") }
        return parts.joined(separator: " | ")
    }
}
