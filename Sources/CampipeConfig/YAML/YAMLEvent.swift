/// What libyaml found next, as a Swift value.
struct YAMLEvent {
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias(String)
        case scalar(text: String, isQuoted: Bool)
        case listStart
        case listEnd
        case mapStart
        case mapEnd
    }

    var kind: Kind
    /// Character offsets; `end` is behind the last character.
    var start: Int
    var end: Int
    var anchor: String?
    var tag: String?
}

/// What libyaml stumbled over.
struct YAMLProblem: Error {
    /// libyaml's own words: `mapping values are not allowed in this context`.
    var problem: String
    /// What it was doing: `while scanning a quoted scalar`; empty when it does not say.
    var context: String
    /// Character offsets.
    var place: Int
    var contextPlace: Int
    /// Whether it happened inside `{ }` or `[ ]`.
    var isInFlow: Bool
}
