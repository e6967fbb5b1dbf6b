import CampipeKit
import CampipePlugins
import Glibc

/// campipe, the program: reads its command line, does what it says, and answers with an exit code.
public enum Program {
    /// Runs a command to its end.
    ///
    /// - Parameter words: The command line behind the program's name.
    /// - Returns: The exit code: 0 fine, 1 failed at work, 2 usage, 78 configuration.
    public static func run(_ words: [String]) -> Int32 {
        fillStandardDescriptors()
        if words.first == PluginChild.word {
            return PluginChild.run(Array(words.dropFirst()), program: PluginChild.program)
        }
        HeapSettings.apply()
        if IsolatedNodes.isChild(words) { return IsolatedNodes.work(words).rawValue }
        return run(words, Console())
    }

    /// Puts something into the place of standard streams that were closed (`>&-`), or the first file or socket that is
    /// opened would get their numbers, and what is printed. Reading and writing go wrong there, as they should.
    private static func fillStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    static func run(_ words: [String], _ console: Console) -> Int32 {
        // A viewer or a pipe that goes away is an error to handle, never a signal.
        signal(SIGPIPE, SIG_IGN)
        let code = answer(words, console)
        return code == ExitCode.ok.rawValue && console.hasFailed ? ExitCode.failed.rawValue : code
    }

    private static func answer(_ words: [String], _ console: Console) -> Int32 {
        do throws(UsageError) {
            switch try CommandLineParser.parse(words) {
            case .help(let text):
                console.print(text)
                return ExitCode.ok.rawValue
            case .command(let invocation):
                return perform(invocation, console, words).rawValue
            }
        } catch {
            console.complain(error.text)
            return ExitCode.usage.rawValue
        }
    }

    private static func perform(_ invocation: Invocation, _ console: Console, _ words: [String]) -> ExitCode {
        switch invocation.command {
        case .run: RunCommand(invocation, console, words: words).perform()
        case .validate: ValidateCommand(invocation, console).perform()
        case .graph: GraphCommand(invocation, console).perform()
        case .list: ListCommand(invocation, console).perform()
        case .inspect: InspectCommand(invocation, console).perform()
        case .schema: SchemaCommand(invocation, console).perform()
        case .simulate: SimulateCommand(invocation, console).perform()
        case .probe: ProbeCommand(invocation, console).perform()
        case .view: ViewCommand(invocation, console).perform()
        case .recordingsList:
            RecordingsCommand.perform(invocation, console) { recordings throws(CampipeError) in
                try RecordingsListCommand(recordings).perform()
            }
        case .recordingsShow:
            RecordingsCommand.perform(invocation, console) { recordings throws(CampipeError) in
                try RecordingsShowCommand(recordings).perform()
            }
        case .recordingsExport:
            RecordingsCommand.perform(invocation, console) { recordings throws(CampipeError) in
                try RecordingsExportCommand(recordings).perform()
            }
        case .recordingsVerify:
            RecordingsCommand.perform(invocation, console) { recordings throws(CampipeError) in
                try RecordingsVerifyCommand(recordings).perform()
            }
        case .recordingsPrune:
            RecordingsCommand.perform(invocation, console) { recordings throws(CampipeError) in
                try RecordingsPruneCommand(recordings).perform()
            }
        case .pluginNew: PluginNewCommand(invocation, console).perform()
        case .pluginBuild: PluginBuildCommand(invocation, console).build()
        case .pluginCheck: PluginBuildCommand(invocation, console).check()
        case .pluginTest: PluginBuildCommand(invocation, console).test()
        case .pluginInstall: PluginListCommand(invocation, console).install()
        case .pluginList: PluginListCommand(invocation, console).list()
        case .version: VersionCommand(invocation, console).perform()
        case .hashPassword: HashPasswordCommand(console).perform()
        case .help: .ok
        }
    }
}
