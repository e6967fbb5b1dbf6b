import CampipeConfig
import CampipeKit

/// `campipe validate`: checks files and starts nothing.
struct ValidateCommand {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func perform() -> ExitCode {
        var code = ExitCode.ok
        var reports: [DiagnosticReport] = []
        let plugins = PluginSet(invocation, console)
        for path in invocation.arguments {
            let loaded = LoadedPipeline(path, plugins: plugins)
            if loaded.description == nil { code = .configuration }
            if invocation[Flags.json] {
                reports.append(loaded.report)
                continue
            }
            let text = loaded.report.text(colour: console.errorStyle.usesColor)
            if !text.isEmpty { console.complain(text) }
            if let description = loaded.description { console.print(Self.summary(path, description, loaded.report)) }
        }
        if reports.count == 1 {
            console.print(reports[0].json())
        } else if !reports.isEmpty {
            console.print(DiagnosticReport.json(reports))
        }
        return code
    }

    private static func summary(_ path: String, _ file: PipelineDescription, _ report: DiagnosticReport) -> String {
        func count(_ contract: NodeDescriptor.Contract...) -> Int {
            file.nodes.count { contract.contains($0.registration.descriptor.contract) }
        }
        func many(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
        let warnings = report.warningCount == 0 ? "" : ", with \(many(report.warningCount, "warning"))"
        let name = path == "-" ? "stdin" : path
        return "\(name): fine: \(many(count(.source), "source")), \(many(count(.transform, .join), "transform")), "
            + "\(many(count(.sink), "sink"))\(warnings)\n"
    }
}
