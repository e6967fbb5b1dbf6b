import CampipeKit
import CampipePlugins

/// What `campipe plugin check` found.
struct PluginReport {
    let path: String
    let types: [CheckedType]
    /// Why the suite did not get to its end; nil when it did.
    let trouble: String?

    private var failed: Int { types.flatMap(\.rules).count { $0.outcome == .failed } }

    var isGood: Bool { trouble == nil && failed == 0 }

    /// One line a rule, and a sentence at the end.
    func text(_ style: TerminalStyle) -> String {
        var lines: [String] = []
        for type in types {
            lines.append(style.styled("\(type.contract.rawValue) \(type.node)", .bold))
            for rule in type.rules {
                let mark =
                    switch rule.outcome {
                    case .passed: "ok     "
                    case .failed: "FAILED "
                    case .skipped: "skipped"
                    }
                lines.append("  \(mark)  \(rule.id)  \(rule.sentence)")
                if let detail = rule.detail { lines.append("           \(detail)") }
            }
        }
        if let trouble { lines.append(trouble) }
        let many = failed == 1 ? "1 rule is" : "\(failed) rules are"
        lines.append(
            isGood
                ? "\(path): keeps the contract of docs/node-contract.md"
                : "\(path): \(trouble == nil ? "\(many) not kept; docs/node-contract.md says more" : "not checked to the end")"
        )
        return lines.joined(separator: "\n") + "\n"
    }

    var json: String {
        let types = types.map { type in
            let rules = type.rules.map { rule in
                "{\"id\":\(JSONString.quoted(rule.id)),\"sentence\":\(JSONString.quoted(rule.sentence)),"
                    + "\"outcome\":\"\(rule.outcome.rawValue)\""
                    + (rule.detail.map { ",\"detail\":\(JSONString.quoted($0))" } ?? "") + "}"
            }
            return "{\"node\":\(JSONString.quoted(type.node)),\"contract\":\"\(type.contract.rawValue)\","
                + "\"rules\":[\(rules.joined(separator: ","))]}"
        }
        return "{\"path\":\(JSONString.quoted(path)),\"ok\":\(isGood),"
            + "\"trouble\":\(trouble.map(JSONString.quoted) ?? "null"),\"types\":[\(types.joined(separator: ","))]}\n"
    }
}
