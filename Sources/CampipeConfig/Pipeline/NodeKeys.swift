internal import CampipeKit

/// What becomes of a node that fails.
package enum ErrorAnswer: String, OptionChoice {
    case restart, skip, stop
}

/// What a link does with an item that comes when it is full.
package enum FullAnswer: String, OptionChoice {
    case block, latest
    case dropOldest = "drop_oldest"
    case dropNewest = "drop_newest"
    case dropGOP = "drop_gop"
}

/// Where a node runs.
enum Isolation: String, OptionChoice {
    case none, process
}

/// The keys that every node has, beside `type`, its inputs, `when`, `link` and `links`.
struct NodeKeys: OptionGroup {
    @Option("Whether the node is used; false switches it off, and its consumers show \"off\".") var enabled = true
    @Option("What becomes of the node when it fails.") var onError = ErrorAnswer.restart
    @Option("Where a transform runs: with the others, or in a process of its own.") var isolation = Isolation.none
}

/// The further keys of a source.
struct SourceKeys: OptionGroup {
    @Option("Whether to connect only while somebody wants its pictures.") var onDemand = false
    @Option(
        .milliseconds(100)...(.seconds(31_536_000)), "How long no picture may come before the source counts as stalled."
    )
    var stallAfter: Duration? = nil
    @Option("Whether to connect again after a failure.") var reconnect = true
    @Option("Polygons that are covered before anything sees a picture.") var privacy: Polygons? = nil
}

/// The further keys of a sink.
struct SinkKeys: OptionGroup {
    @Option(.milliseconds(1)...(.seconds(31_536_000)), "How old a live picture may be, from the lens to here.")
    var lateAfter: Duration? = nil
}

/// The keys of `link`, and of each entry of `links`.
struct LinkKeys: OptionGroup {
    @Option("What to do with an item that comes when the link is full.") var whenFull: FullAnswer? = nil
    @Option(1...1_000_000, "The most items that wait.") var maxItems: Int? = nil
    @Option(.kibibytes(1)...(.gibibytes(1024)), "The most bytes that wait.") var maxBytes: ByteCount? = nil
    @Option(
        .milliseconds(1)...(.seconds(31_536_000)), "The most time between the newest and the oldest item that waits.")
    var maxAge: Duration? = nil

    var override: LinkOverride {
        LinkOverride(whenFull: whenFull, maxItems: maxItems, maxBytes: maxBytes, maxAge: maxAge)
    }
}

/// The keys of the long form of `when`.
struct WhenKeys: OptionGroup {
    @Option("The events: an id, or id.port.") var event: String
    @Option("The classes that count; left out, any does.") var `class`: [String]? = nil
    @Option(0...1, "The least score that counts.") var minScore: Double? = nil

    func check(at path: FaultPath, into faults: inout [Fault]) {
        guard let classes = self.class, classes.isEmpty else { return }
        faults.append(
            Fault(
                .invalidValue, at: path.key("class"), "the list is empty, and without classes any counts",
                fix: "name classes, such as [person], or delete \"class\""))
    }
}

extension OptionGroup {
    /// The keys of the group, as declared.
    static var schemas: [OptionSchema] {
        if case .group(let schemas) = optionType { schemas } else { [] }
    }
    static var keys: [String] { schemas.map(\.key) }
}

/// Which keys stand where.
enum KnownKeys {
    static let top = [
        "version", "name", "server", "defaults", "sources", "transforms", "sinks", "templates", "cameras", "plugins",
    ]
    static let sections = ["sources", "transforms", "sinks"]
    static let template = ["params"] + sections
    /// Of every node; its inputs come to it.
    static let node = ["type", "when"] + NodeKeys.keys
    /// Of every node that has an input.
    static let links = ["link", "links"]
    static let source = SourceKeys.keys
    static let sink = SinkKeys.keys
    /// The keys that a node of a section has beside its type's options and inputs.
    static func common(in section: String) -> [String] {
        switch section {
        case "sources": node + source
        case "sinks": node + links + sink
        default: node + links
        }
    }
}
