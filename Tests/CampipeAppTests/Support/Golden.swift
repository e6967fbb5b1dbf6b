import Foundation

/// The kept text of this name under Fixtures. `CAMPIPE_UPDATE_GOLDEN=1 swift test` writes them anew; read the
/// difference.
func golden(_ name: String, _ text: String) throws -> String {
    if ProcessInfo.processInfo.environment["CAMPIPE_UPDATE_GOLDEN"] == "1" {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appending(path: "Fixtures/\(name)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return text
    }
    guard let fixtures = Bundle.module.url(forResource: "Fixtures", withExtension: nil) else { return "no fixtures" }
    return try String(contentsOf: fixtures.appending(path: name), encoding: .utf8)
}

/// The source tree that the tests were built from.
let sourceTree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
