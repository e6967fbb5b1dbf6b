import CampipeKit
import CampipeMedia

/// Encodes pictures. The runtime puts it in by itself where packets are wanted of frames.
struct Encode: Transform {
    static let name = "encode"
    static let summary = "Encodes pictures as JPEG or H.264."
    static let role: ConverterRole? = .encode
    static let outputs: [any AnyPort] = [Out<Packet>("out")]

    enum Codec: String, OptionChoice {
        case jpeg, h264
    }

    @Option("How pictures are coded.") var codec = Codec.jpeg
    @Option(1...100, "JPEG quality; for H.264 a higher one takes more bits.") var quality = 80

    private var jpeg: JPEGEncoder?
    private var pool: FramePool?

    func output(for input: Format) throws -> Format {
        guard case .frames(let frames) = input else { return input }
        return .packets(PacketFormat(codec == .jpeg ? .jpeg : .h264, size: frames.size, rate: frames.rate))
    }

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        jpeg = JPEGEncoder()
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        guard let jpeg, let pool else { return }
        let bytes = try jpeg.encode(frame, quality: quality, pool: pool)
        var packet = Packet(
            bytes, format: PacketFormat(.jpeg, size: frame.size, rate: frame.format.rate), captured: frame.captured,
            pts: frame.pts)
        if frame.isDamaged { packet.isDamaged = true }
        output.emit(packet)
    }

    mutating func finish() throws { jpeg = nil }
}
