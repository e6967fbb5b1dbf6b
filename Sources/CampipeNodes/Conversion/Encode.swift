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
    @Option(1...100, "How near to the picture: of JPEG its quality, of H.264 a higher one takes more bits too.")
    var quality = 80

    private var jpeg: JPEGEncoder?
    private var video: VideoEncoder?
    private var pool: FramePool?

    func output(for input: Format) throws -> Format {
        guard case .frames(let frames) = input else { return input }
        guard codec == .h264 else { return .packets(PacketFormat(.jpeg, size: frames.size, rate: frames.rate)) }
        return .packets(
            PacketFormat(
                .h264, size: frames.size.map(VideoEncoder.evenSize), rate: frames.rate, timebase: .rtpVideo))
    }

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        if codec == .jpeg { jpeg = JPEGEncoder() }
    }

    mutating func begin(_ input: Format) throws {
        // The first frame says what the encoder is made for.
        video = nil
    }

    mutating func process(_ frame: consuming Frame, to output: inout Output) throws {
        guard let pool else { return }
        if let jpeg {
            let bytes = try jpeg.encode(frame, quality: quality, pool: pool)
            var packet = Packet(
                bytes, format: PacketFormat(.jpeg, size: frame.size, rate: frame.format.rate),
                captured: frame.captured, pts: frame.pts)
            if frame.isDamaged { packet.isDamaged = true }
            output.emit(packet)
            return
        }
        let encoder = try video ?? VideoEncoder(frame.format, settings: EncoderSettings(quality: rateFactor))
        video = encoder
        for packet in try encoder.encode(frame, pool: pool) { output.emit(packet) }
    }

    /// x264's constant rate factor: 80 is 23, its own default; five of our steps are two of its.
    private var rateFactor: Int { min(45, max(10, 55 - quality * 2 / 5)) }

    mutating func drain(to output: inout Output) throws {
        for packet in try video?.drain() ?? [] { output.emit(packet) }
        video = nil
    }

    mutating func finish() throws { (jpeg, video) = (nil, nil) }
}
