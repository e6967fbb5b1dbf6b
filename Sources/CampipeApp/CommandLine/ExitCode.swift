/// What campipe tells the shell by its exit code.
enum ExitCode: Int32, Sendable {
    /// All is well.
    case ok = 0
    /// Something failed at work: a sink that lost its disk, a source that gave up, a straggler at the end.
    case failed = 1
    /// The command line is wrong.
    case usage = 2
    /// The pipeline file is wrong, and nothing was started (`EX_CONFIG` of sysexits.h).
    case configuration = 78
}
