package import CampipeKit

/// What a plugin says of itself before anything of it runs: text in a C constant that `campipe plugin build` bakes in.
///
/// A Swift constant would not do: read in the plugin it shows the host's own value. A pointer would not do either: the
/// bytes are read from the file, which no constructor has run from yet.
///
///     campipe plugin
///     abi 2
///     compiler Swift version 6.3.1 (swift-6.3.1-RELEASE)
///     sdk 5f0c…
///     node transform threshold
///
/// Further lines are for later versions, and passed over.
package struct PluginHandshake: Hashable, Sendable {
    /// A type of node that the build found in the sources.
    package struct NodeType: Hashable, Sendable {
        package var contract: NodeDescriptor.Contract
        package var name: String

        package init(_ contract: NodeDescriptor.Contract, _ name: String) {
            self.contract = contract
            self.name = name
        }
    }

    /// The constant's name in the shared object.
    package static let symbol = "campipe_plugin_handshake"
    /// The function that hands over a plugin's types: no argument, a pointer to `PluginContents` with one reference.
    package static let entry = "campipe_plugin_contents"
    /// The function that runs the tests of a plugin that was built with them.
    package static let testEntry = "campipe_plugin_tests"
    /// Raised when this text, or the name, the signature or the ownership of `entry` changes. Not when the SDK changes:
    /// that is `sdk`'s matter (docs/adr/0001-plugin-linkage.md).
    package static let currentABI = 2

    package var abi: Int
    /// The first line of `swiftc --version`: Swift has no stable layout across compilers here.
    package var compiler: String
    /// The SHA-256 of the SDK's module that it was built against, in hexadecimal.
    package var sdk: String
    /// The types whose names are literals in the sources.
    package var types: [NodeType]

    package init(abi: Int = currentABI, compiler: String, sdk: String, types: [NodeType]) {
        self.abi = abi
        self.compiler = compiler
        self.sdk = sdk
        self.types = types
    }

    private static let opening = "campipe plugin"

    /// Reads the constant's bytes.
    ///
    /// - Returns: nil when they are no handshake of any version.
    package init?(_ bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
        guard lines.popFirst() ?? "" == Self.opening else { return nil }
        self.init(abi: 0, compiler: "", sdk: "", types: [])
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let rest = String(parts[1])
            switch parts[0] {
            case "abi": abi = Int(rest) ?? 0
            case "compiler": compiler = rest
            case "sdk": sdk = rest
            case "node":
                let words = rest.split(separator: " ")
                guard words.count == 2, let contract = NodeDescriptor.Contract(rawValue: String(words[0])) else {
                    continue
                }
                types.append(NodeType(contract, String(words[1])))
            default: continue
            }
        }
        guard abi > 0 else { return nil }
    }

    package var text: String {
        var lines = [Self.opening, "abi \(abi)", "compiler \(compiler)", "sdk \(sdk)"]
        lines += types.map { "node \($0.contract.rawValue) \($0.name)" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The C file that defines the constant.
    package var source: String {
        var literal = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n"): literal += "\\n\"\n    \""
            case 0x20..<0x7F
            where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "?"):
                literal.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let octal = String(byte, radix: 8)
                literal += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
        }
        return """
            __attribute__((visibility("default"), used)) const char \(Self.symbol)[] =
                "\(literal)";

            """
    }
}
