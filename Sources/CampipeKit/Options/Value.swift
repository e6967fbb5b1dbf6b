/// A plain description of what stands in a file: text, lists and maps, after variables and secrets were filled in.
///
/// The text layer (CampipeConfig) makes it, options read it; nothing in it is typed yet, so that a string option can
/// take `no`, `on` and `02142` as they were written.
public indirect enum Value: Hashable, Sendable {
    case scalar(Scalar)
    case list([Value])
    case map(ValueMap)

    /// A text, a number or a word, as written.
    public struct Scalar: Hashable, Sendable {
        /// The text as written, without quotes.
        public var text: String
        /// Whether quotes stood around it, or it came from a variable or a secret: then it is never null or a number
        /// word.
        public var isQuoted: Bool
        /// Whether it must never be shown: from `!secret`, or of an option marked secret.
        public var isSecret: Bool

        public init(_ text: String, isQuoted: Bool = false, isSecret: Bool = false) {
            self.text = text
            self.isQuoted = isQuoted
            self.isSecret = isSecret
        }

        /// A key that was written with nothing behind it, or `null` or `~`.
        public var isNull: Bool { !isQuoted && ["", "~", "null", "Null", "NULL"].contains(text) }
    }

    /// A map in the file's order; keys are unique.
    public struct ValueMap: Hashable, Sendable {
        public var entries: [Entry]

        /// A key and what stands behind it.
        public struct Entry: Hashable, Sendable {
            public var key: String
            public var value: Value
            public init(_ key: String, _ value: Value) {
                self.key = key
                self.value = value
            }
        }

        public init(_ entries: [Entry] = []) { self.entries = entries }

        public subscript(key: String) -> Value? {
            get { entries.first { $0.key == key }?.value }
            set {
                let index = entries.firstIndex { $0.key == key }
                switch (index, newValue) {
                case (let index?, let value?): entries[index].value = value
                case (let index?, nil): entries.remove(at: index)
                case (nil, let value?): entries.append(Entry(key, value))
                case (nil, nil): break
                }
            }
        }

        public var keys: [String] { entries.map(\.key) }
    }

    /// Text as a value, as if it had been quoted.
    public static func text(_ text: String) -> Value { .scalar(Scalar(text, isQuoted: true)) }
    /// A plain word or number as a value, as if it had been written without quotes.
    public static func plain(_ text: String) -> Value { .scalar(Scalar(text)) }

    public var isNull: Bool { if case .scalar(let scalar) = self { scalar.isNull } else { false } }

    /// The text of what is no secret and not null; nil for all else.
    var plainText: String? {
        if case .scalar(let scalar) = self, !scalar.isNull, !scalar.isSecret { scalar.text } else { nil }
    }

    /// The same value, never to be shown.
    var asSecret: Value {
        switch self {
        case .scalar(var scalar):
            scalar.isSecret = true
            return .scalar(scalar)
        case .list(let elements): return .list(elements.map(\.asSecret))
        case .map(let map): return .map(ValueMap(map.entries.map { ValueMap.Entry($0.key, $0.value.asSecret) }))
        }
    }

    /// What it is, for sentences: `a list`, `a map`, `nothing`, `the text "on"`.
    public var kindText: String {
        switch self {
        case .scalar(let scalar) where scalar.isNull: "nothing"
        case .scalar(let scalar): scalar.isSecret ? "a secret" : "\"\(scalar.text.prefix(80))\""
        case .list: "a list"
        case .map: "a map"
        }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    public init(stringLiteral text: String) { self = .plain(text) }
    public init(arrayLiteral elements: Value...) { self = .list(elements) }
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .map(ValueMap(elements.map { ValueMap.Entry($0.0, $0.1) }))
    }
}

extension Value.ValueMap: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements.map { Entry($0.0, $0.1) }) }
}
