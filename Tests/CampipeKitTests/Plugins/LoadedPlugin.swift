import CPluginABI
import CampipeKit
import Foundation

/// Builds a plugin outside the tree against the modules of the running tests, and loads it for good.
struct LoadedPlugin {
    let abi: UInt32
    let compiler: String
    let sdk: String
    let registrations: [Registration]

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

    /// Loads a plugin; it is never closed, since that crashes Swift's runtime.
    ///
    /// - Throws: `CampipeError` when the handshake does not fit; nothing of the plugin was called then.
    init(_ library: URL) throws {
        defer { try? FileManager.default.removeItem(at: library.deletingLastPathComponent()) }
        guard let handle = dlopen(library.path(), RTLD_NOW | RTLD_LOCAL) else {
            throw CampipeError(.failed, dlerror().map { String(cString: $0) } ?? "dlopen failed")
        }
        guard let symbol = dlsym(handle, "campipe_plugin_handshake") else {
            throw CampipeError(.unsupported, "no handshake")
        }
        let handshake = symbol.loadUnaligned(as: campipe_plugin_handshake.self)
        guard handshake.magic == 0x0045_5049_504d_4143, handshake.abi == UInt32(CAMPIPE_PLUGIN_ABI) else {
            throw CampipeError(.unsupported, "the plugin is of ABI \(handshake.abi), the host of \(CAMPIPE_PLUGIN_ABI)")
        }
        abi = handshake.abi
        compiler = String(cString: handshake.compiler)
        sdk = String(cString: handshake.sdk)
        guard let entry = dlsym(handle, "campipe_plugin_contents") else {
            throw CampipeError(.unsupported, "no contents")
        }
        typealias Contents = @convention(c) () -> UnsafeMutableRawPointer
        let contents = unsafeBitCast(entry, to: Contents.self)
        registrations = PluginContents.taking(contents()).registrations
    }
}
