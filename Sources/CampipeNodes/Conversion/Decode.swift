import CampipeKit
import CampipeMedia

/// Decodes packets. The runtime puts it in by itself where frames are wanted of packets.
struct Decode: Transform {
    static let name = "decode"
    static let summary = "Decodes JPEG, H.264 or H.265 packets into frames."
    static let role: ConverterRole? = .decode
    static let accepts: [Format] = [.packets(.jpeg), .packets(.h264), .packets(.h265), .packets(PacketFormat(.other))]
    static let outputs: [any AnyPort] = [Out<Frame>("out")]

    @Option(1...16_384, "Pixels across that are needed: a JPEG is reduced while it is decoded, as far as they allow.")
    var maxWidth: Int? = nil
    @Option("Leaves the colour of JPEGs out, which costs less.") var lumaOnly = false
    @Option(1...1_000_000_000, "A picture that claims more pixels is refused.") var maxPixels = 100_000_000
    @Option(
        "What is decoded of H.264 and H.265: all, those that others refer to (reference), or keyframes only; the rest is counted as sampled."
    ) var effort = DecodingEffort.all

    private var jpeg: JPEGDecoder?
    private var video: VideoDecoder?
    private var pool: FramePool?
    private var surroundings: (clock: any PipelineClock, log: Log)?
    private var damaged = RecurringNote()
    private var isInterCoded = false
    /// Each packet's picture is taken at once, since no other belongs to it; the next keyframe may be long in coming.
    private var keyframesOnly = false
    /// After a gap in an inter-coded stream nothing is right before the next keyframe.
    private var waitsForKeyframe = false

    /// A decoder hands out pictures in their order, and may need as many packets first as a stream may reorder.
    /// Keyframes alone come out at once.
    var holds: Int { isInterCoded && !takesKeyframes ? 16 : 0 }

    private var takesKeyframes: Bool { keyframesOnly || effort == .keyframes }

    func output(for input: Format) throws -> Format {
        guard case .packets(let packets) = input else { return input }
        // A picture that is too large fails by itself; the stream may go on with others.
        guard packets.size.map({ $0.pixels <= maxPixels }) ?? true else { return .frames(.any) }
        guard packets.isIntraCoded else {
            return .frames(FrameFormat(nil, size: packets.size, rate: effort == .all ? packets.rate : nil))
        }
        let size = packets.size.map { JPEGScale(of: $0, forWidth: maxWidth).size(of: $0) }
        return .frames(FrameFormat(lumaOnly ? .gray8 : nil, size: size, rate: packets.rate))
    }

    private func check(_ size: Size) throws {
        guard size.pixels > maxPixels else { return }
        throw CampipeError(
            .unsupported, "cannot decode pictures of \(size): more than \(maxPixels) pixels", fix: "raise max_pixels")
    }

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        surroundings = (context.clock, context.log)
    }

    mutating func begin(_ input: Format) throws {
        guard case .packets(let packets) = input else { return }
        (jpeg, video) = (nil, nil)
        isInterCoded = packets.coding != .jpeg
        waitsForKeyframe = isInterCoded
        keyframesOnly = packets.keyframesOnly
        if isInterCoded { video = try VideoDecoder(packets) } else { jpeg = JPEGDecoder(pixelLimit: maxPixels) }
    }

    mutating func gap(_ gap: Gap) {
        guard isInterCoded, gap.count > 0 || gap.isLost else { return }
        waitsForKeyframe = true
    }

    mutating func process(_ packet: consuming Packet, to output: inout Output) throws {
        guard let pool else { return }
        if let size = packet.format.size { try check(size) }
        if let jpeg {
            emit(try jpeg.decode(packet, maxWidth: maxWidth, lumaOnly: lumaOnly, pool: pool), to: &output)
            return
        }
        guard let video else { return }
        guard effort.takes(packet) else { return output.omit(.sampled) }
        if waitsForKeyframe {
            guard packet.isKeyframe else { return }
            waitsForKeyframe = false
            for frame in try video.drain(pool: pool) { emit(frame, to: &output) }
        }
        do {
            for frame in try video.decode(packet, pool: pool) { emit(frame, to: &output) }
            // The next one is far away, and nothing is shown before this one.
            if takesKeyframes { for frame in try video.drain(pool: pool) { emit(frame, to: &output) } }
        } catch {
            waitsForKeyframe = true
            throw error
        }
    }

    /// Hands a picture on, and says so when some of it had to be guessed.
    private mutating func emit(_ frame: consuming Frame, to output: inout Output) {
        if frame.isDamaged, let surroundings, let count = damaged.happened(at: surroundings.clock.now) {
            surroundings.log.warning("damaged pictures", ["count": count])
        }
        output.emit(frame)
    }

    mutating func drain(to output: inout Output) throws {
        guard let video, let pool else { return }
        for frame in try video.drain(pool: pool) { emit(frame, to: &output) }
        waitsForKeyframe = true
    }

    mutating func finish() throws {
        (jpeg, video) = (nil, nil)
        if damaged.untold > 0 { surroundings?.log.warning("damaged pictures", ["count": damaged.untold]) }
    }
}
