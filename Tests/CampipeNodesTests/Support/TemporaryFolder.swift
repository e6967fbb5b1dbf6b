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
    /// All below it, but for the lists that recordings keep.
    var files: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter {
            !($0.split(separator: "/").last?.hasPrefix(".campipe-") ?? false)
        }.sorted()
    }
}
