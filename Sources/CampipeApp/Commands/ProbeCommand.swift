import CampipeKit

/// `campipe probe`: what a camera speaks, and the pipeline file that reads it.
struct ProbeCommand {
    private let invocation: Invocation
    private let console: Console
    private let input: PasswordInput

    init(_ invocation: Invocation, _ console: Console, input: PasswordInput = .standardInput) {
        self.invocation = invocation
        self.console = console
        self.input = input
    }

    func perform() -> ExitCode {
        do throws(CampipeError) {
            let camera = try CameraArguments(invocation, console, input).camera
            // The checks of the file first: they know what a URL may be.
            let sink = "web: {type: http, input: camera, path: /camera}"
            _ = try camera.pipeline(sink: sink) { console.complain("campipe: warning: \($0)\n") }
            let finding = try CameraProbers.prober(of: camera.scheme, clock: SystemClock()).probe(camera)
            let file = camera.file(sink: sink)
            if invocation[Flags.json] {
                console.print(finding.json(url: camera.shown, file: file))
            } else {
                // As comments, so that all of it is a pipeline file.
                console.print(finding.lines.map { "# \($0)\n" }.joined() + "\n" + file)
            }
            return .ok
        } catch {
            console.complain("campipe: \(error)\n")
            return .failed
        }
    }
}
