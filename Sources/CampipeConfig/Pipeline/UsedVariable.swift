internal import CampipeKit

/// A variable of the environment that a pipeline file took something from.
package struct UsedVariable: Hashable, Sendable {
    package var name: String
    /// What it holds; nil where that may not be shown.
    package var value: String?

    package init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    /// Each variable once, in the order of use. Its value is shown where no use of it gives a reason to hide it.
    static func all(_ uses: [VariableUse], _ redaction: Redaction) -> [UsedVariable] {
        var result: [UsedVariable] = []
        var places: [String: Int] = [:]
        for use in uses {
            let isHidden =
                SecretText.isSecretName(use.name) || redaction.hides(use.text, at: use.mark) || isSuspect(use)
            if let place = places[use.name] {
                if isHidden { result[place].value = nil }
            } else {
                places[use.name] = result.count
                result.append(UsedVariable(name: use.name, value: isHidden ? nil : use.value))
            }
        }
        return result
    }

    /// User-info without a scheme and queries hold passwords too; a terminal would obey a control character.
    private static func isSuspect(_ use: VariableUse) -> Bool {
        use.text.contains("@") || !SecretText.secrets(in: use.text).isEmpty
            || use.value.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
