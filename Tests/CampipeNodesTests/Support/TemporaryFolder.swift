import Foundation

/// A folder that goes with the test.
final class TemporaryFolder {
    let path: String
    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("campipe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var files: [String] { ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).sorted() }
}
