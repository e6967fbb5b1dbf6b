import CampipeKit
import CampipeProcess

/// Which program is run as a node, and what it may use.
struct ExecOptions: SharedOptions {
    @Option("The program and its arguments; one without a slash is looked for in PATH.", hasFields: true)
    var command: [String] = []
    @Option("A file that is run, or given to the command as its last argument; from the pipeline file's folder.")
    var script: ResourcePath? = nil
    @Option("What the program is given, as JSON.", hasFields: true)
    var options = ProgramOptions.optionPlaceholder
    @Option("A file that the program is told of, such as a network's weights; from the pipeline file's folder.")
    var model: ResourcePath? = nil
    @Option("The program's environment: it has these variables and no others.")
    var environment = ProgramEnvironment.optionPlaceholder
    @Option(
        .milliseconds(100)...(.seconds(3600)), "How long the program may take until it is ready.")
    var startLimit = Duration.seconds(20)
    @Option(
        .milliseconds(10)...(.seconds(3600)),
        "How long the program may take for one item; then it is ended and started again."
    )
    var answerLimit = Duration.seconds(10)
    @Option(.mebibytes(16)...(.gibibytes(1024)), "The most address space of the program.")
    var memoryLimit = ByteCount.gibibytes(4)
    @Option(8...1_000_000, "The most files that the program has open.") var fileLimit = 256
    @Option(.seconds(1)...(.seconds(31_536_000)), "The most processor time that one start of the program uses.")
    var cpuLimit: Duration? = nil

    func check(at path: FaultPath, into faults: inout [Fault]) {
        guard command.first?.isEmpty ?? (script == nil) else { return }
        faults.append(
            Fault(
                .missingKey, at: path.key("command"), "no program is named",
                fix: "write command: [python3] and script: node.py, or command: [./program]"))
    }

    /// - Throws: `.notFound` when there is no such program.
    func child() throws(CampipeError) -> ChildCommand {
        let words = command + (script.map { [$0.text] } ?? [])
        // A script beside the working directory has no slash in its path.
        let first = words.first ?? ""
        let program = command.isEmpty && !first.contains("/") ? "./" + first : first
        return try ChildCommand(
            program, arguments: Array(words.dropFirst()), environment: environment.variables,
            limits: .init(memory: memoryLimit, descriptors: fileLimit, processorTime: cpuLimit),
            startLimit: startLimit, answerLimit: answerLimit)
    }
}

/// How frames are given to a program.
enum ExecPixels: String, OptionChoice {
    case rgb24, gray8, yuv420, yuv422, yuv444, nv12
    /// As they come.
    case any

    var format: Format? { PixelFormat(rawValue: rawValue).map { .frames(FrameFormat($0)) } }
}

/// What a program takes, of what has pictures.
enum ExecInput: String, OptionChoice { case frames, packets }

/// What a program of a source gives.
enum ExecOutput: String, OptionChoice { case frames, packets, events }
