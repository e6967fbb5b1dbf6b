import Glibc

/// A plugin's file, looked at without running any of it: it fits this program, as far as that can be told from outside.
package struct CheckedObject: Hashable, Sendable {
    /// Where it lies, without links.
    package let path: String
    package let handshake: PluginHandshake

    /// Only the module of the SDK itself can define this: the class that a plugin hands over.
    private static let sdkSymbol = "$s10CampipeKit14PluginContentsCMn"
    private static let runtimeSymbol = "swift_retain"

    /// Why a file is not taken, with the types that it says it has.
    struct Failure: Error {
        var refusal: PluginRefusal
        /// nil where the file does not tell.
        var types: [PluginHandshake.NodeType]?
    }

    /// Checks a file.
    ///
    /// - Parameter entry: The function that it must have.
    init(_ path: String, host: HostIdentity, entry: String = PluginHandshake.entry) throws(Failure) {
        func refuse(_ refusal: PluginRefusal, _ types: [PluginHandshake.NodeType]? = nil) -> Failure {
            Failure(refusal: refusal, types: types)
        }
        guard let real = FilePlace.real(path), let bytes = FilePlace.bytes(of: real) else {
            let reason = unsafe String(cString: strerror(errno)).lowercased()
            throw refuse(.unreadable(path, reason))
        }
        self.path = real
        let object: SharedObject
        do throws(SharedObject.Malformed) { object = try SharedObject(bytes) } catch {
            throw refuse(.noSharedObject(path))
        }
        guard object.machine == host.machine else { throw refuse(.otherMachine(path, object.machine, host.machine)) }
        guard let constant = object[PluginHandshake.symbol], let handshake = PluginHandshake(constant) else {
            throw refuse(.noHandshake(path))
        }
        self.handshake = handshake
        let types = handshake.types
        guard handshake.abi == PluginHandshake.currentABI else { throw refuse(.otherABI(path, handshake.abi), types) }
        guard handshake.compiler == host.compiler else {
            throw refuse(.otherCompiler(path, handshake.compiler, host.compiler), types)
        }
        guard handshake.sdk == host.sdk else { throw refuse(.otherSDK(path, handshake.sdk, host.sdk), types) }
        if object.defined[Self.sdkSymbol] != nil || object.needed.contains(where: { $0.contains("CampipeKit") }) {
            throw refuse(.ownSDK(path, "copy of the SDK"), types)
        }
        if object.defined[Self.runtimeSymbol] != nil { throw refuse(.ownSDK(path, "copy of Swift's runtime"), types) }
        guard object.defined[entry] != nil else { throw refuse(.noEntry(path), types) }
    }

    /// Checks a file.
    ///
    /// - Throws: Why it is not taken.
    package static func checking(
        _ path: String, host: HostIdentity, entry: String = PluginHandshake.entry
    ) throws(PluginRefusal) -> CheckedObject {
        do throws(Failure) { return try CheckedObject(path, host: host, entry: entry) } catch { throw error.refusal }
    }
}
