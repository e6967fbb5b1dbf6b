import CampipeConfig
import Testing

@testable import CampipeApp

@Suite("Faults of cameras in a file")
struct HiddenFaultTests {
    private func sentences(_ camera: String) -> [String] {
        LoadedPipeline(
            text: "version: 1\nsources: {c: {type: camera, \(camera)}}\nsinks: {s: {type: log, input: c}}\n",
            name: "x.yaml",
            surroundings: .process(folder: ".")
        ).report.diagnostics.map(\.sentence)
    }

    @Test("what is wrong with another option leaves it known which camera is meant")
    func another() {
        #expect(
            sentences("url: 'demo://poorch', every: 3") == ["there is no demo scene \"poorch\"", "3 has no unit"])
    }

    @Test("all that is wrong with a demo's URL is told at once")
    func demo() {
        #expect(
            sentences("url: 'demo://poorch?width=abc&fpss=3&fps=900'") == [
                "there is no demo scene \"poorch\"", "\"width=abc\" is no setting of a demo",
                "unknown setting \"fpss\" of a demo", "fps=900 is out of range of a demo",
            ])
    }
}
