/// Where in a pipeline's description something is: `sinks.web.input`, `cameras.yard.url`, `sources.front.zones[2]`.
public struct FaultPath: Hashable, Sendable, CustomStringConvertible {
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
    /// What would be accepted, or what to write instead; nil when nothing better than the sentence can be said.
    public var fix: String?
    /// Another place that belongs to it, such as the first of two sinks on one path.
    public var related: FaultPath?
    /// Which characters (Unicode scalars, from 0) of the text at `path` are meant; nil means all of it.
    public var span: Range<Int>?

    public init(
        _ code: FaultCode, at path: FaultPath, _ sentence: String, fix: String? = nil, part: Part = .value,
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
}
