import CampipeKit
import CampipeMedia

/// Decodes packets. The runtime puts it in by itself where frames are wanted of packets.
struct Decode: Transform {
    static let name = "decode"
    static let summary = "Decodes JPEG, H.264 or H.265 packets into frames."
    static let role: ConverterRole? = .decode
    static let accepts: [Format] = [.packets(.jpeg)]
    static let outputs: [any AnyPort] = [Out<Frame>("out")]

    @Option(1...16_384, "Pixels across that are needed: a JPEG is reduced while it is decoded, as far as they allow.")
    var maxWidth: Int? = nil
    @Option("Leaves the colour out, which costs less.") var lumaOnly = false
    @Option(1...1_000_000_000, "A picture that claims more pixels is refused.") var maxPixels = 100_000_000

    private var jpeg: JPEGDecoder?
    private var pool: FramePool?

    func output(for input: Format) throws -> Format {
        guard case .packets(let packets) = input else { return input }
        var size = packets.size
        if packets.coding == .jpeg { size = size.map { JPEGScale(of: $0, forWidth: maxWidth).size(of: $0) } }
        return .frames(FrameFormat(lumaOnly ? .gray8 : nil, size: size, rate: packets.rate))
    }

    mutating func open(_ context: borrowing Context) throws {
        pool = context.pool
        jpeg = JPEGDecoder(pixelLimit: maxPixels)
    }

    mutating func process(_ packet: consuming Packet, to output: inout Output) throws {
        guard let jpeg, let pool else { return }
        output.emit(try jpeg.decode(packet, maxWidth: maxWidth, lumaOnly: lumaOnly, pool: pool))
    }

    mutating func finish() throws { jpeg = nil }
}
