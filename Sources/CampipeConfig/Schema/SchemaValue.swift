internal import CampipeKit

/// The JSON Schema of single values.
enum SchemaValue {
    /// A text with a variable or a parameter in it, which may stand for anything.
    static let filled = JSONText.object([("type", .string("string")), ("pattern", .string("\\{[A-Za-z_]"))])
    static let name = JSONText.object([("type", .string("string")), ("pattern", .string("^[A-Za-z0-9_-]{1,64}$"))])
    static let reference = JSONText.object([("type", .string("string")), ("minLength", .number(1))])
    static let references = JSONText.object([
        (
            "anyOf",
            .array([
                reference(to: "reference"),
                .object([("type", .string("array")), ("items", reference(to: "reference"))]),
            ])
        )
    ])

    static func reference(to definition: String) -> JSONText {
        .object([("$ref", .string("#/definitions/\(definition)"))])
    }

    /// A value with a line about it; draft 7 ignores what stands beside a `$ref`.
    static func described(_ value: JSONText, _ text: String) -> JSONText {
        guard case .object(let members) = value else { return value }
        if members.contains(where: { $0.0 == "$ref" }) {
            return .object([("description", .string(text)), ("allOf", .array([value]))])
        }
        return .object([("description", .string(text))] + members.filter { $0.0 != "description" })
    }

    static func map(_ text: String, _ value: JSONText) -> JSONText {
        .object([
            ("description", .string(text)),
            ("type", .array([.string("object"), .string("null")])),
            ("propertyNames", name),
            ("additionalProperties", value),
        ])
    }

    /// A closed map of options.
    ///
    /// - Parameter isWhole: Whether nothing comes from `defaults`, so that what has to be there stands in it.
    static func object(_ schemas: [OptionSchema], isWhole: Bool = false) -> JSONText {
        let required = isWhole ? schemas.filter(\.isRequired).map { JSONText.string($0.key) } : []
        return .object(
            [
                ("type", .array([.string("object"), .string("null")])),
                ("additionalProperties", .bool(false)),
                ("properties", .object(schemas.map { ($0.key, option($0, isWhole: isWhole)) })),
            ] + (required.isEmpty ? [] : [("required", .array(required))]))
    }

    static func option(_ schema: OptionSchema, isWhole: Bool = false) -> JSONText {
        var text = schema.summary
        if let range = schema.range { text += " Range: \(range)." }
        if let standard = schema.defaultText { text += " Default: \(standard)." }
        return described(
            type(schema.type, minimum: schema.minimum, maximum: schema.maximum, isWhole: isWhole), text)
    }

    private static func type(
        _ type: OptionType, minimum: Double? = nil, maximum: Double? = nil, isWhole: Bool = false
    ) -> JSONText {
        switch type {
        // Quotes change nothing where it is clear what is meant, as they change nothing to `campipe validate`.
        case .bool: orFilled([("type", .string("boolean"))], quoted: "^(true|false)$")
        case .integer: orFilled([("type", .string("integer"))] + bounds(minimum, maximum), quoted: "^[-+]?[0-9]+$")
        case .number:
            orFilled(
                [("type", .string("number"))] + bounds(minimum, maximum),
                quoted: "^[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?$")
        // Text is taken as written: `no`, `on` and `02142` are texts here.
        case .text, .secret, .resource:
            .object([("type", .array(["string", "number", "boolean"].map(JSONText.string)))])
        case .duration: orFilled([("type", .string("string")), ("pattern", .string("^([0-9.]+(ms|s|m|h|d|w))+$"))])
        case .byteCount:
            orFilled([("type", .string("string")), ("pattern", .string("^[0-9.]+(B|KB|KiB|MB|MiB|GB|GiB|TB|TiB)$"))])
        case .percent: orFilled([("type", .string("string")), ("pattern", .string("^[0-9.]+%$"))])
        case .choice(let words): orFilled([("enum", .array(words.flatMap(choices)))])
        case .list(let element): orFilled([("type", .string("array")), ("items", self.type(element))])
        case .group(let schemas):
            .object([("anyOf", .array([object(schemas, isWhole: isWhole), reference(to: "filled")]))])
        case .either(let types): .object([("anyOf", .array(types.map { self.type($0) }))])
        case .map(let element):
            .object([("type", .string("object")), ("additionalProperties", self.type(element, isWhole: isWhole))])
        }
    }

    /// `true`, `false` and numbers as words of a choice are no strings to an editor, unless they stand in quotes.
    private static func choices(_ word: String) -> [JSONText] {
        switch word {
        case "true": [.bool(true), .string(word)]
        case "false": [.bool(false), .string(word)]
        default: (Double(word).map { [JSONText.number($0)] } ?? []) + [.string(word)]
        }
    }

    private static func bounds(_ minimum: Double?, _ maximum: Double?) -> [(String, JSONText)] {
        (minimum.map { [("minimum", .number($0))] } ?? []) + (maximum.map { [("maximum", .number($0))] } ?? [])
    }

    /// - Parameter quoted: What else a text may be.
    private static func orFilled(_ members: [(String, JSONText)], quoted: String? = nil) -> JSONText {
        let text = quoted.map { [JSONText.object([("type", .string("string")), ("pattern", .string($0))])] } ?? []
        return .object([("anyOf", .array([.object(members)] + text + [reference(to: "filled")]))])
    }
}
