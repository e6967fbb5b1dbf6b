import CampipeKit
import CampipePlugins
import Foundation

/// The types of node in a plugin's sources, as the compiler lists them (`-emit-const-values`).
struct FoundTypes {
    struct NodeType {
        /// As the sources call it: `Threshold`, `Outer.Inner`.
        var swiftName: String
        var contract: String
        /// `static let name`, where it is a literal.
        var name: String?
        var place: String
    }

    /// What the compiler is asked to gather (`-const-gather-protocols-file`).
    static let protocols = "[\"Source\", \"Transform\", \"Join\", \"Mixer\", \"Sink\"]\n"

    let types: [NodeType]

    private struct Listed: Decodable {
        struct Property: Decodable {
            var label: String
            var isStatic: String
            var valueKind: String
            var value: Text?
        }
        /// A literal's text; nil of all else that the compiler writes there.
        struct Text: Decodable {
            var text: String?

            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }
        var typeName: String
        var kind: String
        var file: String?
        var line: Int?
        var conformances: [String]
        var properties: [Property]
    }

    /// - Parameters:
    ///   - json: What the compiler wrote.
    ///   - module: The module's name, which stands in front of its types.
    /// - Throws: `.unsupported` of a type that cannot be registered by itself.
    init(_ json: [UInt8], module: String) throws(CampipeError) {
        guard let listed = try? JSONDecoder().decode([Listed].self, from: Data(json)) else {
            throw CampipeError(.failed, "cannot read what the compiler says of the types")
        }
        var types: [NodeType] = []
        for type in listed {
            let contracts = type.conformances.compactMap { Self.contracts[$0] }
            guard let contract = contracts.first else { continue }
            let place = "\(type.file ?? ""):\(type.line ?? 0)"
            let name = type.typeName.hasPrefix("\(module).") ? String(type.typeName.dropFirst(module.count + 1)) : ""
            guard !name.isEmpty, !name.contains("<"), type.kind == "struct" else {
                throw CampipeError(
                    .unsupported,
                    "\(place): \(type.typeName) is a \(type.kind), and a node is a struct without parameters",
                    fix: "make it one, or write \(PluginHandshake.entry) yourself (docs/plugins.md)")
            }
            guard contracts.count == 1 else {
                throw CampipeError(
                    .unsupported, "\(place): \(name) is a \(contracts.joined(separator: " and a "))",
                    fix: "a node keeps one contract: split it")
            }
            let literal = type.properties.first { $0.label == "name" && $0.isStatic == "true" }
            types.append(
                NodeType(
                    swiftName: name, contract: contract,
                    name: literal?.valueKind == "RawLiteral" ? literal?.value?.text : nil, place: place))
        }
        self.types = types.sorted { $0.swiftName < $1.swiftName }
    }

    private static let contracts = [
        "CampipeKit.Source": "source", "CampipeKit.Transform": "transform", "CampipeKit.Join": "join",
        "CampipeKit.Mixer": "mixer", "CampipeKit.Sink": "sink",
    ]

    /// The function that hands them over.
    var entry: String {
        let registrations = types.map { "Registration(\($0.contract): \($0.swiftName).self)" }
        return """
            import CampipeKit

            @_cdecl("\(PluginHandshake.entry)")
            public func campipePluginContents() -> UnsafeMutableRawPointer {
                PluginContents(
                    \(registrations.joined(separator: ",\n        "))
                ).exported()
            }

            """
    }

    /// What the handshake says of them.
    var named: [PluginHandshake.NodeType] {
        types.compactMap { type in
            guard let name = type.name, PluginNames.isIdentifier(name) else { return nil }
            // A mixer stands where joins do.
            return PluginHandshake.NodeType(NodeDescriptor.Contract(rawValue: type.contract) ?? .join, name)
        }
    }
}
