internal import CampipeKit

/// Fills in what a value takes from elsewhere: `${VAR}` and `${VAR:-default}` from the environment, `!secret file:PATH`
/// from a file, and inside a template `{camera}` and `{parameter}`.
///
/// One pass over the text as written: what is put in is never looked at again, neither for variables nor as YAML.
/// `$${` is a literal `${`. Braces that name no parameter stay as they are, for the node that knows its fields.
struct Substitution {
    /// How many values and bytes all copies of all templates may have together.
    static let maximumValues = 100_000
    static let maximumBytes = 4 << 20

    private let surroundings: Surroundings
    private var valuesLeft = Self.maximumValues
    private var bytesLeft = Self.maximumBytes
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var redaction = Redaction()
    /// What was taken from the environment, in order.
    private(set) var uses: [VariableUse] = []
    /// Values that could not be filled in: what follows from them need not be reported.
    private(set) var broken: Set<Mark> = []
    /// How many of the maps around the value at hand say that they are off.
    private var offDepth = 0

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// Whether the limits are used up; reported once.
    var isExhausted: Bool { valuesLeft < 0 || bytesLeft < 0 }

    /// The value with all that it names put in. What a map with `enabled: false` lacks is told, and is no error: a camera
    /// may be parked until its password is there.
    ///
    /// - Parameter isOff: Whether what it belongs to is off.
    mutating func applied(
        to value: LocatedValue, parameters: [String: LocatedValue] = [:], isOff: Bool = false
    ) -> LocatedValue {
        if isOff { offDepth += 1 }
        defer { if isOff { offDepth -= 1 } }
        guard spend(values: 1, bytes: 0, at: value.mark) else {
            broken.insert(value.mark)
            return value
        }
        var result = value
        switch value.content {
        case .list(let elements):
            result.content = .list(elements.map { applied(to: $0, parameters: parameters) })
        case .map(let entries):
            let place = entries.firstIndex { $0.key == "enabled" }
            let enabled = place.map { applied(to: entries[$0].value, parameters: parameters) }
            let isOff = enabled.map(Self.isFalse) ?? false
            result.content = .map(
                entries.enumerated().map { index, entry in
                    var entry = entry
                    if index == place, let enabled {
                        entry.value = enabled
                    } else {
                        entry.value = applied(to: entry.value, parameters: parameters, isOff: isOff)
                    }
                    return entry
                })
        case .secret(let reference):
            result.content = .scalar(secret(reference, value.mark, parameters))
        case .scalar(let scalar):
            result.leftOver = LeftOver.all(in: scalar.text, at: value.mark) { parameters[$0] != nil }
            if let whole = wholeParameter(scalar.text, parameters) {
                guard spend(values: whole.nodeCount, bytes: 0, at: value.mark) else { return value }
                result.content = whole.content
                result.leftOver = whole.leftOver
                result.parameterMark = whole.parameterMark ?? whole.mark
                if broken.contains(whole.mark) { broken.insert(value.mark) }
            } else if let filled = filled(scalar.text, value.mark, parameters) {
                result.content = .scalar(
                    Value.Scalar(filled.text, isQuoted: true, isSecret: scalar.isSecret || filled.isSecret))
                result.parameterMark = filled.parameterMark
                result.parts = filled.parts
                result.leftOver += filled.leftOver
            }
        }
        return result
    }

    /// Says that the value at a place cannot be told, nor what it is put into.
    mutating func forget(_ mark: Mark) { broken.insert(mark) }

    private static func isFalse(_ value: LocatedValue) -> Bool {
        var faults: [Fault] = []
        return Bool.read(value.value, at: .root, into: &faults) == false
    }

    // MARK: - Text

    private struct Filled {
        var text: String
        var isSecret = false
        var parameterMark: Mark?
        /// What nothing was put in for in the parameters that were put in.
        var leftOver: [LeftOver] = []
        /// What it is made of; nothing where that is more than anyone wrote by hand.
        var parts: [FilledPart] { allParts.count <= Self.mostParts ? allParts : [] }
        private var allParts: [FilledPart] = []
        private static let mostParts = 64

        init() { text = "" }

        /// - Parameter length: In Unicode scalars.
        mutating func append(_ length: Int, _ origin: FilledPart.Origin) {
            if length > 0, allParts.count <= Self.mostParts {
                allParts.append(FilledPart(length: length, origin: origin))
            }
        }
    }

    /// The parameter that a text consists of: then a list, a map or a number stays what it is.
    private func wholeParameter(_ text: String, _ parameters: [String: LocatedValue]) -> LocatedValue? {
        guard !parameters.isEmpty, text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
        return parameters[String(text.dropFirst().dropLast())]
    }

    /// The text with all that it names put in; nil when it names nothing.
    private mutating func filled(_ text: String, _ mark: Mark, _ parameters: [String: LocatedValue]) -> Filled? {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "{")) else { return nil }
        let usesBefore = uses.count
        var output: [UInt8] = []
        var result = Filled()
        var index = 0
        // Where the text begins that is taken as it stands, in bytes and in characters.
        var (written, place) = (0, 0)
        while index < bytes.count {
            let rest = bytes[index...]
            let filled: (text: [UInt8], end: Int, origin: FilledPart.Origin)
            if rest.starts(with: "$${".utf8) {
                filled = (Array("${".utf8), index + 3, .other)
            } else if rest.starts(with: "${".utf8) {
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    report(
                        .invalidValue, mark, "\"${\" is not closed by \"}\"", fix: VariableFix.closing(rest),
                        isBroken: true
                    )
                    return nil
                }
                filled = (variable(Array(bytes[(index + 2)..<end]), mark), end + 1, .other)
            } else if let (name, end) = Self.parameterName(rest), let parameter = parameters[name] {
                let text = parameterText(parameter, name: name, mark, &result)
                filled = (
                    Array(text.utf8), end,
                    name == "camera" ? .other : .parameter(parameter.parameterMark ?? parameter.mark)
                )
            } else {
                index += 1
                continue
            }
            let length = Self.scalars(in: bytes[written..<index])
            result.append(length, .written(place))
            result.append(Self.scalars(in: filled.text[...]), filled.origin)
            output += bytes[written..<index] + filled.text
            place += length + Self.scalars(in: bytes[index..<filled.end])
            (index, written) = (filled.end, filled.end)
            guard output.count <= bytesLeft else {
                _ = spend(values: 0, bytes: output.count, at: mark)
                broken.insert(mark)
                return nil
            }
        }
        result.append(Self.scalars(in: bytes[written...]), .written(place))
        output += bytes[written...]
        guard written > 0, spend(values: 0, bytes: output.count, at: mark) else { return nil }
        result.text = String(decoding: output, as: UTF8.self)
        for index in usesBefore..<uses.count { uses[index].text = result.text }
        return result
    }

    /// The names in braces in a text, whether or not they are anything's.
    static func names(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return bytes.indices.compactMap { parameterName(bytes[$0...]).map { trimmed($0.name) } }
    }

    /// `{ url }` is no parameter, but meant as one.
    static func trimmed(_ name: String) -> String {
        String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// How many characters (Unicode scalars) UTF-8 has.
    private static func scalars(in bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }

    /// The name in the braces that a text begins with, and what is behind them.
    static func parameterName(_ rest: ArraySlice<UInt8>) -> (name: String, end: Int)? {
        guard rest.first == UInt8(ascii: "{") else { return nil }
        let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "{") }
        guard !name.isEmpty, name.count <= 64, name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: "}")
        else {
            return nil
        }
        return (String(decoding: name, as: UTF8.self), name.endIndex + 1)
    }

    private mutating func parameterText(
        _ parameter: LocatedValue, name: String, _ mark: Mark, _ result: inout Filled
    ) -> String {
        guard case .scalar(let scalar) = parameter.content, !scalar.isNull else {
            report(
                .wrongKind, parameter.mark, "\(parameter.value.kindText) cannot be put into text",
                fix: "give \"\(name)\" as text", related: [Diagnostic.Related(mark, "the template uses it here")])
            return ""
        }
        result.isSecret = result.isSecret || scalar.isSecret
        if result.leftOver.count < 32 { result.leftOver += parameter.leftOver }
        if name != "camera" { result.parameterMark = parameter.parameterMark ?? parameter.mark }
        if broken.contains(parameter.mark) { broken.insert(mark) }
        return scalar.text
    }

    private mutating func variable(_ inside: [UInt8], _ mark: Mark) -> [UInt8] {
        var name = inside[...]
        var fallback: ArraySlice<UInt8>?
        if let colon = inside.firstIndex(of: UInt8(ascii: ":")), inside[colon...].starts(with: ":-".utf8) {
            name = inside[..<colon]
            fallback = inside[(colon + 2)...]
        }
        let word = name.prefix { Self.isLetter($0) || (48...57).contains($0) }
        let text = String(decoding: word, as: UTF8.self)
        guard word.first.map(Self.isLetter) == true, word.count == name.count else {
            // What follows may be a password.
            report(
                .invalidValue, mark,
                word.isEmpty ? "no name of a variable stands in ${...}" : "${\(text.prefix(80))...} is no variable",
                fix: VariableFix.form(text, behind: name[word.endIndex...]), isBroken: true)
            return []
        }
        if let fallback, fallback.contains("${".utf8) {
            report(
                .invalidValue, mark, "the default of ${\(text)} holds a variable itself, which is not supported",
                fix: "write ${\(text):-text} with a plain text, or ${\(text)}", isBroken: true)
            return []
        }
        let value = surroundings.variable(text)
        if let fallback, value?.isEmpty ?? true { return Array(fallback) }
        guard let value else {
            report(
                .missingVariable, mark, "the variable \(text) is not set",
                fix: "set \(text) in the environment, or give a default: ${\(text):-...}", isBroken: true)
            return []
        }
        uses.append(VariableUse(name: text, value: value, mark: mark))
        return Array(value.utf8)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
    }

    private mutating func secret(_ reference: String, _ mark: Mark, _ parameters: [String: LocatedValue])
        -> Value.Scalar
    {
        let path = String((filled(reference, mark, parameters)?.text ?? reference).dropFirst("file:".count))
        var scalar = Value.Scalar("", isQuoted: true, isSecret: true)
        if broken.contains(mark) { return scalar }
        switch surroundings.secret(path) {
        case .success(let text):
            scalar.text = text
            redaction.hide(text: text, at: [])
        case .failure(let problem):
            report(
                .unreadableSecret, mark, "cannot read the secret in \(path): \(problem.sentence)",
                fix: path.hasPrefix("/")
                    ? "name a file that is there and may be read"
                    : "name a file that is there and may be read, from the pipeline file's folder", isBroken: true)
        }
        return scalar
    }

    // MARK: - Limits and faults

    private mutating func spend(values: Int, bytes: Int, at mark: Mark) -> Bool {
        if isExhausted { return false }
        valuesLeft -= values
        bytesLeft -= bytes
        guard isExhausted else { return true }
        report(
            .tooLarge, mark, "all cameras together make more than \(Self.maximumValues) values or 4 MiB of text",
            fix: "split the pipeline into several files")
        return false
    }

    private mutating func report(
        _ code: FaultCode, _ mark: Mark, _ sentence: String, fix: String, related: [Diagnostic.Related] = [],
        isBroken: Bool = false
    ) {
        if isBroken { broken.insert(mark) }
        let isParked = offDepth > 0 && (code == .missingVariable || code == .unreadableSecret)
        diagnostics.append(
            Diagnostic(code, mark, sentence, fix: fix, severity: isParked ? .warning : .error, related: related))
    }
}
