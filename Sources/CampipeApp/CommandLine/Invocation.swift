import CampipeKit

/// A command line that was understood: the command, its arguments, its flags' values.
struct Invocation: Sendable {
    let command: CommandName
    /// What stood behind the command without a flag, in order; as many as the command takes.
    let arguments: [String]
    private let values: [String: [any Sendable]]

    /// - Parameter values: The values of each flag, by its name, of the type that the flag reads.
    init(_ command: CommandName, arguments: [String] = [], values: [String: [any Sendable]] = [:]) {
        self.command = command
        self.arguments = arguments
        self.values = values
    }

    /// The value of a flag; nil when it was not given.
    subscript<Content>(flag: Flag<Content>) -> Content? { all(flag).last }

    /// Whether a switch was given. (What a flag with true or false behind it says is in `all`.)
    subscript(flag: Flag<Bool>) -> Bool { !all(flag).isEmpty }

    /// Every value of a flag that may be repeated, in order.
    func all<Content>(_ flag: Flag<Content>) -> [Content] {
        (values[flag.name] ?? []).map { value in
            guard let content = value as? Content else {
                preconditionFailure("\(flag.spelling) of \(command) holds \(type(of: value)), not \(Content.self)")
            }
            return content
        }
    }
}
