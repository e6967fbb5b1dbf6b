import CampipeHTTP
import CampipeKit
import CampipeMedia

/// What packets are read from.
protocol PacketReader: AnyObject {
    /// When the first one was recorded, as far as the file says so itself.
    var creationTime: WallTime? { get }
    /// The next packet; nil at the end.
    func next() throws -> Packet?
    /// The file that the last packet was read from.
    var file: String { get }
    /// Whether there is sound beside the pictures.
    var hasSound: Bool { get }
    /// Whether `next` hands on sound too.
    func select(audio wanted: Bool)
    /// Where the file's times began anew last.
    var jump: TimeJump? { get }
    /// Where the file ends too early, as far as its container says. It reads the file anew.
    var cut: FileEnd? { get }
}

extension PacketReader {
    var jump: TimeJump? { nil }
    var cut: FileEnd? { nil }
    var hasSound: Bool { false }
    func select(audio wanted: Bool) {}
}

extension MediaReader: PacketReader {
    var hasSound: Bool { audio != nil }
}

/// One step through a file's packets.
enum FileStep {
    case packet(Packet)
    /// A packet that is of no use to anybody, why, the file that it is in, and what was found.
    case refused(Packet, DropReason, file: String, cause: String)
}

/// Looks at what comes of a file before it goes on: what is called a JPEG and is none by its structure is refused, and
/// each JPEG has the size that its own head says; one that has lost its end is marked as damaged, as one of a camera is.
/// H.264 and H.265 have the parameter sets that stand in the stream, and do not begin before these are whole. AAC comes
/// bare, whatever the file has around it.
struct FileReading {
    private let reader: any PacketReader
    /// Of the JPEG before.
    private var format: PacketFormat?
    private var sets: InBandSets?
    private var isFirst = true
    private var adts = ADTS()
    private(set) var isHeard = false
    let hasSound: Bool

    init(_ reader: any PacketReader) {
        self.reader = reader
        hasSound = reader.hasSound
    }

    /// Whether sound is read too; without it, what the file has of it is passed over.
    mutating func select(sound: Bool) {
        guard hasSound, sound != isHeard else { return }
        isHeard = sound
        reader.select(audio: sound)
    }

    var jump: TimeJump? { reader.jump }
    var cut: FileEnd? { reader.cut }

    /// The next step; nil at the end.
    mutating func next() throws -> FileStep? {
        guard let packet = try reader.next() else { return nil }
        if packet.format.isAudio {
            guard let bare = adts.bare(packet) else { return try next() }
            return .packet(bare)
        }
        if isFirst { sets = InBandSets(packet.format) }
        isFirst = false
        if packet.format.coding == .jpeg { return picture(packet) }
        guard sets != nil else { return .packet(packet) }
        if packet.isKeyframe { sets?.learn(packet.data) }
        guard let sets, sets.isComplete else {
            return .refused(
                packet, .brokenReference, file: reader.file, cause: "the stream's parameter sets are not there yet")
        }
        return .packet(packet.format == sets.format ? packet : packet.described(as: sets.format))
    }

    private mutating func picture(_ packet: Packet) -> FileStep {
        var packet = packet
        if Self.isCut(packet.data) { packet.isDamaged = true }
        let size: Size
        do throws(CampipeError) {
            size = try JPEGHeader(packet.data).size
        } catch {
            return .refused(packet, .notJPEG, file: reader.file, cause: error.message)
        }
        guard packet.format.size != size else { return .packet(packet) }
        if format?.size != size {
            var own = packet.format
            own.size = size
            format = own
        }
        return .packet(format.map { packet.described(as: $0) } ?? packet)
    }

    /// Whether a JPEG has lost its end; some write more behind theirs.
    private static func isCut(_ jpeg: Bytes) -> Bool {
        unsafe jpeg.withBytes { bytes in
            if bytes.count > 1, unsafe bytes[bytes.count - 2] == 0xFF, unsafe bytes[bytes.count - 1] == 0xD9 {
                return false
            }
            var structure = JPEGStructure()
            if case .ended = unsafe structure.follow(bytes) { return false }
            return true
        }
    }
}

extension Packet {
    /// The same bytes with another format.
    fileprivate func described(as format: PacketFormat) -> Packet {
        var packet = Packet(
            data, format: format, captured: captured, pts: pts, dts: dts, duration: duration, isKeyframe: isKeyframe,
            isDisposable: isDisposable)
        if isDamaged { packet.isDamaged = true }
        return packet
    }
}
