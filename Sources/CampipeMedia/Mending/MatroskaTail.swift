/// The last whole cluster of a Matroska file that was not ended, and what its head should say then (RFC 9559). A value.
struct MatroskaTail {
    private(set) var length: Int
    private(set) var patches: [FileMending.Patch] = []

    private enum ID {
        static let ebml = 0x1A45_DFA3
        static let segment = 0x1853_8067
        static let info = 0x1549_A966
        static let cluster = 0x1F43_B675
        static let timestamp = 0xE7
        static let simpleBlock = 0xA3
        static let blockGroup = 0xA0
        static let block = 0xA1
        static let void = 0xEC
        static let duration = 0x4489
    }

    /// An element's head: what it is, where its data begins and how much that is; nil is as much as there is.
    struct Element {
        var id: Int
        var start: Int
        var size: Int?
    }

    static func look(_ length: Int, read: (Int, Int) throws -> [UInt8]) rethrows -> FileMending.Outcome {
        guard try read(0, 4) == [0x1A, 0x45, 0xDF, 0xA3] else { return .foreign }
        guard let tail = try MatroskaTail(length, read: read) else { return .empty }
        return .whole(FileMending(length: tail.length, patches: tail.patches))
    }

    /// - Returns: nil when no cluster is whole.
    private init?(_ length: Int, read: (Int, Int) throws -> [UInt8]) rethrows {
        guard let head = try Self.element(0, read), head.id == ID.ebml, let size = head.size,
            let segment = try Self.element(head.start + size, read), segment.id == ID.segment
        else { return nil }
        var offset = segment.start
        var whole: Int?
        var info: Element?
        /// The newest times of the blocks, in ticks.
        var newest = 0
        var before = 0
        while offset < length, let element = try Self.element(offset, read), let size = element.size {
            let end = element.start + size
            guard end <= length else { break }
            if element.id == ID.info { info = element }
            if element.id == ID.cluster {
                whole = end
                let bytes = try read(element.start, size)
                for time in Self.times(bytes) where time > newest { (before, newest) = (newest, time) }
            } else if whole != nil {
                whole = end
            }
            offset = end
        }
        guard let whole else { return nil }
        self.length = whole
        // A segment whose size is known was ended in order.
        guard segment.size == nil else { return }
        // The last picture is as long as the one before.
        let ticks = newest + max(0, min(newest - before, 2000))
        if let info, let size = info.size, let place = Self.durationPlace(try read(info.start, size)) {
            let bits = Double(ticks).bitPattern
            let number = (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
            patches.append(FileMending.Patch(offset: info.start + place, bytes: [0x44, 0x89, 0x88] + number))
        }
        // A segment whose size is not known says so with ones; eight bytes are room for any.
        if segment.start - (head.start + (head.size ?? 0)) == 12 {
            let size = UInt64(whole - segment.start)
            let number = (0..<7).map { UInt8(truncatingIfNeeded: size >> UInt64(48 - 8 * $0)) }
            patches.append(FileMending.Patch(offset: segment.start - 8, bytes: [0x01] + number))
        }
    }

    /// Where in the Info's data the duration has its place: eleven bytes, of a duration or kept free for it.
    private static func durationPlace(_ info: [UInt8]) -> Int? {
        var offset = 0
        var place: Int?
        while offset < info.count, let element = element(info, offset), let size = element.size {
            let end = element.start + size
            if element.id == ID.duration { return size == 8 ? offset : nil }
            if element.id == ID.void, end - offset == 11 { place = offset }
            offset = end
        }
        return place
    }

    /// When the blocks of a cluster are, in ticks.
    private static func times(_ cluster: [UInt8]) -> [Int] {
        var base = 0
        var found: [Int] = []
        var offset = 0
        while offset < cluster.count, let element = element(cluster, offset), let size = element.size {
            let end = element.start + size
            guard end <= cluster.count else { break }
            switch element.id {
            case ID.timestamp: base = cluster[element.start..<end].reduce(0) { $0 << 8 | Int($1) }
            case ID.simpleBlock, ID.block:
                if let time = relativeTime(cluster[element.start..<end]) { found.append(base + time) }
            // Its blocks are looked at next.
            case ID.blockGroup:
                offset = element.start
                continue
            default: break
            }
            offset = end
        }
        return found
    }

    /// A block begins with its track's number and 16 bits of time beside the cluster's.
    private static func relativeTime(_ block: ArraySlice<UInt8>) -> Int? {
        guard let first = block.first, first != 0 else { return nil }
        let place = block.startIndex + first.leadingZeroBitCount + 1
        guard place + 1 < block.endIndex else { return nil }
        return Int(Int16(truncatingIfNeeded: Int(block[place]) << 8 | Int(block[place + 1])))
    }

    static func element(_ offset: Int, _ read: (Int, Int) throws -> [UInt8]) rethrows -> Element? {
        guard var element = element(try read(offset, 12), 0) else { return nil }
        element.start += offset
        return element
    }

    /// The element whose head is at an offset (RFC 8794, 4 to 6).
    private static func element(_ bytes: [UInt8], _ offset: Int) -> Element? {
        guard offset < bytes.count else { return nil }
        let idLength = bytes[offset].leadingZeroBitCount + 1
        guard idLength <= 4, offset + idLength < bytes.count else { return nil }
        let id = bytes[offset..<(offset + idLength)].reduce(0) { $0 << 8 | Int($1) }
        let place = offset + idLength
        let sizeLength = bytes[place].leadingZeroBitCount + 1
        guard sizeLength <= 8, place + sizeLength <= bytes.count else { return nil }
        let first = Int(bytes[place]) & ((1 << (8 - sizeLength)) - 1)
        let size = bytes[(place + 1)..<(place + sizeLength)].reduce(first) { $0 << 8 | Int($1) }
        let unknown = (1 << (7 * sizeLength)) - 1
        return Element(id: id, start: place + sizeLength, size: size == unknown ? nil : size)
    }
}
