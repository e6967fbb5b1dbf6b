import CampipeKit
import Foundation
import Testing

@testable import CampipePlugins

/// A folder in which a test builds plugins, gone with its owner.
final class Workshop: Sendable {
    let url: URL

    /// The folder of the build that this test is of, with the program and the modules of the SDK.
    static let products = Bundle.module.bundleURL.deletingLastPathComponent()
    static let program = products.appending(path: "campipe").path(percentEncoded: false)
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

    /// What plugins of this build are made for.
    static var host: HostIdentity { get throws { try HostIdentity(program: program) } }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "campipe-plugins-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    func write(_ text: String, to name: String) throws -> String {
        try FileManager.default.createDirectory(
            at: url.appending(path: name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url.appending(path: name))
        return path(name)
    }

    /// Builds a plugin of a folder of Swift files, as its author would.
    ///
    /// - Returns: The shared object.
    func build(_ sources: URL, debug: Bool = false) throws -> String {
        let name = sources.lastPathComponent
        let folder = url.appending(path: "project-\(name)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "Sources"), withIntermediateDirectories: true)
        let copy = folder.appending(path: "Sources/\(name)")
        if !FileManager.default.fileExists(atPath: copy.path()) {
            try FileManager.default.copyItem(at: sources, to: copy)
        }
        let place = folder.path(percentEncoded: false)
        let built = try Self.run(["plugin", "build", place] + (debug ? ["--debug"] : []))
        guard built.ending == .exited(0) else { throw CampipeError(.failed, built.errorText) }
        return "\(place)/build/\(name).so"
    }

    /// Compiles C to a shared object, with this handshake in it.
    func object(_ name: String, _ source: String = "", handshake: PluginHandshake? = nil) throws -> String {
        let file = try write((handshake?.source ?? "") + source, to: "\(name).c")
        let out = path("\(name).so")
        let words = [
            "-c", "cc=$(command -v clang || echo cc); exec $cc -shared -fPIC -w -o \"$1\" \"$2\"", "sh", out, file,
        ]
        let result = try ChildProgram(
            "/bin/sh", words, environment: ProcessInfo.processInfo.environment, deadline: .seconds(120)
        ).run()
        guard result.ending == .exited(0) else { throw CampipeError(.failed, result.errorText) }
        return out
    }

    /// The built program, run to its end.
    static func run(
        _ words: [String], environment: [String: String] = [:], folder: String? = nil
    ) throws -> ChildProgram.Result {
        try ChildProgram(
            program, words, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            folder: folder, deadline: .seconds(240)
        ).run()
    }
}

extension PluginHandshake {
    /// One that fits this build.
    static func fitting(
        abi: Int = currentABI, compiler: String? = nil, sdk: String? = nil, types: [NodeType] = []
    ) throws -> PluginHandshake {
        let host = try Workshop.host
        return PluginHandshake(abi: abi, compiler: compiler ?? host.compiler, sdk: sdk ?? host.sdk, types: types)
    }
}
