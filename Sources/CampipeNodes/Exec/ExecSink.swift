import CampipeKit
import CampipeProcess

/// Runs a program as a sink. A type for each kind of item; `takes` tells whether pictures are decoded for it.
struct ExecSink<Input: Item>: Sink {
    static var name: String { "exec" }
    static var summary: String { "Runs a program of yours, in any language, that takes items." }
    static var execution: Execution { .ownThread }

    var program = ExecOptions()
    @Option("How the pixels of frames lie.") var pixel = ExecPixels.rgb24
    @Option(16...16_384, "The most pixels across that the program needs.") var maxWidth: Int? = nil
    @Option(0.01...1000, "The most pictures a second that the program needs.") var maxFps: Double? = nil

    private var running: ExecProgram?

    func check(at path: FaultPath, into faults: inout [Fault]) { program.check(at: path, into: &faults) }

    var want: Want? {
        Input.kind == .frame
            ? Want(pixel.format, maxWidth: maxWidth, maxRate: maxFps, lumaOnly: pixel == .gray8)
            : Want(maxRate: maxFps)
    }

    mutating func open(_ context: borrowing Context) throws {
        running = try ExecProgram(program, .sink, inputs: Self.inputs, outputs: [], context)
    }

    mutating func begin(_ input: Format) throws { try running?.begin(input) }

    mutating func consume(_ item: consuming Input) throws -> Next {
        guard let running else { return .ended }
        let storage = item.storage
        try running.use { child in try child.give(storage) { _ in } }
        return running.isOver ? .ended : .more
    }

    mutating func gap(_ gap: Gap) { running?.lose(gap) }

    mutating func finish() throws {
        running?.finish()
        running = nil
    }
}
