import CampipeKit

@testable import CampipeRuntime

/// Emits numbered packets as fast as there is room, in stretches of different formats.
struct ShapeSource: Source {
    static let name = "shapes"
    static let summary = "Changes its format."
    static let outputs: [any AnyPort] = [Out<Packet>("out")]

    @Option("Coding, width and number of each stretch: jpeg 640 12, h264 320 7.") var stretches = "jpeg 640 10"

    private var left: [(format: PacketFormat, count: Int)] = []
    private var made = 0

    var isLive: Bool { false }
    var format: Format? { stretchList.first.map { .packets($0.format) } }

    private var stretchList: [(format: PacketFormat, count: Int)] {
        stretches.split(separator: ",").map { stretch in
            let words = stretch.split(separator: " ")
            let width = Int(words[1]) ?? 64
            return (PacketFormat(Coding(rawValue: String(words[0])), size: Size(width, 16)), Int(words[2]) ?? 1)
        }
    }

    mutating func open(_ context: borrowing Context) throws { left = stretchList }

    mutating func next(to output: inout Output) throws -> Next {
        guard let stretch = left.first else { return .ended }
        output.emit(
            Packet(
                .empty, format: stretch.format, captured: .zero + .milliseconds(made + 1),
                pts: MediaTime(ticks: Int64(made), timebase: Timebase(1, 1000))))
        made += 1
        left[0].count -= 1
        if left[0].count == 0 { left.removeFirst() }
        return left.isEmpty ? .ended : .more
    }
}

/// Converters that hold items back, and whose formats follow what comes.
enum ShapeConverters {
    static let registry = Registry([
        Registration(transform: ShapeDecoder.self), Registration(transform: ShapeConverter.self),
        Registration(transform: ShapeEncoder.self),
    ])

    static func frame(_ pixel: PixelFormat, _ width: Int, like captured: Instant, _ pts: MediaTime) -> Frame {
        Frame(FramePool.shared.buffer(pixel, Size(width, 16)), captured: captured, pts: pts)
    }
}

/// Packets to frames, grey ones of narrow packets.
struct ShapeDecoder: Transform {
    typealias Input = Packet
    static let name = "shape_decoder"
    static let summary = "Decodes."
    static let accepts: [Format] = [.packets(.any)]
    static let outputs: [any AnyPort] = [Out<Frame>("out")]
    static let role: ConverterRole? = .decode
    @Option("Pixels across.") var maxWidth: Int? = nil
    @Option("Grey.") var lumaOnly = false
    private var held: [Frame] = []

    var holds: Int { 2 }
    func output(for input: Format) throws -> Format { .frames(.any) }
    mutating func process(_ item: consuming Packet, to output: inout Output) throws {
        let width = item.format.size?.width ?? 64
        let pixel: PixelFormat = lumaOnly || width < 200 ? .gray8 : width < 500 ? .yuv422 : .yuv420
        held.append(ShapeConverters.frame(pixel, min(width, maxWidth ?? .max), like: item.captured, item.pts))
        if held.count > 2 { output.emit(held.removeFirst()) }
    }
    mutating func drain(to output: inout Output) throws { while !held.isEmpty { output.emit(held.removeFirst()) } }
}

struct ShapeConverter: Transform {
    static let name = "shape_converter"
    static let summary = "Converts."
    static let role: ConverterRole? = .convert
    @Option("Pixels across.") var maxWidth: Int? = nil
    @Option("The layout.") var pixel = ""
    func output(for input: Format) throws -> Format {
        guard case .frames(var frames) = input else { return input }
        frames.pixel = PixelFormat(rawValue: pixel) ?? frames.pixel
        if let maxWidth, let size = frames.size, size.width > maxWidth { frames.size = Size(maxWidth, 16) }
        return .frames(frames)
    }
    mutating func process(_ item: consuming Frame, to output: inout Output) throws {
        let layout = PixelFormat(rawValue: pixel) ?? item.format.pixel ?? .gray8
        output.emit(
            ShapeConverters.frame(layout, min(item.size.width, maxWidth ?? .max), like: item.captured, item.pts))
    }
}

struct ShapeEncoder: Transform {
    static let name = "shape_encoder"
    static let summary = "Encodes."
    static let accepts: [Format] = [.frames(.yuv420), .frames(.gray8)]
    static let outputs: [any AnyPort] = [Out<Packet>("out", format: .packets(.jpeg))]
    static let role: ConverterRole? = .encode
    func output(for input: Format) throws -> Format {
        if case .frames(let frames) = input { .packets(PacketFormat(.jpeg, size: frames.size)) } else { input }
    }
    mutating func process(_ item: consuming Frame, to output: inout Output) throws {
        output.emit(
            Packet(.empty, format: PacketFormat(.jpeg, size: item.size), captured: item.captured, pts: item.pts))
    }
}

/// Takes grey frames, hands them on later.
struct GreyTransform: Transform {
    static let name = "grey_transform"
    static let summary = "Holds grey frames back."
    static let accepts: [Format] = [.frames(.gray8)]
    private var held: [Frame] = []
    private var size: Size?
    var holds: Int { 3 }
    mutating func begin(_ input: Format) throws {
        if !held.isEmpty { throw CampipeError(.failed, "begun while \(held.count) were held") }
        if case .frames(let frames) = input { size = frames.size }
    }
    mutating func process(_ item: consuming Frame, to output: inout Output) throws {
        if let size, item.size != size { throw CampipeError(.failed, "\(item.size) after \(size) was announced") }
        held.append(item)
        if held.count > 3 { output.emit(held.removeFirst()) }
    }
    mutating func drain(to output: inout Output) throws { while !held.isEmpty { output.emit(held.removeFirst()) } }
}

/// Takes grey frames with JPEGs beside.
struct ShapeJoin: Join {
    typealias Primary = Frame
    static let name = "shape_join"
    static let summary = "Joins."
    static let side = In<Packet>("side", accepts: [.packets(.jpeg)])
    static let inputs: [any AnyPort] = [In<Frame>("input", accepts: [.frames(.gray8)]), side]
    private var collector: Collector?
    private var id = ""
    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        id = context.id
    }
    mutating func process(_ primary: consuming Frame, with sides: borrowing Sides, to output: inout Output) throws {
        for item in sides.items(Self.side) { collector?.add(.packet(item.number, item.captured), to: id + ".side") }
        output.emit(primary)
    }
}

/// Takes frames, of the kind that its options say.
struct FrameSink: Sink {
    typealias Input = Frame
    static let name = "frame_sink"
    static let summary = "Keeps frames."
    @Option("Pixels across.") var width = 0
    private var collector: Collector?
    private var id = ""
    var want: Want? { Want(maxWidth: width > 0 ? width : nil) }
    mutating func open(_ context: borrowing Context) throws {
        collector = try context.service(Collector.self)
        id = context.id
    }
    mutating func gap(_ gap: Gap) { collector?.add(.gap(gap), to: id) }
    mutating func consume(_ item: consuming Frame) throws -> Next {
        let number = Int(item.pts.rescaled(to: Timebase(1, 1000))?.ticks ?? -1)
        collector?.add(.packet(number, item.captured), to: id)
        return .more
    }
    mutating func finish() throws { collector?.add(.finished, to: id) }
}

/// Takes grey frames alone.
struct GreySink: Sink {
    typealias Input = Frame
    static let name = "grey_sink"
    static let summary = "Keeps grey frames."
    static let inputs: [any AnyPort] = [In<Frame>("input", accepts: [.frames(.gray8)])]
    private var inner = FrameSink()
    mutating func open(_ context: borrowing Context) throws { try inner.open(context) }
    mutating func gap(_ gap: Gap) { inner.gap(gap) }
    mutating func consume(_ item: consuming Frame) throws -> Next { try inner.consume(item) }
    mutating func finish() throws { try inner.finish() }
}

/// Takes JPEGs, as wide as its options say.
struct JPEGCollectingSink: Sink {
    typealias Input = Packet
    static let name = "jpeg_collecting_sink"
    static let summary = "Keeps JPEGs."
    static let inputs: [any AnyPort] = [In<Packet>("input", taste: .complete, accepts: [.packets(.jpeg)])]
    @Option("Pixels across.") var width = 0
    private var inner = CollectingSink()
    var want: Want? { Want(maxWidth: width > 0 ? width : nil) }
    mutating func open(_ context: borrowing Context) throws { try inner.open(context) }
    mutating func gap(_ gap: Gap) { inner.gap(gap) }
    mutating func consume(_ item: consuming Packet) throws -> Next { try inner.consume(item) }
    mutating func finish() throws { try inner.finish() }
}
