import CampipeKit

/// The types of nodes as a person looks for them: by section and name, the several kinds of one type as one.
struct NodeCatalogue {
    static let sections = ["sources", "transforms", "sinks"]

    struct Entry {
        var name: String
        var section: String
        var summary: String
        /// The plugin that brings it; nil of what is built in.
        var plugin: String?
        /// One a kind of item, where a type works on several.
        var descriptors: [NodeDescriptor]
    }

    let entries: [Entry]

    /// - Parameter origins: The plugins of types that are not built in, by `section.name`.
    init(_ registry: Registry, origins: [String: String] = [:]) {
        entries = Self.sections.flatMap { section in
            registry.names(in: section).sorted().map { name in
                let descriptors = registry.named(name, in: section).map(\.descriptor)
                return Entry(
                    name: name, section: section, summary: descriptors.first?.summary ?? "",
                    plugin: origins["\(section).\(name)"], descriptors: descriptors)
            }
        }
    }

    /// The entries of a name: two where a source and a sink share it.
    subscript(name: String) -> [Entry] { entries.filter { $0.name == name } }

    var names: [String] { Array(Set(entries.map(\.name))).sorted() }

    /// An array of `{name, section, summary}`, with `plugin` where one brings it.
    var json: String {
        let rows = entries.map { entry in
            "  {\"name\":\(JSONString.quoted(entry.name)),\"section\":\"\(entry.section)\","
                + "\"summary\":\(JSONString.quoted(entry.summary))"
                + (entry.plugin.map { ",\"plugin\":\(JSONString.quoted($0))" } ?? "") + "}"
        }
        return "[\n\(rows.joined(separator: ",\n"))\n]\n"
    }
}
