internal import CampipeKit

/// Turns a fault's path into the place in the text.
struct PlaceFinder: Sendable {
    private struct Node: Sendable {
        var keyMark: Mark
        var value: LocatedValue
        var camera: CameraUse?
    }

    /// The file's tree, for paths that lead to no node.
    private let root: LocatedValue?
    private var nodes: [String: Node] = [:]
    private let defaults: Mark?
    /// Values that could not be filled in; what follows from them is not shown.
    private let broken: Set<Mark>
    private let sources: [SourceText]

    /// Finds nothing: for a file that could not be read.
    init() { self.init(root: nil, drafts: [], broken: [], sources: []) }

    /// - Parameter sources: The texts that marks speak of, for places inside a value.
    init(root: LocatedValue?, drafts: [NodeDraft], broken: Set<Mark>, sources: [SourceText]) {
        self.root = root
        self.broken = broken
        self.sources = sources
        defaults = root?["defaults"]?.mark
        for draft in drafts where nodes[draft.path.description] == nil {
            nodes[draft.path.description] = Node(keyMark: draft.keyMark, value: draft.value, camera: draft.camera)
        }
    }

    /// The fault at its place; nil when it only follows from a value that is reported already.
    func diagnostic(of fault: Fault) -> Diagnostic? {
        let place = place(of: fault.path, fault.part, fault.span)
        if place.isBroken, fault.severity == .error { return nil }
        var related = place.related
        if let path = fault.related, let mark = self.place(of: path, path.steps.count == 2 ? .key : .value).mark,
            mark != place.mark
        {
            related.append(Diagnostic.Related(mark, Self.note(for: fault.code)))
        }
        return Diagnostic(
            fault.code, place.mark, fault.sentence, fix: fault.fix, severity: fault.severity, related: related,
            path: fault.path)
    }

    /// What a fault's related place is.
    private static func note(for code: FaultCode) -> String {
        switch code {
        case .pathInUse, .duplicateKey, .duplicateID: "the other one is here"
        case .maskBypassed: "the masked branch is here"
        case .switchedOff: "it is switched off here"
        case .unknownInput, .ambiguousOutput, .wrongKindOfItem, .formatMismatch, .codedTwice:
            "the node that is named stands here"
        default: "this belongs to it"
        }
    }

    /// The marks of a value for redaction: where it stands, and the parameters that were put in.
    func marks(of path: FaultPath) -> [Mark] {
        guard let found = find(path), found.rest.isEmpty, let value = found.value else { return [] }
        return [value.mark] + (value.parameterMark.map { [$0] } ?? []) + FilledPart.parameters(in: value.parts)
    }

    private struct Place {
        var mark: Mark?
        var related: [Diagnostic.Related] = []
        var isBroken = false
    }

    private struct Found {
        var keyMark: Mark?
        var value: LocatedValue?
        var rest: ArraySlice<FaultPath.Step>
        var node: Node?
        /// Inside a parameter that is a list or a map: where the template uses it.
        var use: Mark?
    }

    /// - Parameter span: The characters of the text there that are meant; nil is all of it.
    private func place(of path: FaultPath, _ part: Fault.Part, _ span: Range<Int>? = nil) -> Place {
        guard let found = find(path) else { return Place() }
        var place = Place()
        let isEmpty = found.value.map { $0.mark.start == $0.mark.end } ?? true
        if !found.rest.isEmpty || part == .key || isEmpty {
            place.mark = found.keyMark ?? found.value?.mark
        } else {
            place.mark = found.value?.mark
        }
        if let value = found.value { place.isBroken = broken.contains(value.mark) }
        if let value = found.value, found.rest.isEmpty, part == .value, !isEmpty {
            narrow(&place, to: span, of: value)
        }
        if place.related.isEmpty {
            if let use = found.use {
                place.related.append(Diagnostic.Related(use, Self.useNote))
            } else if let camera = found.node?.camera {
                place.related.append(Diagnostic.Related(camera.mark, "for the camera \"\(camera.name)\""))
            }
        }
        if let defaults, let mark = place.mark, let node = found.node, mark.source == defaults.source,
            (defaults.start..<defaults.end).contains(mark.start)
        {
            place.related = [Diagnostic.Related(node.keyMark, "a node that it is the default for")]
        }
        return place
    }

    private static let useNote = "the template uses it here"

    /// From a value to what has to be changed: what a camera gave for it, or the part of its text that is meant.
    private func narrow(_ place: inout Place, to span: Range<Int>?, of value: LocatedValue) {
        if let span, let text = value.text, let (part, start) = FilledPart.part(of: value.parts, with: span) {
            let inner = (span.lowerBound - start)..<(span.upperBound - start)
            switch part.origin {
            case .written(let first):
                let written = (first + inner.lowerBound)..<(first + inner.upperBound)
                place.mark = SpanInText(span, of: text)?.mark(at: written, in: value.mark, sources) ?? value.mark
                return
            case .parameter(let parameter):
                if broken.contains(parameter) { place.isBroken = true }
                place.related.append(Diagnostic.Related(value.mark, Self.useNote))
                let given = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(start).prefix(part.length)))
                place.mark = SpanInText(inner, of: given)?.mark(in: parameter, sources) ?? parameter
                return
            case .other: return
            }
        }
        let parameters = FilledPart.parameters(in: value.parts)
        if broken.contains(where: parameters.contains) { place.isBroken = true }
        if parameters.count > 1 {
            // Which of them is wrong, or the text around them, cannot be told.
            place.related += parameters.map { Diagnostic.Related($0, "a part of it is given here") }
            return
        }
        if let parameter = value.parameterMark {
            if broken.contains(parameter) { place.isBroken = true }
            place.related.append(Diagnostic.Related(value.mark, Self.useNote))
            place.mark = parameter
        }
        if let span, let mark = place.mark, let text = value.text {
            place.mark = SpanInText(span, of: text)?.mark(in: mark, sources) ?? mark
        }
    }

    private func find(_ path: FaultPath) -> Found? {
        var rest = path.steps[...]
        var found: Found
        if rest.count >= 2, case .key(let section) = rest[0], case .key(let id) = rest[1],
            let node = nodes["\(section).\(id)"]
        {
            rest = rest.dropFirst(2)
            found = Found(keyMark: node.keyMark, value: node.value, rest: rest, node: node)
        } else if let root {
            found = Found(keyMark: nil, value: root, rest: rest, node: nil)
            if rest.isEmpty { return nil }
        } else {
            return nil
        }
        while let step = found.rest.first {
            guard let next = Self.next(step, in: found.value) else { break }
            if let value = found.value, value.parameterMark != nil { found.use = value.mark }
            found.keyMark = next.keyMark
            found.value = next.value
            found.rest = found.rest.dropFirst()
        }
        return found.keyMark == nil && found.node == nil ? nil : found
    }

    private static func next(_ step: FaultPath.Step, in value: LocatedValue?) -> (keyMark: Mark, value: LocatedValue)? {
        switch (step, value?.content) {
        case (.key(let key), .map(let entries)):
            entries.first { $0.key == key }.map { ($0.keyMark, $0.value) }
        case (.index(let index), .list(let elements)) where elements.indices.contains(index):
            (elements[index].mark, elements[index])
        default: nil
        }
    }
}
