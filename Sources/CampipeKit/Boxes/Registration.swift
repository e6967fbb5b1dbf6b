/// A type of node that can be used in a pipeline file: what it is, and how one is made.
///
/// A type that works on several kinds of item is generic and registered once a kind under one name; the kind of the
/// port it is linked to picks.
public struct Registration: Sendable {
    public let descriptor: NodeDescriptor
    /// The shared object that it comes from; nil of one that is built in.
    package var plugin: String?
    private let inspecting:
        @Sendable (Value.ValueMap, FaultPath, [String], Set<String>, [String: [String]]?) -> NodeInspection
    private let making: @Sendable (Value.ValueMap) -> sending NodeBox
    private let learning: @Sendable () -> [OptionSchema]

    // Each type gets an output `events` (`alarms` where it has one) behind its own: there is said what befalls the node.

    /// A type of source, under its `name`.
    public init<N: Source>(source type: N.Type) {
        self.init(
            N.self, .source, inputs: [], outputs: N.outputs,
            inspect: { node, inspection in
                inspection.isLive = node.isLive
                inspection.format = node.format
                inspection.applies = node.applies
            },
            box: { SourceBox($0, $1) })
    }

    /// One call of `process`, made where the node's type is known, so that the compiler can make one piece of it.
    public typealias Step<N> = @Sendable (inout N, consuming ItemStorage, inout Output) throws -> Void

    /// A type of transform, under its `name`.
    @inlinable public init<N: Transform>(transform type: N.Type) {
        // `consume` in so many words: without it a debug build keeps a second reference, and pixels are copied.
        self.init(transform: type) { (node: inout N, item: consuming ItemStorage, output: inout Output) in
            try node.process(N.Input(storage: consume item), to: &output)
        }
    }

    @usableFromInline init<N: Transform>(transform type: N.Type, step: @escaping Step<N>) {
        let input = PortDescriptor(name: "input", kind: N.Input.kind, formats: N.accepts)
        self.init(
            N.self, .transform, inputs: [input], outputs: N.outputs, role: N.role, inspect: { _, _ in },
            box: { TransformBox($0, $1, step) })
    }

    /// A type of join, under its `name`.
    public init<N: Join>(join type: N.Type) {
        self.init(
            N.self, .join, inputs: N.inputs.map(\.descriptor), outputs: N.outputs, inspect: { _, _ in },
            box: { JoinBox($0, $1) })
    }

    /// A type of mixer: it stands among the transforms, as a join does.
    public init<N: Mixer>(mixer type: N.Type) {
        self.init(
            N.self, .join, inputs: N.inputs.map(\.descriptor), outputs: N.outputs, lateAfter: N.lateAfter,
            isMixer: true, inspect: { node, inspection in inspection.format = node.format },
            box: { MixerBox($0, $1) })
    }

    /// A type of sink, under its `name`.
    public init<N: Sink>(sink type: N.Type) {
        self.init(
            N.self, .sink, inputs: N.inputs.map(\.descriptor), outputs: [], lateAfter: N.lateAfter,
            keepsHistory: N.keepsHistory, connects: N.connects,
            inspect: { node, inspection in
                inspection.want = node.want
                inspection.recodes = node.recodes
                inspection.maxVariants = node.maxVariants
                inspection.writesEachItem = node.writesEachItem
            },
            box: { SinkBox($0, $1) })
    }

    private init<N: Node>(
        _ type: N.Type, _ contract: NodeDescriptor.Contract, inputs: [PortDescriptor], outputs: [any AnyPort],
        role: ConverterRole? = nil, lateAfter: Duration? = nil, keepsHistory: Bool = false, connects: Bool = false,
        isMixer: Bool = false,
        inspect: @escaping @Sendable (N, inout NodeInspection) -> Void,
        box: @escaping @Sendable (sending N, NodeDescriptor) -> sending NodeBox
    ) {
        let hasEvents = outputs.contains { $0.descriptor.name == "events" }
        let told = Out<Event>(
            hasEvents ? "alarms" : "events",
            tells: (contract == .source ? [.cameraLost, .cameraFound] : [.pluginFailed]) + N.tells)
        let descriptor = NodeDescriptor(
            name: N.name, summary: N.summary, contract: contract, inputs: inputs,
            outputs: (outputs + [told]).map(\.descriptor),
            options: LearntOptions(N.init).schemas, execution: N.execution, role: role, isMixer: isMixer,
            lateAfter: lateAfter,
            keepsHistory: keepsHistory, connects: connects, supervision: outputs.count)
        self.descriptor = descriptor
        learning = { LearntOptions(N.init).schemas }
        inspecting = { options, path, siblings, unknown, inputs in
            var inspection = NodeInspection(faults: [])
            let learnt = LearntOptions(N.init)
            let reading = learnt.read(
                options, at: path, siblings: siblings, unknown: unknown, into: &inspection.faults)
            let isWhole = reading.failed.isEmpty && !inspection.faults.contains { $0.severity == .error }
            let node = OptionConstruction(values: reading.values).run(N.init)
            var found: [Fault] = []
            node.check(at: path, into: &found)
            if let inputs { node.check(inputs: inputs, at: path, into: &found) }
            inspection.faults +=
                isWhole ? found : found.filter { learnt.isIndependent($0, of: reading.failed, at: path) }
            inspection.resources = node.resources.filter { resource in
                !reading.failed.contains(resource.option)
                    && !inspection.faults.contains { $0.severity == .error && $0.path == path.key(resource.option) }
            }
            guard isWhole, !inspection.faults.contains(where: { $0.severity == .error }) else { return inspection }
            inspection.masksPictures = node.masksPictures
            inspect(node, &inspection)
            return inspection
        }
        making = { options in
            var faults: [Fault] = []
            let reading = LearntOptions(N.init).read(options, at: .root, siblings: options.keys, into: &faults)
            return box(OptionConstruction(values: reading.values).run(N.init), descriptor)
        }
    }

    /// Stands for a type that cannot be had, so that a node that the file has of it has a place in the graph: such a node
    /// is off.
    package init(standInFor name: String, _ contract: NodeDescriptor.Contract) {
        self.init(
            describing: NodeDescriptor(
                name: name, summary: "", contract: contract, inputs: [], outputs: [], options: [], execution: .pool))
    }

    /// Stands for a type that was only described, in another process: it can be told of, and not made.
    package init(describing descriptor: NodeDescriptor) {
        self.descriptor = descriptor
        learning = { descriptor.options }
        inspecting = { _, _, _, _, _ in NodeInspection(faults: []) }
        making = { _ in preconditionFailure("a node of the type \(descriptor.name) was made, which is only described") }
    }

    /// Checks a node's options and tells what follows from them.
    ///
    /// - Parameters:
    ///   - options: What stands in the file for this node.
    ///   - path: Where it stands.
    ///   - siblings: Keys that every node has; not read here, but known to did-you-mean.
    ///   - unknown: Options whose value cannot be told, such as one from a variable that is not set: they are neither
    ///     missing nor checked further.
    ///   - inputs: The ids that each input names; nil where that is not known.
    public func inspect(
        _ options: Value.ValueMap, at path: FaultPath = .root, siblings: [String] = [], unknown: Set<String> = [],
        inputs: [String: [String]]? = nil
    ) -> NodeInspection {
        inspecting(options, path, siblings, unknown, inputs)
    }

    /// The same type of transform, with its work done elsewhere, on a thread of the node's own.
    ///
    /// - Parameter make: Makes the part that is elsewhere, from the node's options.
    package func remote(
        _ make: @escaping @Sendable (Value.ValueMap) -> sending any RemoteNode
    ) -> Registration {
        precondition(descriptor.contract == .transform, "a \(descriptor.contract) is not done elsewhere")
        return Registration(doneElsewhere: self, make)
    }

    private init(
        doneElsewhere other: Registration, _ make: @escaping @Sendable (Value.ValueMap) -> sending any RemoteNode
    ) {
        var descriptor = other.descriptor
        descriptor.execution = .ownThread
        self.descriptor = descriptor
        inspecting = other.inspecting
        learning = other.learning
        plugin = other.plugin
        let making = other.making
        self.making = { [descriptor] options in RemoteBox(making(options), make(options), descriptor) }
    }

    /// The options as another instance declares them; the same as the descriptor's unless making one has effects.
    func relearnt() -> [OptionSchema] { learning() }

    /// Makes a node with options that `inspect` found no error in; keys that are not its own are passed over.
    public func make(_ options: Value.ValueMap = Value.ValueMap()) -> sending NodeBox { making(options) }
}

/// The types of node there are, by name.
public struct Registry: Sendable {
    public private(set) var registrations: [Registration]

    public init(_ registrations: [Registration] = []) { self.registrations = registrations }

    /// Adds a type; one of the same name and section stands beside it, for another kind of item.
    public mutating func add(_ registration: Registration) { registrations.append(registration) }

    /// The registrations of a name in a section; several where a type works on several kinds of item.
    public func named(_ name: String, in section: String? = nil) -> [Registration] {
        registrations.filter {
            $0.descriptor.name == name && (section == nil || $0.descriptor.contract.section == section)
        }
    }

    /// What the runtime puts in by itself.
    public func converter(_ role: ConverterRole) -> Registration? {
        registrations.first { $0.descriptor.role == role }
    }

    /// All names of a section, once each, in order of registration.
    public func names(in section: String) -> [String] {
        var seen: Set<String> = []
        return registrations.filter { $0.descriptor.contract.section == section }.map(\.descriptor.name)
            .filter { seen.insert($0).inserted }
    }
}
