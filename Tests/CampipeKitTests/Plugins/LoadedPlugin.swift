import CPluginABI
import CampipeKit
import Foundation

/// A plugin outside the tree, loaded for good.
///
/// Compiled by `scripts/check-release` too, so it uses neither the test library nor what is internal.
struct LoadedPlugin {
    let abi: UInt32
    let compiler: String
    let sdk: String
    let registrations: [Registration]

    /// Loads a plugin; it is never closed, since that crashes Swift's runtime.
    ///
    /// - Throws: `CampipeError` when the handshake does not fit; nothing of the plugin was called then.
    init(_ library: URL) throws {
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
