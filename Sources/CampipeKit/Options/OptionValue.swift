/// What an option can hold: read from text with its unit, shown in docs, checked in one place.
public protocol OptionValue: Sendable {
    /// What it is, for docs, `inspect` and the JSON Schema.
    static var optionType: OptionType { get }
    /// What stands in an option without a default until the file's value comes.
    static var optionPlaceholder: Self { get }
    /// Reads a value of the file; reports what is wrong with it at `path` and returns nil then.
    static func read(_ value: Value, at path: FaultPath, into faults: inout [Fault]) -> Self?
    /// The value as it would be written in a pipeline file; nil when a default need not be shown.
    var optionText: String? { get }
}

/// The type of an option, as a value.
public indirect enum OptionType: Hashable, Sendable, Codable {
    case bool
    case integer
    case number
    case text
    /// Text that is redacted wherever it would be shown.
    case secret
    /// The path of a file that is there, from the pipeline file's folder.
    case resource
    /// `5s`, `200ms`, `14d`.
    case duration
    /// `500GiB`.
    case byteCount
    /// `10%`.
    case percent
    /// One of these words.
    case choice([String])
    case list(OptionType)
    case group([OptionSchema])
    /// Either this or that, such as `all` or a number.
    case either([OptionType])
    case map(OptionType)

    /// Whether what stands there must never be shown.
    package var isSecret: Bool {
        switch self {
        case .secret: true
        case .list(let element), .map(let element): element.isSecret
        case .either(let types): types.contains(where: \.isSecret)
        default: false
        }
    }

    /// The type in words, for sentences: `a duration such as 5s`.
    public var text: String {
        switch self {
        case .bool: "true or false"
        case .integer: "a whole number"
        case .number: "a number"
        case .text: "text"
        case .secret: "text (secret)"
        case .resource: "a file, from the pipeline file's folder"
        case .duration: "a duration such as 5s or 200ms"
        case .byteCount: "a size such as 64MiB"
        case .percent: "a share such as 10%"
        case .choice(let words): words.count == 1 ? words[0] : "one of \(words.joined(separator: ", "))"
        case .list(let element): "a list of \(element.text)"
        case .group(let options): "a map of \(options.map(\.key).joined(separator: ", "))"
        case .either(let types): types.map(\.text).joined(separator: ", or ")
        case .map(let element): "a map of names to \(element.text)"
        }
    }
}

/// One option of a node, as declared: the one source of its parsing, its documentation and its JSON Schema.
public struct OptionSchema: Hashable, Sendable, Codable {
    /// The name in a pipeline file, in snake_case.
    public var key: String
    public var type: OptionType
    /// One line about it.
    public var summary: String
    /// The default as it would be written; nil when the option must be given or its default is nothing.
    public var defaultText: String?
    public var isRequired: Bool
    /// The accepted range in words, `0…255`; nil when there is none.
    public var range: String?
    /// The range's ends for a JSON Schema, where they are plain numbers.
    public var minimum: Double?
    public var maximum: Double?
    /// Its place in the order of construction; never shown.
    package var number: Int
    /// Whether braces in its text are the node's to read, so that a template leaves them alone.
    package var hasFields: Bool
}
