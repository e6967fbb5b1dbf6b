/// Where a node says what it does; handed in, never global.
///
/// A message is a constant sentence; facts are key and value. error: data meant to be kept was lost, or a pipeline
/// stopped. warning: degraded, still running. info: a handful a run. debug: decisions. Nothing per item above trace.
/// What recurs is reported once a second with a count (`recurring`). Secrets and the user-info of URLs never appear.
public struct Log: Sendable {
    /// How much it matters; see `Log`.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        case trace, debug, info, warning, error
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
        public var name: String { "\(self)" }
    }

    /// One line of the log.
    public struct Entry: Sendable {
        public var level: Level
        public var message: String
        /// Facts, the node's id first.
        public var facts: [LogFact]

        /// With its message and the facts that are texts changed.
        package func rewritten(_ change: (String) -> String) -> Entry {
            var entry = self
            entry.message = change(message)
            for index in facts.indices {
                guard case .text(let text) = facts[index].content else { continue }
                entry.facts[index].value = change(facts[index].value)
                entry.facts[index].content = .text(change(text))
            }
            return entry
        }
    }

    /// The same log with each text that is written to it changed: messages and the facts that are texts.
    package func rewriting(_ change: @escaping @Sendable (String) -> String) -> Log {
        Log(level: level, facts: facts) { [handler] entry in handler(entry.rewritten(change)) }
    }

    /// Who takes entries; called on any thread, must not block for long.
    public typealias Handler = @Sendable (Entry) -> Void

    private let handler: Handler
    private let facts: [LogFact]
    /// What is below it is not even made.
    public let level: Level

    public init(level: Level = .info, facts: [(key: String, value: String)] = [], handler: @escaping Handler) {
        self.init(level: level, facts: facts.map { LogFact($0.key, $0.value) }, handler: handler)
    }

    private init(level: Level, facts: [LogFact], handler: @escaping Handler) {
        self.level = level
        self.facts = facts
        self.handler = handler
    }

    /// Says nothing.
    public static let silent = Log(level: .error) { _ in }

    /// The same log with more facts on each line.
    public func with(_ key: String, _ value: String) -> Log {
        Log(level: level, facts: facts + [LogFact(key, value)], handler: handler)
    }

    /// Says a sentence with facts, where the level is said at all; the sentence is not made otherwise.
    public func log(_ level: Level, _ message: @autoclosure () -> String, _ more: KeyValuePairs<String, Any> = [:]) {
        guard level >= self.level else { return }
        handler(Entry(level: level, message: message(), facts: facts + more.map { LogFact($0.key, $0.value) }))
    }

    /// Says something of each item.
    public func trace(_ message: @autoclosure () -> String, _ facts: KeyValuePairs<String, Any> = [:]) {
        log(.trace, message(), facts)
    }
    /// Says what was decided.
    public func debug(_ message: @autoclosure () -> String, _ facts: KeyValuePairs<String, Any> = [:]) {
        log(.debug, message(), facts)
    }
    /// Says what an operator wants to know: a handful a run.
    public func info(_ message: @autoclosure () -> String, _ facts: KeyValuePairs<String, Any> = [:]) {
        log(.info, message(), facts)
    }
    /// Says that something is worse than it should be, and goes on.
    public func warning(_ message: @autoclosure () -> String, _ facts: KeyValuePairs<String, Any> = [:]) {
        log(.warning, message(), facts)
    }
    /// Says that what was to be kept was lost, or that a pipeline stopped.
    public func error(_ message: @autoclosure () -> String, _ facts: KeyValuePairs<String, Any> = [:]) {
        log(.error, message(), facts)
    }
}
