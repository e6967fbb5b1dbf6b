package import CampipeKit
import Glibc

/// A plugin that was loaded into this process, for good: to close one crashes Swift's runtime.
package struct PluginLibrary: Sendable {
    package let path: String
    package let registrations: [Registration]

    /// Loads a plugin whose file was checked, and takes its types over. Its code runs here.
    ///
    /// - Throws: Why it is not taken; what the loader says where a symbol is missing.
    package init(_ object: CheckedObject) throws(PluginRefusal) {
        path = object.path
        let address = try Self.function(PluginHandshake.entry, of: object)
        typealias Contents = @convention(c) () -> UnsafeMutableRawPointer
        let contents = unsafe unsafeBitCast(address, to: Contents.self)
        registrations = unsafe PluginContents.taking(contents()).registrations.map { registration in
            var registration = registration
            registration.plugin = object.path
            return registration
        }
        if registrations.isEmpty { throw .noTypes(object.path) }
    }

    /// Loads a plugin that was built with its tests and runs them; the process ends with their exit code.
    static func runTests(of object: CheckedObject) throws(PluginRefusal) -> Never {
        let address = try function(PluginHandshake.testEntry, of: object)
        typealias Tests = @convention(c) () -> Void
        unsafe unsafeBitCast(address, to: Tests.self)()
        while true { pause() }
    }

    private static func function(_ name: String, of object: CheckedObject) throws(PluginRefusal) -> UInt {
        guard let handle = unsafe dlopen(object.path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "dlopen says nothing"
            throw .notLoaded(object.path, reason)
        }
        guard let address = unsafe dlsym(handle, name) else { throw .noEntry(object.path) }
        return UInt(bitPattern: address)
    }
}
