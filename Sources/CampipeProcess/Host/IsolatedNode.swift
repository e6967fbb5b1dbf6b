package import CampipeKit

/// A transform of campipe's own in a child process (`isolation: process`): this program once more, over the protocol that
/// `exec` speaks, with pixels in shared memory.
///
/// One owner, in one node's turns.
package final class IsolatedNode: RemoteNode {
    /// The word that has this program be such a child.
    package static let command = "isolated-node"

    private let program: String
    private let plugin: String?
    private let environment: [String: String]
    private let descriptor: NodeDescriptor
    private let options: Value.ValueMap
    private var child: NodeChild?

    #if TSAN || ASAN
        /// A sanitizer takes terabytes of addresses for itself.
        private static let memoryLimit: ByteCount? = nil
    #else
        private static let memoryLimit: ByteCount? = .gibibytes(4)
    #endif

    /// - Parameters:
    ///   - program: This program's file.
    ///   - plugin: The shared object that the type is from, which the child is told behind `command`.
    ///   - environment: All that the child gets of it.
    package init(
        _ descriptor: NodeDescriptor, _ options: Value.ValueMap, program: String, plugin: String?,
        environment: [String: String]
    ) {
        self.descriptor = descriptor
        self.options = options
        self.program = program
        self.plugin = plugin
        self.environment = environment
    }

    package func open(_ context: borrowing Context) throws {
        let command = try ChildCommand(
            program, arguments: [Self.command] + [plugin].compactMap(\.self), environment: environment,
            limits: .init(memory: Self.memoryLimit))
        var hello = Hello(context, contract: .transform, inputs: descriptor.inputs, outputs: descriptor.outputs)
        hello.further = [
            "type": .text(descriptor.name), "values": ValueText.json(.map(options)),
            "gated": .bool(context.isGated),
        ]
        child = try NodeChild(command, hello: hello, sharesMemory: true, context: context)
    }

    package func finish() throws {
        child?.finish()
        child = nil
    }

    package func gap(_ gap: Gap) { child?.lose(gap) }

    package func begin(_ input: Format) throws -> (output: Format?, holds: Int) {
        guard let child else { return (nil, 0) }
        do { try child.begin(input) { _ in } } catch {
            // A format that is not taken is a failure for good; a child that has gone is one of the next item.
            guard child.isGone else { throw error }
            return (nil, 0)
        }
        return (child.format(0), child.holds)
    }

    package func process(_ item: consuming ItemStorage, to output: inout Output) throws {
        guard let child else { return }
        let item = item
        let names = descriptor.outputs.map(\.name)
        var wanted: UInt8 = 0
        for index in names.indices where output.isWanted(index) { wanted |= 1 << UInt8(index) }
        try child.give(item, wanted: wanted) { made in made.emit(to: &output, names) }
    }

    package func drain(to output: inout Output) throws {
        let names = descriptor.outputs.map(\.name)
        try child?.drain { made in made.emit(to: &output, names) }
    }
}

/// A node's options as JSON and back, with all that a file can say of a value.
package enum ValueText {
    package static func json(_ value: Value) -> EventValue {
        switch value {
        case .scalar(let scalar):
            var map: [String: EventValue] = ["text": .text(scalar.text)]
            if scalar.isQuoted { map["quoted"] = true }
            if scalar.isSecret { map["secret"] = true }
            return .map(map)
        case .list(let values): return .map(["list": .list(values.map(json))])
        case .map(let map):
            return .map(["map": .list(map.entries.map { .list([.text($0.key), json($0.value)]) })])
        }
    }

    /// - Returns: nil for what `json` does not make.
    package static func value(_ json: EventValue) -> Value? {
        guard case .map(let map) = json else { return nil }
        if let text = map.text("text") {
            return .scalar(
                Value.Scalar(text, isQuoted: map.flag("quoted") ?? false, isSecret: map.flag("secret") ?? false))
        }
        if let list = map.list("list") { return .list(list.compactMap(value)) }
        guard let entries = map.list("map") else { return nil }
        return .map(
            Value.ValueMap(
                entries.compactMap { entry in
                    guard case .list(let pair) = entry, pair.count == 2, case .text(let key) = pair[0],
                        let value = value(pair[1])
                    else { return nil }
                    return Value.ValueMap.Entry(key, value)
                }))
    }
}
