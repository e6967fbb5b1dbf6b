import CampipeKit
import CampipeRuntime
import Dispatch
import Glibc

/// A pipeline from its start to its end, as the commands run it: a first signal stops it in order, a second one at once.
struct PipelineRun {
    let pipeline: Pipeline
    let signals: SignalStopper
    let clock: SystemClock
    let log: Log
    /// What must be done before the process is left without waiting for anything: the terminal put back.
    let leave: @Sendable () -> Void

    /// Says who was left behind, and what.
    private func tell(_ outcome: PipelineOutcome) {
        for left in outcome.leftovers {
            log.log(
                left.isLive ? .warning : .error, "did not get through what waited before the stop's deadline",
                ["node": left.node, "items": left.items])
        }
        for node in outcome.stragglers { log.error("did not finish in time", ["node": node]) }
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - duration: After this time it is stopped.
    ///   - status: Makes what shows the state while it runs, once it does.
    ///   - changed: Told of each node's new state; must not block.
    func perform(
        for duration: Duration? = nil, status: () -> StatusPainter?,
        changed: @escaping @Sendable (String, SourceStatus) -> Void
    ) -> PipelineOutcome {
        let ended = DispatchSemaphore(value: 0)
        let outcome = Lock(PipelineOutcome())
        pipeline.start(changed: changed) { result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
        let leave: @Sendable () -> Void = { [leave] in
            leave()
            _exit(ExitCode.failed.rawValue)
        }
        signals.listen { [pipeline, clock, log] count in
            switch count {
            case 1:
                log.info("stopping; once more stops at once")
                pipeline.stop()
            case 2:
                pipeline.abandon()
                // A node that holds all workers must not hold the process.
                clock.schedule(at: clock.now + .seconds(1), leave)
            default: leave()
            }
        }
        if let duration { clock.schedule(at: clock.now + duration) { [pipeline] in pipeline.stop() } }
        let painter = status()
        ended.wait()
        painter?.stop()
        let result = outcome.withLock { $0 }
        tell(result)
        return result
    }
}
