internal import CampipeKit

/// Finds what must not be shown: values of options that are declared secret, and values behind keys whose name says so.
enum SecretFinder {
    /// Adds what the file's tree and its nodes tell to what is known from `!secret`.
    static func redaction(
        _ known: Redaction, root: LocatedValue, drafts: [NodeDraft], places: PlaceFinder
    ) -> Redaction {
        var redaction = known
        redaction.isStructureKnown = true
        collect(root, isSecret: false, into: &redaction)
        for draft in drafts {
            for schema in draft.registrations.first?.descriptor.options ?? [] {
                guard let value = draft.options[schema.key] else { continue }
                collect(shapesIn: value, into: &redaction)
                collect(value, schema.type, draft.path.key(schema.key), places, into: &redaction)
            }
        }
        return redaction
    }

    /// By the names of keys.
    private static func collect(_ value: LocatedValue, isSecret: Bool, into redaction: inout Redaction) {
        switch value.content {
        case .scalar(let scalar):
            if isSecret, !scalar.isNull { redaction.hide(text: scalar.text, at: [value.mark]) }
        case .secret: break
        case .list(let elements):
            for element in elements { collect(element, isSecret: isSecret, into: &redaction) }
        case .map(let entries):
            for entry in entries {
                // A hash without quotes in braces ends at its commas; the rest of it stands as keys.
                if isSecret || HashText.isPiece(entry.key) {
                    redaction.hide(text: entry.key, at: [entry.keyMark])
                }
                collect(entry.value, isSecret: isSecret || SecretText.isSecretName(entry.key), into: &redaction)
            }
        }
    }

    /// By the shape of a URL: a password that a parameter or a variable put into it stands elsewhere too.
    private static func collect(shapesIn value: Value, into redaction: inout Redaction) {
        switch value {
        case .scalar(let scalar):
            for secret in SecretText.secrets(in: scalar.text) { redaction.hide(text: secret, at: []) }
        case .list(let elements): for element in elements { collect(shapesIn: element, into: &redaction) }
        case .map(let map): for entry in map.entries { collect(shapesIn: entry.value, into: &redaction) }
        }
    }

    /// By the declaration of an option.
    private static func collect(
        _ value: Value, _ type: OptionType, _ path: FaultPath, _ places: PlaceFinder, into redaction: inout Redaction
    ) {
        switch (type, value) {
        case (.secret, .scalar(let scalar)): redaction.hide(text: scalar.text, at: places.marks(of: path))
        case (.secret, _): redaction.hide(text: "", at: places.marks(of: path))
        case (.group(let schemas), .map(let map)):
            for schema in schemas {
                if let inner = map[schema.key] {
                    collect(inner, schema.type, path.key(schema.key), places, into: &redaction)
                }
            }
        case (.list(let element), .list(let elements)):
            for (index, inner) in elements.enumerated() {
                collect(inner, element, path.index(index), places, into: &redaction)
            }
        default: break
        }
    }
}
