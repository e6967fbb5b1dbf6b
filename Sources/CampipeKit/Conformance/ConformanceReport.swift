/// What the conformance suite found about one type of node.
public struct ConformanceReport: Sendable, CustomStringConvertible {
    /// What came of a rule; the text says what was seen, or why it does not apply.
    public enum Outcome: Hashable, Sendable {
        case passed
        /// What was seen instead.
        case failed(String)
        /// Why it could not be checked, or does not apply.
        case skipped(String)
    }

    /// One rule and what came of it.
    public struct Result: Sendable {
        /// Which rule of docs/node-contract.md.
        public let rule: ContractRule
        /// What came of it.
        public let outcome: Outcome
    }

    /// The node's type.
    public let node: String
    /// One for each rule, in the document's order.
    public let results: [Result]
    /// How many items the search for leaks saw: fewer than asked for where the node ended before, 0 where none can be
    /// made for it.
    public let longRun: Int

    /// Whether no rule failed.
    public var isConforming: Bool { failures.isEmpty }

    /// The rules that are not kept.
    public var failures: [Result] {
        results.filter { if case .failed = $0.outcome { true } else { false } }
    }

    /// What came of one rule.
    public func outcome(_ rule: ContractRule) -> Outcome {
        results.first { $0.rule == rule }?.outcome ?? .skipped("not checked")
    }

    /// One line a rule.
    public var description: String {
        results.map { result in
            let text =
                switch result.outcome {
                case .passed: "passed"
                case .failed(let detail): "FAILED: \(detail)"
                case .skipped(let reason): "skipped: \(reason)"
                }
            return "\(node) \(result.rule.id) \(result.rule.sentence) \(text)"
        }.joined(separator: "\n")
    }
}
