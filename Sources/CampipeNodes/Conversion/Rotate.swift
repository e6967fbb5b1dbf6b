import CampipeKit
import CampipeMedia

/// Turns, mirrors and crops pictures. Of JPEGs that somebody takes as JPEGs it moves the coded blocks, which loses
/// nothing and decodes nothing; it works on frames otherwise.
///
/// A type for each kind: the pipeline's file takes the one for packets where JPEGs come and packets are taken.
struct Rotate<Input: Item>: Transform {
    static var name: String { "rotate" }
    static var summary: String { "Turns, mirrors and crops pictures: JPEGs without loss where their blocks allow it." }
    static var accepts: [Format] { Input.kind == .packet ? [.packets(.jpeg)] : [Input.kind.anyFormat] }
    static var outputs: [any AnyPort] {
        Input.kind == .packet ? [Out<Packet>("out", format: .packets(.jpeg))] : [Out<Frame>("out")]
    }

    @Option("Degrees clockwise, by which the part is turned.") var rotate: TurnChoice? = nil
    @Option("Mirrors what was turned: horizontal swaps left and right, vertical top and bottom.")
    var flip: FlipChoice? = nil
    @Option("The part that is taken first: its top left and its bottom right corner, 0…1.") var crop: CropArea? = nil

    private var tools: Tools?
    private var log: Log?

    private struct Tools {
        let transformer = JPEGTransformer()
        let decoder = JPEGDecoder()
        let encoder = JPEGEncoder()
        let scaler = Scaler()
        let pool: FramePool
    }

    /// Of a JPEG that cannot be turned as it is: hardly a difference can be seen.
    private static var quality: Int { 92 }

    private var geometry: PictureGeometry { PictureGeometry(crop: crop, orientation: Orientation(rotate, flip)) }

    func check(at path: FaultPath, into faults: inout [Fault]) {
        guard geometry == PictureGeometry() else { return }
        faults.append(
            Fault(
                .idleNode, at: path, "this rotate changes nothing", fix: "set rotate: 90, flip: horizontal or crop",
                severity: .warning))
    }

    func output(for input: Format) throws -> Format {
        switch input {
        case .packets(var packets):
            packets.size = packets.size.map(geometry.size)
            return .packets(packets)
        case .frames(var frames):
            frames.pixel = Turner.pixel(of: frames.pixel, geometry.orientation)
            frames.size = frames.size.map(geometry.size)
            return .frames(frames)
        case .events: return input
        }
    }

    /// Packets come as they are; frames are asked for as small as they are needed.
    func want(_ downstream: Want) -> Want {
        Input.kind == .packet ? Want(maxRate: downstream.maxRate) : geometry.want(downstream)
    }

    mutating func open(_ context: borrowing Context) throws {
        tools = Tools(pool: context.pool)
        log = context.log
    }

    mutating func process(_ item: consuming Input, to output: inout Output) throws {
        guard let tools else { return }
        if Input.kind == .packet {
            output.emit(try turned(Packet(storage: item.storage), tools))
        } else {
            output.emit(try turned(Frame(storage: item.storage), tools))
        }
    }

    private mutating func turned(_ packet: Packet, _ tools: Tools) throws -> Packet {
        let size = try JPEGHeader(packet.data).size
        let part = geometry.part(of: size)
        var format = packet.format
        format.size = geometry.size(of: size)
        if let made = try tools.transformer.transform(packet.data, part: part, geometry.orientation) {
            var result = packet.replacing(made.jpeg, format: format)
            if made.isDamaged { result.isDamaged = true }
            return result
        }
        // Once is enough: a camera's pictures are all alike.
        log?.info(
            "JPEGs are encoded again, since an edge to be moved lies within a block", ["size": size.description])
        log = nil
        let frame = try turned(try tools.decoder.decode(packet, pool: tools.pool), tools)
        var result = packet.replacing(
            try tools.encoder.encode(frame, quality: Self.quality, pool: tools.pool), format: format)
        if frame.isDamaged { result.isDamaged = true }
        return result
    }

    private func turned(_ frame: Frame, _ tools: Tools) throws -> Frame {
        let before = frame.size
        var result = try tools.scaler.scale(frame, part: geometry.part(of: before), pool: tools.pool)
        let regions = result.regions
        result = try Turner.turn(result, geometry.orientation, scaler: tools.scaler, pool: tools.pool)
        if !regions.isEmpty { result.regions = regions.compactMap { geometry.place(of: $0, in: before) } }
        return result
    }

    mutating func finish() throws { tools = nil }
}
