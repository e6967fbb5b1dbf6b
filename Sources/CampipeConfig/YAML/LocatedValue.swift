package import CampipeKit

/// A value of a file with the place where it stands: the Kit's `Value`, with a mark for each key and value.
package struct LocatedValue: Hashable, Sendable {
    /// What stands there.
    package enum Content: Hashable, Sendable {
        case scalar(Value.Scalar)
        /// `!secret file:PATH`, not read yet; holds `file:PATH`.
        case secret(String)
        case list([LocatedValue])
        case map([Entry])
    }

    /// One key of a map with its value; keys are unique in their map.
    package struct Entry: Hashable, Sendable {
        package var key: String
        package var keyMark: Mark
        package var value: LocatedValue
    }

    package var content: Content
    package var mark: Mark
    /// Inside a template's copy: the camera's parameter that was put in here, whole or in part.
    package var parameterMark: Mark?
    /// Inside a template's copy: what its text is made of, where parameters were put into it.
    var parts: [FilledPart] = []
    /// What nothing was put in for.
    var leftOver: [LeftOver] = []

    package init(_ content: Content, _ mark: Mark) {
        self.content = content
        self.mark = mark
    }

    /// The plain value, without marks. A secret that could not be read is an empty secret text.
    package var value: Value {
        switch content {
        case .scalar(let scalar): .scalar(scalar)
        case .secret: .scalar(Value.Scalar("", isQuoted: true, isSecret: true))
        case .list(let elements): .list(elements.map(\.value))
        case .map(let entries): .map(Value.ValueMap(entries.map { Value.ValueMap.Entry($0.key, $0.value.value) }))
        }
    }

    package var isNull: Bool {
        if case .scalar(let scalar) = content { scalar.isNull } else { false }
    }

    /// The entries of a map; nil for anything else. Nothing (`sinks:` with no lines below) is an empty map.
    package var entries: [Entry]? {
        if case .map(let entries) = content { return entries }
        return isNull ? [] : nil
    }

    package subscript(key: String) -> LocatedValue? { entry(key)?.value }

    /// The entry of a map at a key; nil of anything else, and where there is none.
    package func entry(_ key: String) -> Entry? {
        if case .map(let entries) = content { entries.first { $0.key == key } } else { nil }
    }

    /// The text of a scalar that is not null; nil for anything else.
    package var text: String? {
        if case .scalar(let scalar) = content, !scalar.isNull { scalar.text } else { nil }
    }

    /// Whether one of these places is in it, or was put into it.
    func contains(anyOf marks: Set<Mark>) -> Bool {
        if marks.isEmpty { return false }
        if marks.contains(mark) || parameterMark.map(marks.contains) == true { return true }
        switch content {
        case .scalar, .secret: return false
        case .list(let elements): return elements.contains { $0.contains(anyOf: marks) }
        case .map(let entries): return entries.contains { $0.value.contains(anyOf: marks) }
        }
    }

    /// How many values this is made of, itself included.
    var nodeCount: Int {
        switch content {
        case .scalar, .secret: 1
        case .list(let elements): elements.reduce(1) { $0 + $1.nodeCount }
        case .map(let entries): entries.reduce(1) { $0 + $1.value.nodeCount }
        }
    }
}
