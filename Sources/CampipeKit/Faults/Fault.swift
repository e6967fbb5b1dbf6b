/// Where in a pipeline's description something is: `sinks.web.input`, `cameras.yard.url`, `sources.front.zones[2]`.
public struct FaultPath: Hashable, Sendable, CustomStringConvertible {
    /// One step inwards: a map's key or a list's element.
    public enum Step: Hashable, Sendable {
        case key(String)
        case index(Int)
    }
    public var steps: [Step]

    public init(_ steps: [Step] = []) { self.steps = steps }

    public static let root = FaultPath()

    /// The path one map key further in.
    public func key(_ name: String) -> FaultPath { FaultPath(steps + [.key(name)]) }
    /// The path one list element further in.
    public func index(_ position: Int) -> FaultPath { FaultPath(steps + [.index(position)]) }

    public var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .key(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let position): text += "[\(position)]"
            }
        }
    }
}

extension FaultPath: ExpressibleByArrayLiteral {
    public init(arrayLiteral keys: String...) { self.init(keys.map(Step.key)) }
}

/// Something wrong, or odd, in what the user wrote, found by checking before anything starts.
///
/// Everyone reports by path; only CampipeConfig turns a path into file, line and column. A fault found is a value;
/// what is thrown at work is a `CampipeError`.
public struct Fault: Hashable, Sendable {
    /// Whether the pipeline can run all the same.
    public enum Severity: Sendable { case error, warning }

    /// What part of the thing at `path` is meant, so that the caret points well.
    public enum Part: Sendable { case key, value }

    public var severity: Severity
    /// A stable code that documentation can explain: `CAM0123`.
    public var code: FaultCode
    public var path: FaultPath
    public var part: Part
    /// What was found, in one sentence without a full stop.
    public var sentence: String
    /// What would be accepted, or what to write instead. Whoever makes a fault says one, and what it says makes the value
    /// good.
    public var fix: String
    /// Another place that belongs to it, such as the first of two sinks on one path.
    public var related: FaultPath?
    /// Which characters (Unicode scalars, from 0) of the text at `path` are meant; nil means all of it.
    public var span: Range<Int>?
    /// Values that were most likely meant; an option offers those that it takes. Nil where nothing is known of values.
    var suggestions: [String]?
    /// What is accepted, whatever was meant.
    var accepted = ""

    public init(
        _ code: FaultCode, at path: FaultPath, _ sentence: String, fix: String, part: Part = .value,
        severity: Severity = .error, related: FaultPath? = nil, span: Range<Int>? = nil
    ) {
        self.severity = severity
        self.code = code
        self.path = path
        self.part = part
        self.sentence = sentence
        self.fix = fix
        self.related = related
        self.span = span
    }

    /// A fault of one value, which knows what may have been meant.
    ///
    /// - Parameters:
    ///   - suggestions: Values, likeliest first. The option whose value it is leaves out what it does not take.
    ///   - accepted: What would be taken, for where none of them is: `units: s, m, h`.
    public init(
        _ code: FaultCode, at path: FaultPath, _ sentence: String, suggestions: [String], accepted: String
    ) {
        self.init(code, at: path, sentence, fix: Self.fix(suggestions, accepted))
        self.suggestions = suggestions
        self.accepted = accepted
    }

    /// `write 5s, 5m or 5h, as is meant; units: s, m, h`.
    static func fix(_ suggestions: [String], _ accepted: String) -> String {
        guard let last = suggestions.last else { return accepted }
        let others = suggestions.dropLast().joined(separator: ", ")
        let offer = others.isEmpty ? "write \(last)" : "write \(others) or \(last), as is meant"
        return accepted.isEmpty ? offer : "\(offer); \(accepted)"
    }
}
