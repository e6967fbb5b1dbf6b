/// The secrets that a node was given, so that nothing that it says or throws shows them.
///
/// `SecretText` knows secrets by their shape; these are known by name: a token in the path of a URL has none.
package struct KnownSecrets: Sendable, Equatable {
    private let texts: [String]

    /// Those in a node's options: what came from `!secret`, and the options that are marked secret.
    package init(_ options: Value.ValueMap, _ schemas: [OptionSchema] = []) {
        var found: Set<String> = []
        Self.collect(.map(options), .group(schemas), into: &found)
        // The longest first: one may be a part of another.
        texts = found.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
    }

    private static func collect(_ value: Value, _ type: OptionType?, into found: inout Set<String>) {
        switch value {
        case .scalar(let scalar):
            guard scalar.isSecret || type?.isSecret == true else { return }
            for part in parts(of: scalar.text) where part.utf8.count >= 4 { found.insert(part) }
        case .list(let values):
            let element: OptionType? = if case .list(let element) = type { element } else { type }
            for value in values { collect(value, element, into: &found) }
        case .map(let map):
            for entry in map.entries {
                let inner: OptionType? =
                    switch type {
                    case .group(let schemas): schemas.first { $0.key == entry.key }?.type
                    case .map(let element): element
                    default: type
                    }
                collect(entry.value, inner, into: &found)
            }
        }
    }

    /// A secret as it may appear: of a URL also what stands behind its host, since errors write the rest in other ways.
    private static func parts(of secret: String) -> [String] {
        guard let scheme = secret.firstRange(of: "://"),
            let slash = secret[scheme.upperBound...].firstIndex(of: "/")
        else { return [secret] }
        return [secret, String(secret[secret.index(after: slash)...])]
    }

    /// The text without them. A secret under four characters is too much like anything else.
    package func hidden(_ text: String) -> String {
        var text = text
        for secret in texts where text.contains(secret) { text = text.replacing(secret, with: SecretText.stars) }
        return text
    }

    /// The log without them.
    package func hidden(_ log: Log) -> Log { texts.isEmpty ? log : log.rewriting(hidden) }

    /// Any error as one of campipe's, without them.
    package func hidden(_ error: any Error) -> CampipeError {
        var error = error as? CampipeError ?? CampipeError(.failed, "\(error)")
        guard !texts.isEmpty else { return error }
        error.message = hidden(error.message)
        error.fix = error.fix.map { hidden($0) }
        error.cause = error.cause.map { hidden($0) as CampipeError }
        for index in error.context.indices { error.context[index].value = hidden(error.context[index].value) }
        return error
    }
}
