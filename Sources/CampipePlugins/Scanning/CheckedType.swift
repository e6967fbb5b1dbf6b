package import CampipeKit

/// What the conformance suite found about one type of a plugin, as it goes from the child to the command.
package struct CheckedType: Codable, Sendable {
    package enum Outcome: String, Codable, Sendable { case passed, failed, skipped }

    package struct Rule: Codable, Sendable {
        /// `MUST 7`.
        package var id: String
        package var sentence: String
        package var outcome: Outcome
        /// What was seen instead, or why it could not be checked.
        package var detail: String?
    }

    package var node: String
    package var contract: NodeDescriptor.Contract
    package var rules: [Rule]

    /// Checks a type by the suite, with its defaults, and something for each option that must be given.
    init(_ registration: Registration) {
        var services = Services()
        services.add(QuietClient(), as: (any WebClient).self)
        node = registration.descriptor.name
        contract = registration.descriptor.contract
        rules = ConformanceSuite.check(
            registration, options: Self.options(for: registration.descriptor), services: services
        ).results.map { result in
            let (outcome, detail): (Outcome, String?) =
                switch result.outcome {
                case .passed: (.passed, nil)
                case .failed(let seen): (.failed, seen)
                case .skipped(let reason): (.skipped, reason)
                }
            return Rule(id: result.rule.id, sentence: result.rule.sentence, outcome: outcome, detail: detail)
        }
    }

    private static func options(for descriptor: NodeDescriptor) -> Value.ValueMap {
        var options = Value.ValueMap()
        for option in descriptor.options where option.isRequired {
            options[option.key] = sample(of: option.type, least: option.minimum)
        }
        return options
    }

    private static func sample(of type: OptionType, least: Double?) -> Value {
        switch type {
        case .bool: .plain("true")
        case .integer: .plain(String(Int(least ?? 1)))
        case .number: .plain(String(least ?? 1))
        // Where a text is to be a URL, this is one; nobody answers there.
        case .text, .secret, .resource: .text("http://127.0.0.1:9/pl4nted-secret")
        case .duration: .plain("1s")
        case .byteCount: .plain("1MiB")
        case .percent: .plain("50%")
        case .choice(let words): .text(words.first ?? "")
        case .list(let element): .list([sample(of: element, least: nil)])
        case .either(let types): types.first.map { sample(of: $0, least: nil) } ?? .plain("")
        case .map(let element): .map(["name": sample(of: element, least: nil)])
        case .group(let schemas):
            .map(
                Value.ValueMap(
                    schemas.filter(\.isRequired).map {
                        Value.ValueMap.Entry($0.key, sample(of: $0.type, least: $0.minimum))
                    }))
        }
    }
}

/// Whoever is asked while a plugin is checked says that all is well, and nothing else.
private struct QuietClient: WebClient {
    func ask(_ request: WebRequest) throws -> WebAnswer { WebAnswer(body: Array("{}".utf8)) }
}
