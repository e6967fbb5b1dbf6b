import CampipeKit
import CampipeProcess

/// Runs a program as a transform. A type for each kind of item; `takes` tells whether pictures are decoded for it.
struct ExecTransform<Input: Item>: Transform {
    static var name: String { "exec" }
    static var summary: String { "Runs a program of yours, in any language, that takes items and gives others." }
    static var execution: Execution { .ownThread }
    static var outputs: [any AnyPort] {
        Input.kind == .event ? [Out<Event>("out")] : [Out<Input>("out"), Out<Event>("events")]
    }

    var program = ExecOptions()
    @Option("Whether pictures are decoded for the program, or given as they come.") var takes = ExecInput.frames
    @Option("How the pixels of frames lie.") var pixel = ExecPixels.rgb24
    @Option(16...16_384, "The most pixels across that the program needs.") var maxWidth: Int? = nil
    @Option(0.01...1000, "The most pictures a second that the program needs.") var maxFps: Double? = nil

    private var running: ExecProgram?

    func check(at path: FaultPath, into faults: inout [Fault]) { program.check(at: path, into: &faults) }

    var holds: Int { running?.holds ?? 0 }

    /// - Throws: `.unsupported` of packets where frames are to be given.
    func output(for input: Format) throws -> Format {
        if Input.kind == .packet, takes == .frames {
            throw CampipeError(
                .unsupported, "the program is to be given frames", fix: "write takes: packets where it takes packets")
        }
        return running?.format(0) ?? input
    }

    func want(_ downstream: Want) -> Want {
        guard Input.kind == .frame else { return Want(maxRate: maxFps ?? downstream.maxRate) }
        return Want(
            pixel.format, maxWidth: maxWidth, maxRate: maxFps ?? downstream.maxRate, lumaOnly: pixel == .gray8)
    }

    mutating func open(_ context: borrowing Context) throws {
        running = try ExecProgram(
            program, .transform, inputs: [In<Input>("input")], outputs: Self.outputs, context)
    }

    mutating func begin(_ input: Format) throws { try running?.begin(input) }

    mutating func process(_ item: consuming Input, to output: inout Output) throws {
        let storage = item.storage
        var wanted: UInt8 = 0
        for index in Self.outputs.indices where output.isWanted(index) { wanted |= 1 << UInt8(index) }
        try running?.use { child in
            try child.give(storage, wanted: wanted) { made in
                made.emit(to: &output, Self.outputs.map(\.descriptor.name))
            }
        }
    }

    mutating func gap(_ gap: Gap) { running?.lose(gap) }

    mutating func drain(to output: inout Output) throws {
        guard let running, running.isRunning else { return }
        try running.use { child in
            try child.drain { made in made.emit(to: &output, Self.outputs.map(\.descriptor.name)) }
        }
    }

    mutating func finish() throws {
        running?.finish()
        running = nil
    }
}
