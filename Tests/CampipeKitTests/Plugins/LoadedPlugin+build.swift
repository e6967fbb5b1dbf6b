import CampipeKit
import Foundation

/// Builds plugins against the modules of the running tests.
extension LoadedPlugin {
    /// The folder of the build that this test is of.
    private static let products = Bundle.module.bundleURL.deletingLastPathComponent()
    private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    static let border = Bundle.module.url(forResource: "Fixtures", withExtension: nil)?.appending(path: "Border")

    /// Builds a plugin.
    ///
    /// - Returns: The shared object, in a folder of its own.
    static func build(_ sources: URL? = nil, _ optimize: String, environment: [String: String] = [:]) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "campipe-plugin-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let out = folder.appending(path: "plugin.so")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            [
                root.appending(path: "Plugins/Threshold/build.sh").path(), products.appending(path: "Modules").path(),
                out.path(), optimize,
            ] + (sources.map { [$0.path()] } ?? [])
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CampipeError(.failed, "cannot build the plugin: \(said)") }
        return out
    }

    /// Builds a plugin, loads it, and removes the file.
    static func built(_ sources: URL? = nil, _ optimize: String, environment: [String: String] = [:]) throws
        -> LoadedPlugin
    {
        let library = try build(sources, optimize, environment: environment)
        defer { try? FileManager.default.removeItem(at: library.deletingLastPathComponent()) }
        return try LoadedPlugin(library)
    }
}
