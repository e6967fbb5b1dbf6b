import CampipeKit
import CampipePlugins
import Foundation

/// `campipe plugin build`, `check` and `test`: from a folder of sources to a plugin that is known to work.
struct PluginBuildCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    private var folder: String { invocation.arguments.first ?? "." }
    /// A compiler needs its surroundings.
    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    // MARK: - build

    func build() -> ExitCode {
        let clock = SystemClock()
        let start = clock.now
        guard let built = built() else { return .failed }
        let finding = PluginScanner(program: PluginChild.program, host: built.host, cache: nil)
            .scan(built.project.library)
        if let refusal = finding.refusal {
            console.complain("campipe: it was built, but \(refusal.text)\n")
            return .failed
        }
        let types = finding.types.map { "\($0.contract == .join ? "transform" : $0.contract.rawValue) \($0.name)" }
        let tenths = (clock.now - start).nanoseconds / 100_000_000
        console.print(
            "\(built.project.library): \(types.joined(separator: ", ")) (built in \(tenths / 10).\(tenths % 10) s)\n")
        return .ok
    }

    private func built() -> (project: PluginProject, host: HostIdentity)? {
        do {
            let project = try PluginProject(folder)
            let build = try PluginBuild(project, isDebug: invocation[Flags.debug], environment: environment)
            try build.library()
            return (project, build.host)
        } catch {
            complain(error)
            return nil
        }
    }

    private func complain(_ error: any Error) {
        switch error {
        case PluginBuild.Failure.compiler(let text): console.complain(text)
        case PluginBuild.Failure.other(let error): console.complain("campipe: \(error)\n")
        default: console.complain("campipe: \(error)\n")
        }
    }

    // MARK: - check

    /// What the suite may take.
    private static let checkDeadline = Duration.seconds(600)

    func check() -> ExitCode {
        let path: String
        if folder.hasSuffix(".so") {
            path = folder
        } else {
            guard let built = built() else { return .failed }
            path = built.project.library
        }
        do throws(CampipeError) {
            let result = try child(.check, path, deadline: Self.checkDeadline).run()
            let lines = result.output.split(separator: UInt8(ascii: "\n"))
            let types = lines.compactMap { try? JSONDecoder().decode(CheckedType.self, from: Data($0)) }
            let report = PluginReport(path: path, types: types, trouble: trouble(result, path, lines.last))
            console.print(invocation[Flags.json] ? report.json : report.text(console.outputStyle))
            return report.isGood ? .ok : .failed
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
    }

    /// Why the suite did not get to its end.
    private func trouble(
        _ result: ChildProgram.Result, _ path: String, _ last: ArraySlice<UInt8>?
    ) -> String? {
        switch result.ending {
        case .exited(0): return nil
        case .exited(let code):
            if let last, let refusal = PluginChild.refusal(in: last) { return refusal.text }
            return "\(path) ended the program that checked it, with code \(code)"
        case .crashed(let signal): return "\(path) crashed while it was checked (signal \(signal))"
        case .timedOut: return "\(path) was not through in \(Self.checkDeadline.components.seconds) s"
        }
    }

    private func child(_ task: PluginChild.Task, _ path: String, deadline: Duration) -> ChildProgram {
        ChildProgram(
            PluginChild.program, [PluginChild.word, task.rawValue, path], environment: PluginChild.environment,
            deadline: deadline)
    }

    // MARK: - test

    func test() -> ExitCode {
        do {
            let result =
                try PythonProject(folder)?.tested(environment: environment, deadline: Self.checkDeadline)
                ?? testedByBuilding()
            // What the tests say is the answer, whichever stream they say it on.
            console.print(result.outputText + result.errorText)
            switch result.ending {
            case .exited(0): return .ok
            case .exited: return .failed
            case .crashed(let signal): throw CampipeError(.failed, "a test crashed (signal \(signal))")
            case .timedOut:
                throw CampipeError(
                    .timedOut, "the tests were not through in \(Self.checkDeadline.components.seconds) s")
            }
        } catch {
            complain(error)
            return .failed
        }
    }

    private func testedByBuilding() throws -> ChildProgram.Result {
        let project = try PluginProject(folder)
        guard !project.tests.isEmpty else {
            throw CampipeError(
                .notFound, "there is no Swift file in \(folder)/Tests",
                fix: "write tests there with import Testing and import CampipeKit (docs/plugins.md)")
        }
        let path = try PluginBuild(project, environment: environment).tests()
        return try child(.test, path, deadline: Self.checkDeadline).run()
    }
}
