internal import CampipeKit

/// Finds what must not be shown: values of options that are declared secret, and values behind keys whose name says so.
struct SecretFinder {
    private let names: SecretNames
    private let sources: [SourceText]
    /// Words of the format, which are no secret by themselves.
    private var words: Set<String>
    private(set) var redaction: Redaction
    /// The offsets of keys that are names of nodes or cameras.
    private var innocent: [UInt16: Set<UInt32>] = [:]

    /// - Parameters:
    ///   - known: What is known from `!secret`.
    ///   - root: The file's tree as written; nil where the text is no YAML.
    ///   - sources: The texts that marks speak of.
    init(_ known: Redaction, root: LocatedValue?, sources: [SourceText], registry: Registry) {
        redaction = known
        names = SecretNames(registry)
        self.sources = sources
        words = Set(registry.registrations.flatMap { $0.descriptor.options.map(\.key) })
        words.formUnion(KnownKeys.top + KnownKeys.sections.flatMap { KnownKeys.common(in: $0) } + ServerKeys.keys)
        words.formUnion(UserKeys.keys + ["input", "inputs", "true", "false", "null", "secret", "file"])
        if let root {
            for template in root["templates"]?.entries ?? [] {
                if case .list(let names)? = template.value["params"]?.content {
                    words.formUnion(names.compactMap(\.text))
                }
            }
            collect(root, isSecret: false, section: "")
            collectUsers(of: root)
            collectStreamKeys(of: root)
        }
        for (index, source) in sources.enumerated() {
            // An override says in its path what it is for.
            let regions = SecretLines.regions(
                of: source, source: index, names: names, isYAML: root != nil,
                innocent: innocent[UInt16(clamping: index)] ?? [])
            for region in regions { redaction.hide(region, except: words) }
        }
    }

    /// Adds what the nodes' options tell.
    mutating func add(_ drafts: [NodeDraft], places: PlaceFinder) {
        for draft in drafts {
            for schema in draft.registrations.first?.descriptor.options ?? [] {
                guard let value = draft.options[schema.key] else { continue }
                Self.collect(shapesIn: value, into: &redaction)
                Self.collect(value, schema.type, draft.path.key(schema.key), places, into: &redaction)
            }
        }
    }

    /// Adds what overrides put where a secret belongs.
    mutating func add(_ overrides: [Override]) {
        for (index, override) in overrides.enumerated() where names.contains(path: override.path) {
            let mark = Mark(source: index + 1, 0, override.text.unicodeScalars.count)
            redaction.hide(SecretLines.Region(mark: mark, text: override.text), except: words)
        }
    }

    /// By the names of keys.
    private mutating func collect(_ value: LocatedValue, isSecret: Bool, section: String) {
        switch value.content {
        case .scalar(let scalar):
            if isSecret, value.mark.end > value.mark.start { redaction.hide(text: scalar.text, at: [value.mark]) }
            if isSecret, let parameter = value.parameterMark { redaction.hide(text: scalar.text, at: [parameter]) }
            hideShapes(scalar.text, value.mark)
        case .secret: break
        case .list(let elements):
            for element in elements { collect(element, isSecret: isSecret, section: section) }
        case .map(let entries):
            for entry in entries {
                var isName = entry.value["type"] != nil || entry.value["use"] != nil
                if !section.isEmpty, case .map = entry.value.content { isName = true }
                if isName { innocent[entry.keyMark.source, default: []].insert(entry.keyMark.start) }
                // A hash without quotes in braces ends at its commas; the rest of it stands as keys.
                if isSecret && !isName || HashText.isPiece(entry.key) {
                    redaction.hide(text: entry.key, at: [entry.keyMark])
                }
                for secret in SecretText.secrets(in: entry.key) { redaction.hide(text: secret, at: []) }
                let isNamed = !isName && names.contains(entry.key)
                collect(
                    entry.value, isSecret: (isSecret && !isName) || isNamed,
                    section: section.isEmpty && KnownKeys.sections.contains(entry.key) ? entry.key : "")
            }
        }
    }

    /// A password where a user's keys are due.
    private mutating func collectUsers(of root: LocatedValue) {
        for user in root["server"]?["users"]?.entries ?? [] {
            if case .map = user.value.content { continue }
            collect(user.value, isSecret: true, section: "")
        }
    }

    /// Of where a sink goes the last part of the path may be what services know its owner by, however the scheme is spelt.
    private mutating func collectStreamKeys(of root: LocatedValue) {
        let bodies = [root] + (root["templates"]?.entries ?? []).map(\.value)
        for sink in bodies.flatMap({ $0["sinks"]?.entries ?? [] }) {
            guard let url = sink.value["url"], let text = url.text,
                !["rtsp://", "rtsps://", "http://", "https://", "srt://"].contains(where: text.lowercased().hasPrefix)
            else { continue }
            let path = text.prefix { $0 != "?" && $0 != "#" }
            guard let key = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).dropFirst().last else { continue }
            redaction.hide(text: String(key), at: key.utf8.count < 4 ? [url.mark] : [])
        }
    }

    /// A URL over several lines is no URL in any of them.
    private mutating func hideShapes(_ text: String, _ mark: Mark) {
        guard text.utf8.contains(UInt8(ascii: "@")) || text.utf8.contains(UInt8(ascii: "=")),
            Int(mark.source) < sources.count
        else { return }
        let source = sources[Int(mark.source)]
        guard source.lineIndex(of: Int(mark.start)) != source.lineIndex(of: Int(mark.end)),
            !SecretText.ranges(in: Array(text.unicodeScalars)).isEmpty
        else { return }
        redaction.hide(text: "", at: [mark])
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
