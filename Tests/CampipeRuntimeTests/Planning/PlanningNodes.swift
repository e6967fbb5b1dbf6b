import CampipeKit

@testable import CampipeRuntime

/// Nodes that do nothing but have ports: what the planner looks at.
enum PlanningNodes {
    static let registry = Registry([
        Registration(source: Camera.self), Registration(source: Pictures.self), Registration(source: Ticks.self),
        Registration(transform: Decode.self), Registration(transform: Convert.self),
        Registration(transform: Encode.self), Registration(transform: Watch.self), Registration(transform: Plain.self),
        Registration(transform: Picky.self), Registration(join: Stamp.self), Registration(sink: Web.self),
        Registration(sink: Recorder.self), Registration(sink: Screen.self), Registration(sink: Journal.self),
        Registration(sink: Grey.self), Registration(sink: H264Only.self),
        Registration(sink: Archive.self), Registration(sink: Player.self), Registration(transform: Mask.self),
        Registration(mixer: Mixed.self), Registration(sink: Diary.self),
    ])

    /// A camera of packets: `coding` (none: not known yet), `live`, `width` when its size is known from the start.
    struct Camera: Source {
        static let name = "camera"
        static let summary = "packets"
        static let outputs: [any AnyPort] = [
            Out<Packet>("out"), Out<Packet>("audio", format: .packets(PacketFormat(.aac))), Out<Event>("events"),
        ]
        @Option("coding") var coding = ""
        @Option("live") var live = true
        @Option("width") var width = 0
        var isLive: Bool { live }
        var format: Format? {
            Coding(rawValue: coding).map {
                .packets(PacketFormat($0, size: width > 0 ? Size(width, width * 9 / 16) : nil))
            }
        }
        mutating func next(to output: inout Output) throws -> Next { .ended }
    }

    /// Frames.
    struct Pictures: Source {
        static let name = "pictures"
        static let summary = "frames"
        static let outputs: [any AnyPort] = [Out<Frame>("out")]
        @Option("live") var live = true
        @Option("width") var width = 1280
        var isLive: Bool { live }
        var format: Format? { .frames(FrameFormat(.yuv420, size: Size(width, width * 9 / 16))) }
        mutating func next(to output: inout Output) throws -> Next { .ended }
    }

    /// Events alone.
    struct Ticks: Source {
        static let name = "ticks"
        static let summary = "events"
        static let outputs: [any AnyPort] = [Out<Event>("out")]
        mutating func next(to output: inout Output) throws -> Next { .ended }
    }

    struct Decode: Transform {
        static let name = "decode"
        static let summary = "packets to frames"
        static let accepts: [Format] = [.packets(.any)]
        static let outputs: [any AnyPort] = [Out<Frame>("out")]
        static let role: ConverterRole? = .decode
        func output(for input: Format) throws -> Format { .frames(.any) }
        mutating func process(_ item: consuming Packet, to output: inout Output) throws {}
    }

    struct Convert: Transform {
        static let name = "convert"
        static let summary = "frames to frames"
        static let role: ConverterRole? = .convert
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    struct Encode: Transform {
        static let name = "encode"
        static let summary = "frames to JPEG"
        static let accepts: [Format] = [.frames(.yuv420), .frames(.yuv422), .frames(.gray8)]
        static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
        static let role: ConverterRole? = .encode
        func output(for input: Format) throws -> Format {
            if case .frames(let frames) = input { .packets(PacketFormat(.jpeg, size: frames.size)) } else { input }
        }
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    /// A detector: while only its events are wanted, it takes a small grey picture.
    struct Watch: Transform {
        static let name = "watch"
        static let summary = "motion"
        static let outputs: [any AnyPort] = [Out<Frame>("out"), Out<Event>("events")]
        func want(_ downstream: Want) -> Want {
            downstream.format == .events ? Want(maxWidth: 300, lumaOnly: true) : downstream
        }
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    struct Plain: Transform {
        static let name = "plain"
        static let summary = "frames as they come"
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    /// Refuses odd widths.
    struct Picky: Transform {
        static let name = "picky"
        static let summary = "even widths only"
        func output(for input: Format) throws -> Format {
            if case .frames(let frames) = input, let size = frames.size, size.width % 2 == 1 {
                throw CampipeError(.unsupported, "the width \(size.width) is odd", fix: "scale it to an even one")
            }
            return input
        }
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    struct Stamp: Join {
        static let name = "stamp"
        static let summary = "paints"
        static let inputs: [any AnyPort] = [
            In<Frame>("input"), In<Event>("events", optional: true, many: true), In<Frame>("logo", optional: true),
        ]
        mutating func process(_ primary: consuming Frame, with side: borrowing Sides, to output: inout Output) throws {}
    }

    /// Wants nothing until somebody looks.
    struct Web: Sink {
        static let name = "web"
        static let summary = "viewers"
        static let inputs: [any AnyPort] = [
            In<Packet>("input", accepts: [.packets(.jpeg)]),
            In<Packet>("preview", optional: true, accepts: [.packets(.jpeg)]), In<Packet>("audio", optional: true),
        ]
        static let lateAfter: Duration? = .seconds(1)
        var want: Want? { nil }
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    /// Viewers of video as it comes or as pictures, and of a smaller stream when they ask for it.
    struct Player: Sink {
        static let name = "player"
        static let summary = "viewers"
        static let inputs: [any AnyPort] = [
            In<Packet>("input", accepts: [.packets(.jpeg), .packets(.h264)]),
            In<Packet>("preview", optional: true, onDemand: true, accepts: [.packets(.jpeg)]),
        ]
        var want: Want? { nil }
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    struct Recorder: Sink {
        static let name = "recorder"
        static let summary = "clips"
        static let inputs: [any AnyPort] = [
            In<Packet>("input", taste: .complete), In<Packet>("audio", optional: true, taste: .complete),
        ]
        static let keepsHistory = true
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    struct Screen: Sink {
        static let name = "screen"
        static let summary = "frames"
        static let inputs: [any AnyPort] = [In<Frame>("input", many: true)]
        static let lateAfter: Duration? = .seconds(1)
        mutating func consume(_ item: consuming Frame) throws -> Next { .more }
    }

    struct Journal: Sink {
        static let name = "journal"
        static let summary = "events"
        static let inputs: [any AnyPort] = [In<Event>("input", many: true)]
        mutating func consume(_ item: consuming Event) throws -> Next { .more }
    }

    /// Events, all of them.
    struct Diary: Sink {
        static let name = "diary"
        static let summary = "events"
        static let inputs: [any AnyPort] = [In<Event>("input", taste: .complete)]
        mutating func consume(_ item: consuming Event) throws -> Next { .more }
    }

    /// Several pictures in one, ten times a second.
    struct Mixed: Mixer {
        static let name = "mixed"
        static let summary = "side by side"
        var rate: Double { 10 }
        var format: Format { .frames(FrameFormat(.yuv420)) }
        mutating func mix(_ parts: borrowing Parts, at instant: Instant, to output: inout Output) throws {}
    }

    struct Grey: Sink {
        static let name = "grey"
        static let summary = "grey frames"
        static let inputs: [any AnyPort] = [In<Frame>("input", accepts: [.frames(.gray8)])]
        mutating func consume(_ item: consuming Frame) throws -> Next { .more }
    }

    struct H264Only: Sink {
        static let name = "h264_only"
        static let summary = "H.264"
        static let inputs: [any AnyPort] = [In<Packet>("input", taste: .complete, accepts: [.packets(.h264)])]
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    /// Keeps all, as JPEG or H.264.
    struct Archive: Sink {
        static let name = "archive"
        static let summary = "containers"
        static let inputs: [any AnyPort] = [
            In<Packet>("input", taste: .complete, accepts: [.packets(.jpeg), .packets(.h264)])
        ]
        mutating func consume(_ item: consuming Packet) throws -> Next { .more }
    }

    /// Covers parts of the picture, whatever its size.
    struct Mask: Transform {
        static let name = "mask"
        static let summary = "covers"
        var masksPictures: Bool { true }
        func want(_ downstream: Want) -> Want {
            Want(maxWidth: downstream.maxWidth, maxRate: downstream.maxRate, lumaOnly: downstream.lumaOnly)
        }
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    /// An encoder that can do both.
    struct Coder: Transform {
        static let name = "coder"
        static let summary = "frames to JPEG or H.264"
        static let outputs: [any AnyPort] = [Out<Packet>("out")]
        static let role: ConverterRole? = .encode
        @Option("coding") var codec = "jpeg"
        @Option("quality") var quality = 80
        func output(for input: Format) throws -> Format { .packets(PacketFormat(Coding(rawValue: codec))) }
        mutating func process(_ item: consuming Frame, to output: inout Output) throws {}
    }

    /// A node of a graph by its type, fed by `id` or `id.port`.
    static func node(
        _ id: String, _ type: String, _ options: KeyValuePairs<String, Value> = [:], input: [String] = [],
        link: LinkOptions = LinkOptions(), sides: [String: [String]] = [:], when: [String] = [],
        _ change: (inout NodeDescription) -> Void = { _ in }
    ) -> NodeDescription {
        guard let registration = registry.named(type).first else { preconditionFailure("no type \(type)") }
        var inputs: [InputDescription] = []
        if !input.isEmpty { inputs.append(InputDescription(from: input.map(reference), link: link)) }
        for (port, from) in sides.sorted(by: { $0.key < $1.key }) {
            inputs.append(InputDescription(port, from: from.map(reference)))
        }
        var node = NodeDescription(
            id: id, registration: registration,
            options: Value.ValueMap(options.map { Value.ValueMap.Entry($0.key, $0.value) }), inputs: inputs,
            when: when.map { WhenClause(event: reference($0)) })
        change(&node)
        return node
    }

    private static func reference(_ text: String) -> PortReference {
        let parts = text.split(separator: ".")
        return parts.count == 1 ? PortReference(text) : PortReference(String(parts[0]), String(parts[1]))
    }
}
