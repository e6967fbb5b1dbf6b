/// What campipe tells the shell by its exit code.
enum ExitCode: Int32, Sendable {
    /// All is well.
    case ok = 0
    /// It did not keep what it was asked to: a node failed, if only once, a source gave up, something did not finish.
    case failed = 1
    /// The command line is wrong.
    case usage = 2
    /// The pipeline file is wrong, and nothing was started (`EX_CONFIG` of sysexits.h).
    case configuration = 78
}
