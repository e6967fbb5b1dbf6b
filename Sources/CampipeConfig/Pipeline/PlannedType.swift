/// A type of node that campipe is to have and does not have yet, so that who writes it is told so and not corrected.
struct PlannedType {
    var name: String
    /// The sections that it is to stand in.
    var sections: [String]
    /// What it is to do.
    var summary: String
    /// What does something like it today.
    var fix: String

    /// The type of this name.
    ///
    /// - Parameter section: Where it was written; a type that belongs elsewhere is named all the same.
    static func named(_ name: String, in section: String? = nil) -> PlannedType? {
        guard var planned = all.first(where: { $0.name == name }) else { return nil }
        if let section, !planned.sections.contains(section) {
            planned.summary += ", and it will stand under \(planned.sections.joined(separator: " or "))"
        }
        return planned
    }

    static let all = [
        PlannedType(
            name: "mqtt", sections: ["sinks"], summary: "it will send events to an MQTT broker",
            fix: "pipe the lines of {type: log, format: json, ...} to mosquitto_pub -l")
    ]
}
