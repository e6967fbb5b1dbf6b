internal import CampipeKit

/// One `--set path=value` of the command line: a value that takes the place of what the file says.
package struct Override: Hashable, Sendable {
    /// `sinks.web.path`, `cameras.yard.url`.
    package let path: String
    /// YAML, as it would stand in the file.
    package let text: String

    /// - Parameter name: What a diagnostic calls it; `--set PATH` when nil.
    package init(path: String, text: String, name: String? = nil) {
        self.path = path
        self.text = text
        self.name = name ?? "--set \(path)"
    }

    /// `path=value`; nil without an equals sign or a path before it.
    package init?(argument: String) {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), equals > argument.startIndex else {
            return nil
        }
        self.init(
            path: String(argument[..<equals]), text: String(argument[argument.utf8.index(after: equals)...]))
    }

    /// What a diagnostic calls the place.
    let name: String

    /// Puts the value into a tree, making maps on the way where there are none.
    ///
    /// - Parameter source: The number of the text that holds the value.
    func apply(to root: inout LocatedValue, source: Int) -> YAMLReading {
        var reading = YAMLReader.read(Array(text.utf8), name: name, source: source)
        if text.isEmpty {
            reading.root = LocatedValue(.scalar(Value.Scalar("", isQuoted: true)), Mark(source: source, 0, 0))
            reading.diagnostics = []
        }
        guard let value = reading.root else { return reading }
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isPath = !steps.contains("") && steps.count <= YAMLReader.maximumDepth
        if !isPath || !Self.set(value, at: steps[...], in: &root) {
            reading.diagnostics.append(
                Diagnostic(
                    .unknownKey, value.mark, "there is no place \"\(path.prefix(200))\" in the file",
                    fix: "name keys from the top, such as sinks.web.path"))
        }
        return reading
    }

    private static func set(_ value: LocatedValue, at steps: ArraySlice<String>, in place: inout LocatedValue) -> Bool {
        guard let step = steps.first else {
            place = value
            return true
        }
        if case .list(var elements) = place.content {
            guard let index = Int(step), elements.indices.contains(index) else { return false }
            guard set(value, at: steps.dropFirst(), in: &elements[index]) else { return false }
            place.content = .list(elements)
            return true
        }
        guard var entries = place.entries else { return false }
        if let index = entries.firstIndex(where: { $0.key == step }) {
            guard set(value, at: steps.dropFirst(), in: &entries[index].value) else { return false }
            if steps.count == 1 { entries[index].keyMark = value.mark }
        } else {
            var inner = LocatedValue(.map([]), value.mark)
            guard set(value, at: steps.dropFirst(), in: &inner) else { return false }
            entries.append(LocatedValue.Entry(key: step, keyMark: value.mark, value: inner))
        }
        place.content = .map(entries)
        return true
    }
}
