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
}

extension MediaReader: PacketReader {}

/// One step through a file's packets.
enum FileStep {
    case packet(Packet)
    /// Something in the place of a packet that is not what it says; with its time and what was found.
    case refused(Packet, file: String, cause: CampipeError)
}

/// Looks at what comes of a file before it goes on: what is called a JPEG and is none by its structure is refused, and
/// each JPEG has the size that its own head says.
struct FileReading {
    private let reader: any PacketReader
    /// Of the JPEG before.
    private var format: PacketFormat?

    init(_ reader: any PacketReader) { self.reader = reader }

    /// The next step; nil at the end.
    mutating func next() throws -> FileStep? {
        guard let packet = try reader.next() else { return nil }
        guard packet.format.coding == .jpeg else { return .packet(packet) }
        let size: Size
        do throws(CampipeError) {
            size = try JPEGHeader(packet.data).size
        } catch {
            return .refused(packet, file: reader.file, cause: error)
        }
        guard packet.format.size != size else { return .packet(packet) }
        if format?.size != size {
            var own = packet.format
            own.size = size
            format = own
        }
        return .packet(format.map { packet.replacing(packet.data, format: $0) } ?? packet)
    }
}
