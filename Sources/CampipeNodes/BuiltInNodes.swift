package import CampipeKit

/// The types of node that campipe has built in: the one list.
package enum BuiltInNodes {
    package static let registry = Registry([
        // Sources.
        Registration(source: Camera<HTTPCamera>.self),
        Registration(source: Camera<RTSPCamera>.self),
        Registration(source: Camera<V4L2Camera>.self),
        Registration(source: Camera<DemoCamera>.self),
        Registration(source: Camera<FileCamera>.self),
        Registration(source: MJPEGSource.self),
        Registration(source: RTSPSource.self),
        Registration(source: V4L2Source<Packet>.self),
        Registration(source: V4L2Source<Frame>.self),
        Registration(source: FileSource.self),
        Registration(source: TestPattern<Frame>.self),
        Registration(source: TestPattern<Packet>.self),
        // Transforms.
        Registration(transform: Decode.self),
        Registration(transform: Scale.self),
        Registration(transform: Rotate<Packet>.self),
        Registration(transform: Rotate<Frame>.self),
        Registration(transform: Sample<Packet>.self),
        Registration(transform: Sample<Frame>.self),
        Registration(transform: Motion.self),
        Registration(join: Overlay.self),
        Registration(mixer: Grid.self),
        privacyMask,
        Registration(transform: Encode<Frame>.self),
        Registration(transform: Encode<Packet>.self),
        Registration(transform: Identity<Packet>.self),
        Registration(transform: Identity<Frame>.self),
        Registration(transform: Identity<Event>.self),
        // Sinks.
        Registration(sink: TerminalSink.self),
        Registration(sink: FileSink.self),
        Registration(sink: HTTPSink.self),
        Registration(sink: Publish.self),
        Registration(sink: WebhookSink.self),
        Registration(sink: CommandSink.self),
        Registration(sink: LogSink<Packet>.self),
        Registration(sink: LogSink<Frame>.self),
        Registration(sink: LogSink<Event>.self),
        Registration(sink: Discard<Packet>.self),
        Registration(sink: Discard<Frame>.self),
        Registration(sink: Discard<Event>.self),
    ])

    /// What covers the polygons of its option `zones`: it stands for the `privacy` of a source, too.
    package static let privacyMask = Registration(transform: MaskNode.self)

    /// Adds them to a registry that has others too.
    package static func register(into registry: inout Registry) {
        for registration in self.registry.registrations { registry.add(registration) }
    }
}
