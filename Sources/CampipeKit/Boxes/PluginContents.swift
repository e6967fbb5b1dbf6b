/// What a plugin brings: the types of node in its shared object.
///
/// A plugin exports one function, which the host calls once after the handshake (CPluginABI.h) fits:
///
///     @_cdecl("campipe_plugin_contents")
///     public func contents() -> UnsafeMutableRawPointer {
///         PluginContents(Registration(transform: Threshold.self)).exported()
///     }
public final class PluginContents: Sendable {
    public let registrations: [Registration]

    public init(_ registrations: Registration...) { self.registrations = registrations }

    /// Hands the contents over to the host, with one reference.
    public func exported() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

    /// Takes over what a plugin exported.
    ///
    /// - Parameter exported: What `exported` returned, in a plugin whose handshake fits; once.
    package static func taking(_ exported: UnsafeMutableRawPointer) -> PluginContents {
        unsafe Unmanaged<PluginContents>.fromOpaque(exported).takeRetainedValue()
    }
}
