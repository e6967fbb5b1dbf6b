/// What a type of node is, as a value: what `list`, `inspect`, `schema`, validation and the planner read.
public struct NodeDescriptor: Hashable, Sendable, Codable {
    /// Which of the contracts a node fulfils.
    public enum Contract: String, Sendable, CaseIterable, Codable {
        case source, transform, join, sink

        /// The map of a pipeline file that such nodes stand in.
        public var section: String { self == .join ? "transforms" : rawValue + "s" }
    }

    /// Its type in a pipeline file.
    public var name: String
    /// One line about it.
    public var summary: String
    /// Which contract it keeps.
    public var contract: Contract
    /// The main one first; none of a source.
    public var inputs: [PortDescriptor]
    /// The main one first; none of a sink that tells nothing.
    public var outputs: [PortDescriptor]
    /// In the order in which they are declared.
    public var options: [OptionSchema]
    /// Where its turns run.
    public var execution: Execution
    public var role: ConverterRole?
    /// Whether it is a join of which no input sets the pace: all references of the main input are alike.
    public var isMixer = false
    /// Of a sink: its deadline when the file does not say.
    public var lateAfter: Duration?
    /// Of a sink: whether it takes its `when` itself.
    public var keepsHistory = false
    /// Of a sink: whether it connects to somebody with its first item.
    public var connects = false
    /// The output, by its index, that tells only what befalls the node: a source `camera_lost` and `camera_found`, any
    /// other `plugin_failed`, and what the node itself has to tell. It is the last one, and called `events`; `alarms` where
    /// the node has an output `events` of its own, whose watermarks are no place for it.
    public var supervision: Int?

    /// The outputs that may be meant without their name: not the one that tells only what befalls the node, since who
    /// asks a camera for events mostly forgot the node that finds them; nor those that say that their name is due.
    public var impliedOutputs: [PortDescriptor] {
        outputs.enumerated().filter { $0.offset != supervision && !$0.element.isByName }.map(\.element)
    }

    /// The input that `input:` means.
    public var mainInput: PortDescriptor? { inputs.first }
}

/// What can be told of one node from its options, before it is made.
public struct NodeInspection: Sendable {
    public var faults: [Fault]
    public var resources: [NodeResource] = []
    /// The paths of the HTTP server among them.
    package var httpPaths: [String] { resources.filter { $0.kind == .httpPath }.map(\.name) }
    /// Whether it covers parts of the picture for good.
    public var masksPictures = false
    /// Of a source: whether pausing it loses data.
    public var isLive = false
    /// Of a source: what its main output will carry, as far as known.
    public var format: Format?
    /// Of a source: whether the options mean this type, where several share its name.
    public var applies = true
    /// Of a sink: what it wants from the start.
    public var want: Want?
    /// Of a sink: codings that it takes and makes others of.
    public var recodes: [Coding: Coding] = [:]
    /// Of a sink: how many different wants of it get a chain each; nil leaves it to the runtime.
    public var maxVariants: Int?
    /// Of a sink: whether each item becomes a file of its own.
    public var writesEachItem = false
}
