/// How many pictures a JPEG file of several says that it holds: the first one's MP index, in an APP2 segment (CIPA
/// DC-007, section 5.2, "MPO"). Cameras with two lenses write it, and such that put a preview behind the picture.
///
/// A value; it is fed the segment's bytes in any split, and keeps the first few of them.
struct MultiPictureIndex: Sendable {
    private static let limit = 96
    /// `MPF` and a zero, then a TIFF header.
    private static let mark: [UInt8] = [0x4D, 0x50, 0x46, 0]
    private static let numberOfImages = 0xB001

    private var bytes: [UInt8] = []

    mutating func take(_ more: UnsafeRawBufferPointer) {
        guard bytes.count < Self.limit else { return }
        if bytes.count >= Self.mark.count, !bytes.starts(with: Self.mark) { return }
        unsafe bytes.append(contentsOf: more.prefix(Self.limit - bytes.count))
    }

    /// Of the whole file; nil where the segment holds no index, as that of the further pictures does not.
    var pictures: Int? {
        guard bytes.starts(with: Self.mark), bytes.count >= 12 else { return nil }
        let isLittle = bytes[4] == 0x49
        func number(_ at: Int, _ count: Int) -> Int? {
            guard at >= 0, at + count <= bytes.count else { return nil }
            let part = bytes[at..<at + count]
            return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        // Offsets count from the TIFF header.
        guard let offset = number(8, 4), let entries = number(4 + offset, 2) else { return nil }
        for entry in 0..<min(entries, 8) {
            let start = 4 + offset + 2 + entry * 12
            guard number(start, 2) == Self.numberOfImages, let count = number(start + 8, 4) else { continue }
            return (1...255).contains(count) ? count : nil
        }
        return nil
    }
}
