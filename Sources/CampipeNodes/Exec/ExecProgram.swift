import CampipeKit
import CampipeProcess

/// The program of one instance of a node: started when the node is opened, and once more where the node goes on though
/// it failed (`on_error: skip`).
///
/// One owner, in one node's turns.
final class ExecProgram {
    private let options: ExecOptions
    private let hello: Hello
    private let context: Context
    private var child: NodeChild?
    private var format: Format?
    private var failures = 0
    private var failure: (any Error)?
    private var startsAt = Instant.distantPast

    /// Starts the program.
    init(
        _ options: ExecOptions, _ contract: NodeDescriptor.Contract, inputs: [any AnyPort], outputs: [any AnyPort],
        _ context: borrowing Context
    ) throws {
        self.options = options
        let kept = copy context
        hello = Hello(
            kept, contract: contract, inputs: inputs.map(\.descriptor), outputs: outputs.map(\.descriptor),
            options: options.options.json, model: options.model?.text)
        self.context = kept
        child = try start()
    }

    private func start() throws -> NodeChild {
        let child = try NodeChild(try options.child(), hello: hello, context: context)
        if let format { try child.begin(format) { _ in } }
        return child
    }

    /// Whether the program wants no more, or gives no more.
    var isOver: Bool { child?.isOver ?? false }
    /// Whether there is a program that may hold anything.
    var isRunning: Bool { child != nil }
    /// How many inputs may be unanswered.
    var holds: Int { (child?.credit ?? 1) - 1 }
    /// What an output carries, as far as the program said.
    func format(_ port: Int) -> Format? { child?.format(port) }

    func begin(_ format: Format) throws {
        self.format = format
        do { try use { child in try child.begin(format) { _ in } } } catch {
            // A format that is not taken is a failure for good; a program that has gone is one of the next item.
            if child != nil { throw error }
        }
    }

    /// Tells the program what is missing in front of the next item.
    func lose(_ gap: Gap) { child?.lose(gap) }

    func finish() {
        child?.finish()
        child = nil
    }

    /// Does something with the program that runs; one that is gone is started again, after a pause that grows.
    func use<Result>(_ body: (NodeChild) throws -> Result) throws -> Result {
        let running: NodeChild
        if let child {
            running = child
        } else {
            if let failure, context.clock.now < startsAt { throw failure }
            do {
                running = try start()
                child = running
            } catch {
                throw gone(error)
            }
        }
        do {
            let result = try body(running)
            failures = 0
            return result
        } catch {
            throw running.isGone ? gone(error) : error
        }
    }

    private func gone(_ error: any Error) -> any Error {
        child = nil
        failure = error
        startsAt = context.clock.now + .milliseconds(500) * (1 << min(failures, 6))
        failures += 1
        return error
    }
}
