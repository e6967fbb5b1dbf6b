package import CampipeKit

/// What is known of a plugin without loading it into this process: the types in it, or why it is refused.
package struct PluginFinding: Hashable, Sendable {
    /// As it was named.
    package let path: String
    /// The types that it brings, several of one name where a type works on several kinds of item; empty when refused.
    package let types: [NodeDescriptor]
    /// Why it is refused; nil when it is taken.
    package let refusal: PluginRefusal?
    /// Of a refused one: the types that its file says it has; nil where it does not say.
    package let names: [PluginHandshake.NodeType]?
    /// The file, when it is taken.
    package let object: CheckedObject?

    init(_ object: CheckedObject, at path: String, types: [NodeDescriptor]) {
        self.path = path
        self.object = object
        self.types = types
        refusal = nil
        names = object.handshake.types
    }

    package init(refused path: String, _ refusal: PluginRefusal, names: [PluginHandshake.NodeType]?) {
        self.path = path
        self.refusal = refusal
        self.names = names?.isEmpty == true ? nil : names
        types = []
        object = nil
    }
}
