package import CampipeKit

/// The JSON Schema of a pipeline file, made from the declarations of the node types: what `campipe schema` prints.
///
/// Draft 7, which editors' YAML servers read best. A value may always be a text with `${VAR}` in it, and inside a
/// template with `{parameter}`; the schema is laxer than `campipe validate`, never stricter.
package struct PipelineSchema {
    private let registry: Registry

    package init(_ registry: Registry) { self.registry = registry }

    /// The schema as indented JSON.
    package func json() -> String { document.text(indent: 0) + "\n" }

    private var document: JSONText {
        var definitions: [(String, JSONText)] = [
            ("filled", SchemaValue.filled), ("reference", SchemaValue.reference),
            ("references", SchemaValue.references),
            ("when", when), ("link", SchemaValue.object(LinkKeys.schemas)),
        ]
        var members: [(String, JSONText)] = [
            (
                "version",
                .object([
                    ("enum", .array([.number(1), .string("1")])),
                    ("description", .string("The version of the file format.")),
                ])
            ),
            (
                "name",
                SchemaValue.described(SchemaValue.name, "The name of the pipeline; the file's name when left out.")
            ),
            (
                "server",
                SchemaValue.described(SchemaValue.object(ServerKeys.schemas, isWhole: true), "The HTTP server.")
            ),
            ("plugins", plugins),
            ("defaults", defaults),
        ]
        for section in KnownKeys.sections {
            members.append((section, SchemaValue.reference(to: section)))
            definitions.append((section, nodes(of: section)))
            definitions += types(of: section)
        }
        members.append(("templates", templates))
        members.append(("cameras", cameras))
        return .object([
            ("$schema", .string("http://json-schema.org/draft-07/schema#")),
            ("title", .string("campipe pipeline")),
            ("type", .string("object")),
            ("required", .array([.string("version")])),
            ("additionalProperties", .bool(false)),
            ("properties", .object(members)),
            ("definitions", .object(definitions)),
        ])
    }

    // MARK: - Nodes

    /// The map of a section: names to nodes, each checked by its type.
    private func nodes(of section: String) -> JSONText {
        let names = registry.names(in: section)
        let branches = names.map { name -> JSONText in
            .object([
                (
                    "if",
                    .object([("properties", .object([("type", .object([("const", .string(name))]))]))])
                ),
                ("then", SchemaValue.reference(to: "\(section).\(name)")),
            ])
        }
        let node = JSONText.object([
            ("type", .string("object")),
            ("required", .array([.string("type")])),
            (
                "properties",
                .object([
                    (
                        "type",
                        .object([
                            (
                                "anyOf",
                                .array([
                                    .object([("enum", .array(names.map(JSONText.string)))]),
                                    SchemaValue.reference(to: "filled"),
                                ])
                            )
                        ])
                    )
                ])
            ),
            ("allOf", .array(branches)),
        ])
        return .object([
            ("type", .array([.string("object"), .string("null")])),
            ("propertyNames", SchemaValue.name),
            ("additionalProperties", node),
        ])
    }

    private func types(of section: String) -> [(String, JSONText)] {
        registry.names(in: section).compactMap { name in
            guard let descriptor = registry.named(name, in: section).first?.descriptor else { return nil }
            return ("\(section).\(name)", node(descriptor, section))
        }
    }

    private func node(_ descriptor: NodeDescriptor, _ section: String) -> JSONText {
        var members: [(String, JSONText)] = [("type", .object([("const", .string(descriptor.name))]))]
        for (index, port) in descriptor.inputs.enumerated() { members += keys(of: port, isMain: index == 0) }
        members += descriptor.options.map { ($0.key, SchemaValue.option($0)) }
        members.append(("when", SchemaValue.reference(to: "when")))
        if section != "sources" {
            let link = SchemaValue.reference(to: "link")
            members.append(("link", link))
            members.append(("links", .object([("type", .string("object")), ("additionalProperties", link)])))
        }
        var schemas = NodeKeys.schemas
        if section == "sources" { schemas += SourceKeys.schemas }
        if section == "sinks" { schemas += SinkKeys.schemas }
        members += schemas.map { ($0.key, SchemaValue.option($0)) }
        return .object([
            ("description", .string(descriptor.summary)),
            ("type", .string("object")),
            ("additionalProperties", .bool(false)),
            ("properties", .object(members)),
        ])
    }

    private func keys(of port: PortDescriptor, isMain: Bool) -> [(String, JSONText)] {
        let what = "Where its \(port.kind.plural) come from: id or id.port."
        let value = SchemaValue.described(SchemaValue.reference(to: port.takesMany ? "references" : "reference"), what)
        guard isMain else { return [(port.name, value)] }
        return port.takesMany ? [("inputs", value), ("input", value)] : [("input", value)]
    }

    private var when: JSONText {
        let one = JSONText.object([
            (
                "anyOf",
                .array([SchemaValue.reference(to: "reference"), SchemaValue.object(WhenKeys.schemas, isWhole: true)])
            )
        ])
        return .object([
            ("description", .string("The node works only while such events are active.")),
            ("anyOf", .array([one, .object([("type", .string("array")), ("items", one)])])),
        ])
    }

    // MARK: - Templates, cameras, defaults

    private var templates: JSONText {
        var members: [(String, JSONText)] = [
            ("params", .object([("type", .string("array")), ("items", SchemaValue.name)]))
        ]
        for section in KnownKeys.sections { members.append((section, SchemaValue.reference(to: section))) }
        return SchemaValue.map(
            "Nodes with parameters, for cameras to use.",
            .object([
                ("type", .string("object")), ("additionalProperties", .bool(false)), ("properties", .object(members)),
            ]))
    }

    private var cameras: JSONText {
        SchemaValue.map(
            "Cameras: each a copy of a template with its parameters put in.",
            .object([
                ("type", .string("object")),
                ("required", .array([.string("use")])),
                (
                    "properties",
                    .object([
                        ("use", SchemaValue.described(.object([("type", .string("string"))]), "The template.")),
                        (
                            "enabled",
                            SchemaValue.described(
                                .object([]),
                                "Whether the camera is used; false switches all its nodes off. A parameter of this "
                                    + "name of the template takes its place.")
                        ),
                    ])
                ),
            ]))
    }

    private var plugins: JSONText {
        let entry = JSONText.object([
            (
                "anyOf",
                .array([.object([("type", .string("string"))]), SchemaValue.object(PluginReference.Keys.schemas)])
            )
        ])
        return .object([
            ("description", .string("Shared objects that bring more types, from the pipeline file's folder.")),
            ("type", .array([.string("array"), .string("null")])),
            ("items", entry),
        ])
    }

    private var defaults: JSONText {
        var names: [String] = []
        for section in KnownKeys.sections {
            for name in registry.names(in: section) where !names.contains(name) { names.append(name) }
        }
        return .object([
            ("description", .string("Options by type, for all nodes that do not say otherwise.")),
            ("type", .array([.string("object"), .string("null")])),
            ("additionalProperties", .bool(false)),
            ("properties", .object(names.map { ($0, .object([("type", .string("object"))])) })),
        ])
    }
}
