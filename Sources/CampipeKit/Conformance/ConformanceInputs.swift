/// Makes the items that the conformance suite feeds: pictures and events by itself, packets as the caller gives them.
public struct ConformanceInputs: Sendable {
    /// One packet of a stream: its bytes and whether it decodes alone; nil when the maker does not know the coding.
    ///
    /// Packet 0 decodes alone, and so does each first one of another size.
    public typealias PacketMaker =
        @Sendable (
            _ format: PacketFormat, _ size: Size, _ number: Int
        ) -> (data: Bytes, isKeyframe: Bool)?

    private let makePacket: PacketMaker?
    /// The size of the stream, the one that it changes to, and the small one of the long run.
    let sizes: [Size]
    /// Which of the sizes is the small one.
    static let small = 2

    /// - Parameters:
    ///   - sizes: Two sizes of picture.
    ///   - packet: Makes encoded packets, since the Kit has no codec; without it only nodes that take the coding
    ///     `empty` can be fed packets.
    public init(sizes: (Size, Size) = (Size(64, 48), Size(32, 32)), packet: PacketMaker? = nil) {
        self.sizes = [sizes.0, sizes.1, Size(16, 16)]
        makePacket = packet
    }

    /// When item `number` is captured.
    static func captured(_ number: Int) -> Instant { .zero + .seconds(1) + .milliseconds(40) * number }

    /// The concrete formats of a port that items can be made of.
    func formats(of port: PortDescriptor) -> [Format] {
        var formats: [Format] = []
        for format in port.formats {
            switch format {
            case .events: formats.append(.events)
            case .frames(let frames):
                for pixel in frames.pixel.map({ [$0] }) ?? PixelFormat.allCases {
                    formats.append(.frames(FrameFormat(pixel, size: frames.size)))
                }
            case .packets(let packets):
                for coding in packets.coding.map({ [$0] }) ?? [.jpeg, .h264, .empty] {
                    let format = PacketFormat(coding, size: packets.size)
                    if coding == .empty || makePacket?(format, sizes[0], 0) != nil { formats.append(.packets(format)) }
                }
            }
        }
        var seen: Set<Format> = []
        return formats.filter { seen.insert($0).inserted }
    }

    /// Item `number` of a stream.
    ///
    /// - Parameter variant: Which of the sizes, where the format leaves the size open.
    func item(_ number: Int, of format: Format, variant: Int, pool: FramePool) -> ItemStorage? {
        let captured = Self.captured(number)
        let pts = MediaTime(captured - .zero)
        switch format {
        case .events:
            return Event(
                .motionStarted, id: "\(number / 2)", phase: number % 2 == 0 ? .began : .ended, captured: captured,
                node: "conformance", payload: ["score": 0.9, "class": "person"]
            ).storage
        case .packets(var packets):
            let size = packets.size ?? sizes[variant]
            packets.size = size
            let made = packets.coding == .empty ? (Bytes.empty, true) : makePacket?(packets, size, number)
            return made.map {
                Packet($0.0, format: packets, captured: captured, pts: pts, isKeyframe: $0.1).storage
            }
        case .frames(let frames):
            let buffer = pool.buffer(frames.pixel ?? .gray8, frames.size ?? sizes[variant])
            Self.paint(buffer, number)
            return Frame(buffer, range: frames.range, matrix: frames.matrix, captured: captured, pts: pts).storage
        }
    }

    /// A gradient from top to bottom with a square that moves a little from picture to picture.
    private static func paint(_ buffer: PixelBuffer, _ number: Int) {
        for index in buffer.planes.indices {
            unsafe buffer.withMutablePlane(index) { pointer, plane in
                let row = plane.width * plane.bytesPerPixel
                let left = number * 2 % max(row, 1)
                for y in 0..<plane.height {
                    let start = unsafe pointer + y * plane.stride
                    unsafe start.update(repeating: UInt8(truncatingIfNeeded: 40 + 2 * y), count: row)
                    guard index == 0, y < plane.height / 2 else { continue }
                    unsafe (start + left).update(repeating: 230, count: min(row / 4, row - left))
                }
            }
        }
    }
}
