import CampipeKit
import CampipeProcess

/// Runs a program as a source. A type for each kind of item; `gives` tells which one the options mean.
struct ExecSource<Made: Item>: Source {
    static var name: String { "exec" }
    static var summary: String { "Runs a program of yours, in any language, that gives items." }
    static var execution: Execution { .ownThread }
    static var outputs: [any AnyPort] { [Out<Made>("out")] }

    var program = ExecOptions()
    @Option("What the program gives.") var gives = ExecOutput.frames
    @Option("Whether what the program does not give in time is lost, as a camera's.") var live = true

    private var running: ExecProgram?

    func check(at path: FaultPath, into faults: inout [Fault]) { program.check(at: path, into: &faults) }

    var isLive: Bool { live }
    var applies: Bool { gives.rawValue == Made.kind.plural }

    mutating func open(_ context: borrowing Context) throws {
        running = try ExecProgram(program, .source, inputs: [], outputs: Self.outputs, context)
    }

    mutating func next(to output: inout Output) throws -> Next {
        guard let running else { return .ended }
        // Short, since whoever wants something of this node waits for it.
        try running.use { child in
            try child.collect(within: .milliseconds(200)) { made in
                made.emit(to: &output, Self.outputs.map(\.descriptor.name))
            }
        }
        return running.isOver ? .ended : .more
    }

    mutating func finish() throws {
        running?.finish()
        running = nil
    }
}
