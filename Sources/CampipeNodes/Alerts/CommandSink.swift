import CampipeHTTP
import CampipeKit
import Foundation

/// Runs a program for each event, one at a time.
///
/// Its turns never wait for the program. At the end of the pipeline the program that runs has a moment, and the event that
/// waits for it too, for which the sink's own thread is.
struct CommandSink: Sink {
    typealias Input = Event
    static let name = "command"
    static let summary = "Runs a program for each event, which it gets as JSON and in its environment."
    static let execution = Execution.ownThread
    static let inputs: [any AnyPort] = [In<Event>("inputs", many: true)]

    @Option(
        "The program and its arguments, a word each; there is no shell.", example: "[/usr/local/bin/alarm, front]",
        hasFields: true)
    var argv: [String]
    @Option(.milliseconds(10)...(.seconds(3600)), "How long it may run; then it gets TERM, and 2 s later KILL.")
    var timeout: Duration = .seconds(30)
    var alerts = AlertOptions()

    /// From TERM to KILL.
    static let grace = Duration.seconds(2)
    /// What is left to programs when the pipeline ends, before TERM.
    static let patience = Duration.seconds(5)

    private var work: Work?

    private struct Work {
        var context: Context
        var mailbox: AlertMailbox<ChildProcess.End>
        var filter: AlertFilter
        var turns = CommandTurns()
        var child: ChildProcess?
        var timers: [CampipeKit.Timer] = []
        var failures = RecurringNote()
    }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        alerts.check(at: path, into: &faults)
        if let fault = CommandProgram.fault(argv, at: path.key("argv")) { faults.append(fault) }
    }

    mutating func open(_ context: borrowing Context) throws {
        work = Work(context: copy context, mailbox: AlertMailbox(context.waker), filter: alerts.filter)
    }

    mutating func consume(_ item: consuming Event) throws -> Next {
        let event = item
        guard let context = work?.context else { return .ended }
        let time = DayTime(event.wallTime ?? context.captureTime.wallTime(at: event.captured))
        switch work?.filter.verdict(on: event, at: time) {
        case .tell?: break
        case .leaveOut?:
            context.removals.count(.filtered)
            return .more
        case .isRepeat?, nil: return .more
        }
        switch work?.turns.came(event) {
        case .run(let event)?: run(event)
        case .replaced?: context.removals.count(.superseded)
        case .wait?, nil: break
        }
        return .more
    }

    mutating func wake() throws -> Next {
        for end in work?.mailbox.take() ?? [] { ended(end) }
        return .more
    }

    // MARK: Programs

    private mutating func run(_ first: Event) {
        var next: Event? = first
        while let event = next {
            do throws(CampipeError) {
                try start(event)
                return
            } catch {
                failed("the command cannot be started", ["cause": error])
                next = work?.turns.ended()
            }
        }
    }

    private mutating func start(_ event: Event) throws(CampipeError) {
        guard let work else { return }
        let context = work.context
        let time = context.captureTime.wallTime(at: event.captured)
        let mailbox = work.mailbox
        let child = try ChildProcess(
            argv,
            environment: CommandEnvironment.variables(
                of: event, time: time, pipeline: context.pipeline, sink: context.id,
                base: ProcessInfo.processInfo.environment),
            input: Array((event.json(time: time) + "\n").utf8)
        ) { mailbox.put($0) }
        let deadline = context.clock.now + timeout
        self.work?.timers = [
            context.clock.schedule(at: deadline) { child.signal(SIGTERM) },
            context.clock.schedule(at: deadline + Self.grace) { child.signal(SIGKILL) },
        ]
        self.work?.child = child
        context.log.debug("runs the command", ["event": event.kind.rawValue, "of": event.node])
    }

    private mutating func ended(_ end: ChildProcess.End) {
        for timer in work?.timers ?? [] { timer.cancel() }
        work?.timers = []
        work?.child = nil
        let said = end.output.isEmpty ? "nothing" : ToldSecrets(argv: argv).hidden(end.output)
        switch end.cause {
        case .exited(0): break
        case .exited(let code):
            failed("the command failed", ["status": Int(code), "said": said])
        case .signalled(let number):
            failed("the command was ended by a signal", ["signal": Int(number), "said": said])
        }
        if let next = work?.turns.ended() { run(next) }
    }

    /// What a program was told in vain; counted, and said less and less often.
    private mutating func failed(_ message: String, _ facts: KeyValuePairs<String, Any>) {
        guard let context = work?.context else { return }
        context.removals.count(.failed)
        if let count = work?.failures.happened(at: context.clock.now) {
            context.log.with("count", "\(count)").warning(message, facts)
        }
    }

    // MARK: The end

    mutating func finish() throws {
        guard let work else { return }
        waitForPrograms(until: work.context.clock.now + Self.patience)
        if self.work?.turns.close() == true { work.context.removals.count(.stopped) }
        guard self.work?.turns.isBusy == true else { return }
        self.work?.child?.signal(SIGTERM)
        waitForPrograms(until: work.context.clock.now + .seconds(1))
        self.work?.child?.signal(SIGKILL)
        waitForPrograms(until: work.context.clock.now + .seconds(1))
    }

    private mutating func waitForPrograms(until limit: Instant) {
        guard let clock = work?.context.clock, let mailbox = work?.mailbox else { return }
        let timer = clock.schedule(at: limit) { mailbox.nudge() }
        defer { timer.cancel() }
        while work?.turns.isBusy == true, clock.now < limit {
            mailbox.wait()
            for end in mailbox.take() { ended(end) }
        }
    }
}
