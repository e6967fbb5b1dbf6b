import CampipeKit
import Foundation
import Testing

@testable import CampipeConfig

/// Reads a pipeline's text against the test's node types.
func read(
    _ text: String, environment: [String: String] = [:], secrets: [String: String] = [:], overrides: [Override] = [],
    name: String = "home.yaml"
) -> PipelineFile {
    PipelineFile(
        Array(text.utf8), name: name, registry: testRegistry,
        surroundings: surroundings(environment: environment, secrets: secrets), overrides: overrides)
}

func surroundings(environment: [String: String] = [:], secrets: [String: String] = [:]) -> Surroundings {
    Surroundings(
        variable: { environment[$0] },
        secret: { secrets[$0].map { .success($0) } ?? .failure(SecretProblem("no such file or directory")) })
}

/// The bytes of a file of the test bundle.
func fixture(_ path: String) throws -> [UInt8] {
    let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
}

extension PipelineFile {
    /// `CAM0020 12:5 error` for each diagnostic, so that a table can say what is expected.
    var summary: [String] {
        report.diagnostics.map { diagnostic in
            let place = diagnostic.mark.map { mark in
                let position = report.sources[Int(mark.source)].position(of: Int(mark.start))
                return "\(position.line):\(position.column)"
            }
            return "\(diagnostic.code.text) \(place ?? "-") \(diagnostic.severity)"
        }
    }

    func node(_ id: String) -> PipelineNode? { description?[id] }
}
