internal import CampipeKit

/// One `--set path=value` of the command line: a value that takes the place of what the file says.
package struct Override: Hashable, Sendable {
    /// `sinks.web.path`, `cameras.yard.url`.
    package let path: String
    /// A text as it is; a list in `[ ]`, a map in `{ }`, what stands in quotes and `!secret` are read as YAML.
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
    /// - Parameters:
    ///   - source: The number of the text that holds the value.
    ///   - others: All overrides of the command line: several may make one node together.
    func apply(to root: inout LocatedValue, source: Int, beside others: [Override] = []) -> YAMLReading {
        var reading = OverrideText(text).read(name: name, source: source)
        guard let value = reading.root else { return reading }
        let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let fix = unknownName(steps, in: root, others) {
            reading.diagnostics.append(
                Diagnostic(
                    .unknownInput, value.mark, "there is no \(fix.what) \"\(steps[1].prefix(80))\"", fix: fix.fix))
            return reading
        }
        let isPath = !steps.contains("") && steps.count <= YAMLReader.maximumDepth
        if !isPath || !Self.set(value, at: steps[...], in: &root) {
            reading.diagnostics.append(
                Diagnostic(
                    .unknownKey, value.mark, "there is no place \"\(path.prefix(200))\" in the file",
                    fix: "name keys from the top, such as sinks.web.path"))
        }
        return reading
    }

    /// What makes a thing of each section, so that a name which nobody has may be a new one.
    private static let makers = [
        "sources": "type", "transforms": "type", "sinks": "type", "cameras": "use", "templates": "params",
    ]

    /// Whether the path leads into a node or a camera that there is not, and that no override makes either.
    private func unknownName(
        _ steps: [String], in root: LocatedValue, _ others: [Override]
    ) -> (what: String, fix: String)? {
        guard steps.count > 2, let maker = Self.makers[steps[0]] else { return nil }
        let section = root[steps[0]] ?? LocatedValue(.map([]), Mark(0, 0))
        guard let names = section.entries?.map(\.key), !names.contains(steps[1]) else { return nil }
        let near = Nearest.match(steps[1], in: names)
        let whole = "\(steps[0]).\(steps[1])"
        if others.contains(where: { $0.path == whole || $0.path == "\(whole).\(maker)" }) { return nil }
        let what = ["cameras": "camera", "templates": "template"][steps[0]] ?? "node"
        let rest = steps.dropFirst(2).joined(separator: ".")
        if what == "node" {
            let sections = KnownKeys.sections.filter { root[$0]?.entry(steps[1]) != nil }
            if let other = sections.first { return (what, "did you mean \(other).\(steps[1]).\(rest)?") }
            if let slash = steps[1].firstIndex(of: "/"),
                let use = root["cameras"]?[String(steps[1][..<slash])]?["use"]?.text
            {
                let name = steps[1][steps[1].index(after: slash)...]
                return (what, "a template makes it: did you mean templates.\(use).\(steps[0]).\(name).\(rest)?")
            }
            // The nearest of its own section counts for more.
            let elsewhere = KnownKeys.sections.flatMap { name in root[name]?.entries?.map { (name, $0.key) } ?? [] }
            if near == nil, let other = Nearest.match(steps[1], in: elsewhere.map(\.1)),
                let found = elsewhere.first(where: { $0.1 == other })
            {
                return (what, "did you mean \(found.0).\(other).\(rest)?")
            }
        }
        if let near { return (what, "did you mean \(steps[0]).\(near).\(rest)?") }
        return (
            what,
            names.isEmpty
                ? "to make one, set \(whole)\(what == "template" ? " as a whole" : ".\(maker) too")"
                : Nearest.fix(steps[1], in: names)
        )
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
