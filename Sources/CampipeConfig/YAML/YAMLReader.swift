internal import CampipeKit

/// Reads YAML text into a tree of located values, with limits of our own.
///
/// Anything may stand in the text: reading ends in time that grows with its length only, within 64 MiB. All faults that
/// do not hide the structure are collected; the tree is nil when there is none to go on with.
package struct YAMLReader {
    /// The deepest nesting of lists and maps, aliases counted as if written out.
    package static let maximumDepth = 32
    /// The most values of one text, aliases counted as if written out.
    package static let maximumValues = 50_000
    /// The most keys of one map.
    package static let maximumKeys = 10_000

    private let text: SourceText
    private let quoted: QuotedText
    private let source: Int
    private let parser: YAMLEventParser
    private var anchors = AnchorTable()
    private var valuesLeft = Self.maximumValues
    private var indentation = IndentationCheck()
    private var diagnostics: [Diagnostic] = []
    /// Values that could not be told, so that nothing need be said of what follows from them.
    private var broken: Set<Mark> = []
    /// Whether what is read stands behind a key whose name says that it is secret: then no sentence names it.
    private var isSecret = false
    /// What libyaml could not go on from.
    private var problem: YAMLProblem?

    /// The tree with the size that limits are made of.
    private struct Node {
        var value: LocatedValue
        var height: Int
    }

    /// Ends the reading; the reason is in `diagnostics`.
    private struct Stop: Error {}

    private init(_ quoted: QuotedText, source: Int) {
        text = quoted.text
        self.quoted = quoted
        self.source = source
        parser = YAMLEventParser(quoted.bytes)
    }

    /// Reads a text. What YAML misreads for want of quotes is reported, quoted, and read again, so that it hides no other
    /// fault.
    ///
    /// - Parameters:
    ///   - raw: The bytes of the file.
    ///   - source: The number that the marks carry.
    package static func read(_ raw: [UInt8], name: String, source: Int = 0) -> YAMLReading {
        let (text, unreadable) = TextCheck.check(raw, name: name, source: source)
        if let unreadable { return YAMLReading(text: text, root: nil, diagnostics: [unreadable]) }
        var quoted = QuotedText(text)
        var misread: [Diagnostic] = []
        var guesses: Set<Mark> = []
        while true {
            var reader = YAMLReader(quoted, source: source)
            let root = reader.readDocument()
            var found = misread + reader.diagnostics
            if let problem = reader.problem {
                let problemText = YAMLProblemText(text, source: source)
                if let long = problemText.longKey(problem) {
                    return YAMLReading(
                        text: text, root: root, diagnostics: found + [long], broken: reader.broken.union(guesses))
                }
                if let slip = problemText.missingBlank(problem), quoted.insert(" ", at: slip.place) {
                    misread.append(slip.diagnostic)
                    continue
                }
                if let slip = problemText.missingColon(problem), quoted.insert(":", at: slip.place) {
                    misread.append(slip.diagnostic)
                    if let rest = slip.rest { guesses.insert(Mark(source: source, rest.lowerBound, rest.upperBound)) }
                    continue
                }
                if let slip = problemText.trailing(problem), quoted.insert(" #", at: slip.place) {
                    misread.append(slip.diagnostic)
                    continue
                }
                if let mistake = problemText.misquoted(problem), quoted.quote(mistake.value) {
                    misread.append(mistake.diagnostic)
                    if mistake.isGuess {
                        guesses.insert(Mark(source: source, mistake.value.lowerBound, mistake.value.upperBound))
                    }
                    continue
                }
                // On the line of a value that was quoted here, it most likely follows from how that was done.
                let line = text.lineIndex(of: problem.place)
                if !quoted.ranges.contains(where: { text.lineIndex(of: $0.lowerBound) == line }) {
                    found.append(problemText.diagnostic(of: problem))
                }
            }
            return YAMLReading(text: text, root: root, diagnostics: found, broken: reader.broken.union(guesses))
        }
    }

    private mutating func readDocument() -> LocatedValue? {
        do {
            _ = try next()
            guard case .documentStart = try next().kind else {
                report(.emptyFile, nil, "the file is empty", fix: "begin with \"version: 1\"")
                return nil
            }
            let root = try readNode(try next(), depth: 0).value
            diagnostics += anchors.warnings
            _ = try next()
            let last = try next()
            if case .documentStart = last.kind {
                report(
                    .severalDocuments, mark(last), "a second document begins here",
                    fix: "put each pipeline into a file of its own; delete this ---")
            }
            if root.isNull {
                report(.emptyFile, nil, "the file is empty", fix: "begin with \"version: 1\"")
                return nil
            }
            return root
        } catch {
            return nil
        }
    }

    // MARK: - Nodes

    private mutating func readNode(_ event: YAMLEvent, depth: Int) throws(Stop) -> Node {
        try spend(1, at: event)
        indentation.check(event, in: text, source: source, into: &diagnostics)
        if let anchor = event.anchor { anchors.open(anchor) }
        let before = valuesLeft
        let node: Node
        switch event.kind {
        case .alias(let name): return try alias(name, event, depth: depth)
        case .scalar(let text, let isQuoted): node = Node(value: scalar(text, isQuoted: isQuoted, event), height: 0)
        case .listStart: node = try readList(event, depth: depth + 1)
        case .mapStart:
            if let text = doubleBraces(event) {
                node = try readDoubleBraces(text, event, depth: depth + 1)
            } else {
                node = try readMap(event, depth: depth + 1)
            }
        default: throw Stop()
        }
        if let anchor = event.anchor {
            anchors.close(anchor, AnchorTable.Value(node.value, count: before - valuesLeft + 1, height: node.height))
            if let nothing = anchors.note(anchor, of: node.value) {
                diagnostics.append(nothing)
                broken.insert(node.value.mark)
            }
        }
        return node
    }

    /// `password: abc #def`: the end is a comment to YAML, and most likely was meant as part of the password.
    private mutating func withComment(_ value: LocatedValue, of key: String) -> LocatedValue {
        guard case .scalar(let scalar) = value.content, !scalar.isQuoted, !scalar.text.isEmpty,
            SecretText.isSecretName(key)
        else { return value }
        let line = text.lineIndex(of: Int(value.mark.end))
        let characters = text.line(line)
        let behind = characters.dropFirst(Int(value.mark.end) - text.start(ofLine: line))
        let comment = behind.drop { $0 == " " || $0 == "\t" }
        guard comment.startIndex > behind.startIndex, comment.first == "#", let next = comment.dropFirst().first,
            ![" ", "\t", "#"].contains(next)
        else { return value }
        // What is most likely half of a password is hidden as all of it.
        var value = value
        value.mark = Mark(source: source, Int(value.mark.start), text.start(ofLine: line) + characters.count)
        diagnostics.append(
            Diagnostic(
                .quoteIt, value.mark, "the value of \"\(key)\" ends before the #, where YAML begins a comment",
                fix: "quote the value if the # belongs to it; else write a blank behind the #", severity: .warning))
        return value
    }

    private mutating func readList(_ start: YAMLEvent, depth: Int) throws(Stop) -> Node {
        try checkDepth(depth, at: start)
        refuseTag(of: start)
        var elements: [LocatedValue] = []
        var height = 0
        while true {
            let event = try next()
            if case .listEnd = event.kind {
                let mark = Mark(source: source, start.start, trimmedEnd(event, elements.last?.mark))
                return Node(value: LocatedValue(.list(elements), mark), height: height + 1)
            }
            let element = try readNode(event, depth: depth)
            height = max(height, element.height)
            elements.append(element.value)
        }
    }

    private mutating func readMap(_ start: YAMLEvent, depth: Int) throws(Stop) -> Node {
        try checkDepth(depth, at: start)
        refuseTag(of: start)
        var entries: [LocatedValue.Entry] = []
        var places: [String: Mark] = [:]
        var merged: [LocatedValue] = []
        var height = 0
        while true {
            let event = try next()
            if case .mapEnd = event.kind {
                try merge(merged, into: &entries, places, at: start)
                let mark = Mark(source: source, start.start, trimmedEnd(event, entries.last?.value.mark))
                return Node(value: LocatedValue(.map(entries), mark), height: height + 1)
            }
            let key = try readKey(event, depth: depth)
            let wasSecret = isSecret
            isSecret = isSecret || key.map(SecretText.isSecretName) == true
            let node = try readNode(try next(), depth: depth)
            isSecret = wasSecret
            height = max(height, node.height)
            if isMergeKey(event) { merged.append(node.value) }
            guard var key else { continue }
            var keyMark = mark(event)
            var value = withComment(node.value, of: key)
            // Behind a password without quotes it may be the end of that.
            let isPiece = entries.last.map { SecretText.isSecretName($0.key) } ?? false
            if let split = split(key, event, value, isPiece: isPiece) { (key, keyMark, value) = split }
            if let first = places[key] {
                report(
                    .duplicateKey, keyMark, "the key \"\(key.prefix(80))\" stands twice in one map", fix: "delete one",
                    related: [Diagnostic.Related(first, "the first one is here")])
                continue
            }
            guard entries.count < Self.maximumKeys else {
                report(.tooLarge, keyMark, "a map holds more than \(Self.maximumKeys) keys", fix: "split the file")
                throw Stop()
            }
            places[key] = keyMark
            entries.append(LocatedValue.Entry(key: key, keyMark: keyMark, value: value))
        }
    }

    /// `{type:camera}`, and `cam:{type: camera}`: what the key and the value would be with the blank that is missing.
    private mutating func split(
        _ key: String, _ event: YAMLEvent, _ value: LocatedValue, isPiece: Bool
    ) -> (String, Mark, LocatedValue)? {
        guard case .scalar(_, isQuoted: false) = event.kind else { return nil }
        if let wide = key.firstIndex(of: "\u{FF1A}"), value.isNull, value.mark.start == value.mark.end {
            let name = String(key[..<wide])
            let colon = event.start + name.unicodeScalars.count
            diagnostics.append(.wideColon(Mark(source: source, colon, colon + 1)))
            let rest = key[key.index(after: wide)...].drop { $0 == " " }
            return (
                name, Mark(source: source, event.start, colon),
                LocatedValue(
                    .scalar(Value.Scalar(String(rest), isQuoted: false)), Mark(source: source, colon + 1, event.end))
            )
        }
        let isBare =
            !isPiece && value.isNull && value.mark.start == value.mark.end && Int(value.mark.start) == event.end
        guard
            let slip = MissingBlank(key) ?? (isBare ? MissingBlank(withoutColon: key, isPiece: true) : nil)
        else { return nil }
        let isMap = slip.rest.hasPrefix("{") || slip.rest.hasPrefix("[")
        guard isMap || value.isNull && value.mark.start == value.mark.end else { return nil }
        diagnostics.append(slip.diagnostic(mark(event)))
        let colon = event.start + slip.key.unicodeScalars.count
        let rest = Mark(source: source, event.end - slip.rest.unicodeScalars.count, event.end)
        if isMap { broken.insert(rest) }
        return (
            slip.key, Mark(source: source, event.start, colon),
            LocatedValue(.scalar(Value.Scalar(isMap ? "" : slip.rest, isQuoted: isMap)), rest)
        )
    }

    /// `{{ url }}` without quotes, as other tools' templates have it: a map with a map for a key to YAML.
    private func doubleBraces(_ start: YAMLEvent) -> String? {
        let line = text.lineIndex(of: start.start)
        let rest = text.line(line).dropFirst(start.start - text.start(ofLine: line))
        guard rest.prefix(2).elementsEqual(["{", "{"]),
            let end = zip(rest.indices, zip(rest, rest.dropFirst())).first(where: { $0.1.0 == "}" && $0.1.1 == "}" })
        else { return nil }
        return String(String.UnicodeScalarView(rest[...(end.0 + 1)]))
    }

    private mutating func readDoubleBraces(_ text: String, _ start: YAMLEvent, depth: Int) throws(Stop) -> Node {
        let before = diagnostics.count
        let end = try readMap(start, depth: depth).value.mark.end
        diagnostics.removeSubrange(before...)
        let mark = Mark(source: source, start.start, Int(end))
        let single = LeftOver.singled(text)
        report(
            .quoteIt, mark, "{{ }} is of other tools' templates: it is a map in a map to YAML, and nothing fills it in",
            fix: (isSecret || single == text ? "" : "write \"\(single)\" for a parameter of a template; else ")
                + "write the value itself, or \"${NAME}\" for a variable of the environment")
        broken.insert(mark)
        return Node(value: LocatedValue(.scalar(Value.Scalar("", isQuoted: true)), mark), height: 0)
    }

    private func isMergeKey(_ event: YAMLEvent) -> Bool {
        if case .scalar("<<", isQuoted: false) = event.kind { true } else { false }
    }

    /// What `<<` would have meant, so that nothing is called missing for want of it.
    private mutating func merge(
        _ merged: [LocatedValue], into entries: inout [LocatedValue.Entry], _ places: [String: Mark],
        at start: YAMLEvent
    ) throws(Stop) {
        var known = Set(places.keys)
        for value in merged {
            var maps = [value]
            if case .list(let elements) = value.content { maps = elements }
            for case .map(let further) in maps.map(\.content) {
                for entry in further where known.insert(entry.key).inserted {
                    try spend(entry.value.nodeCount, at: start)
                    entries.append(entry)
                }
            }
        }
    }

    /// The text of a key; nil when it is no key of ours, which is reported.
    private mutating func readKey(_ event: YAMLEvent, depth: Int) throws(Stop) -> String? {
        guard case .scalar(let written, let isQuoted) = event.kind else {
            _ = try readNode(event, depth: depth)
            report(.wrongKind, mark(event), "a key must be a word", fix: "quote it if it is text")
            return nil
        }
        indentation.check(event, in: self.text, source: source, into: &diagnostics)
        refuseTag(of: event)
        if let anchor = event.anchor {
            let value = scalar(written, isQuoted: isQuoted, event)
            anchors.close(anchor, AnchorTable.Value(value, count: 1, height: 0))
        }
        if written == "<<", !isQuoted {
            report(
                .mergeKey, mark(event), "the merge key << is not part of a pipeline file",
                fix: "use \"defaults:\" for options by type, or a template with \"cameras:\"")
            return nil
        }
        let text = isQuoted ? written : reading(event) { $0.seen(written) }
        if text.isEmpty {
            report(
                .wrongKind, mark(event), "a key is missing before the colon",
                fix: "write a key, or delete the line")
            return nil
        }
        return text
    }

    private mutating func scalar(_ text: String, isQuoted: Bool, _ event: YAMLEvent) -> LocatedValue {
        reading(event) { $0.value(text, isQuoted: isQuoted) }
    }

    private mutating func refuseTag(of event: YAMLEvent) { reading(event) { $0.refuseTag() } }

    private mutating func reading<Result>(_ event: YAMLEvent, _ body: (inout ScalarReading) -> Result) -> Result {
        var reading = ScalarReading(event, source: source, isSecret: isSecret)
        let result = body(&reading)
        diagnostics += reading.diagnostics
        if reading.isBroken { broken.insert(mark(event)) }
        return result
    }

    private mutating func alias(_ name: String, _ event: YAMLEvent, depth: Int) throws(Stop) -> Node {
        switch anchors.named(name) {
        case .closed(let known)?:
            try spend(
                known.count - 1, at: event,
                fix:
                    "name fewer things by aliases: \(isSecret ? "this one" : "*\(name.prefix(80))") stands for "
                    + "\(known.count) values each time")
            try checkDepth(depth + known.height, at: event)
            return Node(value: known.value, height: known.height)
        case .open?:
            report(
                .aliasCycle, mark(event),
                "\(isSecret ? "the alias" : "*\(name.prefix(80))") stands inside what it means",
                fix: "write the value out")
        case nil where isSecret:
            report(
                .unknownAlias, mark(event),
                "YAML reads a value that begins with * as an alias, and there is none of it",
                fix: "quote the whole value")
        case nil:
            report(
                .unknownAlias, mark(event),
                "YAML reads *\(name.prefix(80)) as an alias, and there is no &\(name.prefix(80))",
                fix: "quote it if it is a pattern: \"*\(name.prefix(80))\"")
        }
        broken.insert(mark(event))
        return Node(value: LocatedValue(.scalar(Value.Scalar("", isQuoted: true)), mark(event)), height: 0)
    }

    // MARK: - Limits and faults

    private mutating func next() throws(Stop) -> YAMLEvent {
        do throws(YAMLProblem) {
            var event = try parser.next()
            event.start = quoted.written(event.start)
            event.end = quoted.written(event.end)
            return event
        } catch {
            problem = error
            problem?.place = quoted.written(error.place)
            problem?.contextPlace = quoted.written(error.contextPlace)
            throw Stop()
        }
    }

    private mutating func spend(
        _ count: Int, at event: YAMLEvent, fix: String = "use a template with one line for each camera"
    ) throws(Stop) {
        valuesLeft -= count
        if valuesLeft >= 0 { return }
        report(
            .tooLarge, mark(event), "the file holds more than \(Self.maximumValues) values, aliases written out",
            fix: fix)
        throw Stop()
    }

    private mutating func checkDepth(_ depth: Int, at event: YAMLEvent) throws(Stop) {
        if depth <= Self.maximumDepth { return }
        report(
            .tooDeep, mark(event), "lists and maps are nested more than \(Self.maximumDepth) deep",
            fix: "close the [ or { that is still open; nothing in a pipeline needs more than a few levels")
        throw Stop()
    }

    private mutating func report(
        _ code: FaultCode, _ mark: Mark?, _ sentence: String, fix: String, related: [Diagnostic.Related] = []
    ) {
        diagnostics.append(Diagnostic(code, mark, sentence, fix: fix, related: related))
    }

    private func mark(_ event: YAMLEvent) -> Mark { Mark(source: source, event.start, event.end) }

    /// The end of a list or a map: a block's end event stands at the next token, often lines later.
    private func trimmedEnd(_ end: YAMLEvent, _ last: Mark?) -> Int {
        end.end > end.start ? end.end : last.map { Int($0.end) } ?? end.start
    }
}
