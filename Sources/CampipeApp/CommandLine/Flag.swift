import CampipeKit

/// A flag of the command line, whatever its value's type; commands list these.
protocol AnyFlag: Sendable {
    /// Its name without the dashes, in kebab-case.
    var name: String { get }
    /// What stands for the value in help, `DURATION`; nil for a switch, which takes none.
    var placeholder: String? { get }
    /// One line about it.
    var summary: String { get }
    /// Whether it may be given more than once.
    var isRepeatable: Bool { get }
    /// Reads the text of a value, or says what is wrong with it.
    func read(_ text: String) throws(UsageError) -> any Sendable
}

extension AnyFlag {
    /// As it is written: `--log-level`.
    var spelling: String { "--\(name)" }
    /// As help shows it: `--log-level LEVEL`.
    var usage: String { placeholder.map { "\(spelling) \($0)" } ?? spelling }
}

/// A flag whose value is read as options of nodes are, so that durations and sizes look the same in both places.
struct Flag<Content: OptionValue>: AnyFlag {
    let name: String
    let placeholder: String?
    let summary: String
    let isRepeatable: Bool
    private let reject: @Sendable (Content) -> String?

    /// - Parameter reject: What is wrong with a value that was read, as the end of a sentence; nil when nothing is.
    init(
        _ name: String, _ placeholder: String, _ summary: String, isRepeatable: Bool = false,
        reject: @escaping @Sendable (Content) -> String? = { _ in nil }
    ) {
        self.name = name
        self.placeholder = placeholder
        self.summary = summary
        self.isRepeatable = isRepeatable
        self.reject = reject
    }

    func read(_ text: String) throws(UsageError) -> any Sendable {
        var faults: [Fault] = []
        guard let value = Content.read(.text(text), at: .root, into: &faults) else {
            let fault = faults.first
            throw UsageError("\(spelling): \(fault?.sentence ?? "cannot be read")", fix: fault?.fix)
        }
        if let wrong = reject(value) { throw UsageError("\(spelling): \"\(text)\" \(wrong)") }
        return value
    }
}

extension Flag where Content == Bool {
    /// A switch: it is on when it is given, and takes no value.
    init(switch name: String, _ summary: String) {
        self.name = name
        self.placeholder = nil
        self.summary = summary
        isRepeatable = false
        reject = { _ in nil }
    }
}
