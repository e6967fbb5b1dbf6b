import CampipeKit
import CampipeMedia

/// Encodes pictures. The runtime puts it in by itself where packets are wanted of frames.
///
/// A type for each kind: JPEGs pass as they came where JPEGs are asked for and no option asks otherwise.
struct Encode<Input: Item>: Transform {
    static var name: String { "encode" }
    static var summary: String {
        "Encodes pictures as JPEG or H.264; JPEGs that nobody has painted on pass as they came."
    }
    static var role: ConverterRole? { Input.kind == .frame ? .encode : nil }
    static var accepts: [Format] { Input.kind == .packet ? [.packets(.jpeg)] : [Input.kind.anyFormat] }
    static var outputs: [any AnyPort] { [Out<Packet>("out")] }

    @Option("How pictures are coded; H.264 with a keyframe each second.") var codec = CodecChoice.jpeg
    @Option(
        1...100,
        "How near to the picture: of JPEG its quality, of H.264 a higher one takes more bits too; left out, it is 80, "
            + "and a JPEG that nobody has painted on passes as it came.")
    var quality: Int? = nil
    @Option(
        ByteCount(bytes: 256)...ByteCount.mebibytes(1024),
        "Of JPEGs: the size of each at most; the quality is lowered until it fits.")
    var maxBytes: ByteCount? = nil
    @Option("Of H.264: bits a second, such as 2Mbps, in place of a quality.") var bitrate: BitRate? = nil
    @Option("How much colour is kept: 4:2:0 has it at half the width and height, which is what most players take.")
    var sampling: SamplingChoice? = nil

    private var jpeg: JPEGEncoder?
    private var video: VideoEncoder?
    private var pool: FramePool?
    private var search: QualitySearch?

    func check(at path: FaultPath, into faults: inout [Fault]) {
        func refuse(_ key: String, _ sentence: String, _ fix: String) {
            faults.append(Fault(.invalidValue, at: path.key(key), sentence, fix: fix, part: .key))
        }
        if codec == .h264, maxBytes != nil {
            refuse("max_bytes", "max_bytes is for JPEGs", "write bitrate: 2Mbps, or codec: jpeg")
        }
        if codec == .jpeg, bitrate != nil {
            refuse("bitrate", "bitrate is for H.264", "write max_bytes: 100KiB, or codec: h264")
        }
        if bitrate != nil, quality != nil {
            refuse("bitrate", "bitrate does not go with quality", "leave one of them out")
        }
    }

    /// Whether pictures that are coded so already are what is asked for.
    private var takesAny: Bool { quality == nil && maxBytes == nil && bitrate == nil && sampling == nil }

    /// - Throws: `.unsupported` for packets that would have to be decoded first.
    func output(for input: Format) throws -> Format {
        switch input {
        case .packets(let packets):
            guard takesAny, packets.coding == codec.coding else {
                throw CampipeError(.unsupported, "cannot encode \(input) without decoding it")
            }
            return input
        case .frames(let frames):
            guard codec == .h264 else { return .packets(PacketFormat(.jpeg, size: frames.size, rate: frames.rate)) }
            return .packets(
                PacketFormat(
                    .h264, size: frames.size.map(VideoEncoder.evenSize), rate: frames.rate, timebase: .rtpVideo))
        case .events: return input
        }
    }

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        if codec == .jpeg { jpeg = JPEGEncoder() }
        search = maxBytes.map { QualitySearch(limit: $0.bytes, ceiling: jpegQuality) }
    }

    mutating func begin(_ input: Format) throws {
        // The first frame says what the encoder is made for.
        video = nil
    }

    mutating func process(_ item: consuming Input, to output: inout Output) throws {
        if Input.kind == .packet {
            output.emit(Packet(storage: item.storage))
        } else {
            try encode(Frame(storage: item.storage), to: &output)
        }
    }

    private mutating func encode(_ frame: Frame, to output: inout Output) throws {
        guard let pool else { return }
        if let jpeg {
            let bytes = try untouched(frame) ?? encode(frame, jpeg, pool)
            var packet = Packet(
                bytes, format: PacketFormat(.jpeg, size: frame.size, rate: frame.format.rate),
                captured: frame.captured, pts: frame.pts)
            if frame.isDamaged { packet.isDamaged = true }
            output.emit(packet)
            return
        }
        let encoder = try video ?? VideoEncoder(frame.format, settings: settings)
        video = encoder
        for packet in try encoder.encode(frame, pool: pool) { output.emit(packet) }
    }

    private var jpegQuality: Int { quality ?? 80 }

    private mutating func encode(_ frame: Frame, _ jpeg: JPEGEncoder, _ pool: FramePool) throws -> Bytes {
        while true {
            let bytes = try jpeg.encode(
                frame, quality: search?.quality ?? jpegQuality, keepsColor: sampling == .full, pool: pool)
            switch search?.tried(bytes.count) {
            case .fits, nil: return bytes
            case .again: continue
            case .hopeless:
                throw CampipeError(
                    .badData,
                    "cannot encode \(frame.size) as JPEG in \(maxBytes?.description ?? ""): "
                        + "the lowest quality takes \(bytes.count) bytes",
                    fix: "raise max_bytes, or put scale in front")
            }
        }
    }

    /// The JPEG that a frame was decoded from, where that still is its picture, whole, and what is asked for.
    private func untouched(_ frame: Frame) -> Bytes? {
        guard quality == nil, sampling == nil, let origin = frame.origin, origin.format.coding == .jpeg,
            !frame.isDamaged, !origin.isDamaged, origin.data.count <= maxBytes?.bytes ?? .max,
            let header = try? JPEGHeader(origin.data), header.size == frame.size, header.hasHuffmanTables,
            frame.pixel != .gray8 || header.components == 1
        else { return nil }
        return origin.data
    }

    private var settings: EncoderSettings {
        EncoderSettings(quality: rateFactor, bitRate: bitrate?.bitsPerSecond, keepsColor: sampling == .full)
    }

    /// x264's constant rate factor: 80 is 23, its own default; five of our steps are two of its.
    private var rateFactor: Int { min(45, max(10, 55 - (quality ?? 80) * 2 / 5)) }

    mutating func drain(to output: inout Output) throws {
        for packet in try video?.drain() ?? [] { output.emit(packet) }
        video = nil
    }

    mutating func finish() throws { (jpeg, video) = (nil, nil) }
}

/// How pictures are coded, as an option.
enum CodecChoice: String, OptionChoice {
    case jpeg, h264

    var coding: Coding { self == .jpeg ? .jpeg : .h264 }
}

/// How much colour is kept, as an option.
enum SamplingChoice: String, OptionChoice {
    /// At half the width and height.
    case half = "4:2:0"
    /// All of it.
    case full = "4:4:4"
}
