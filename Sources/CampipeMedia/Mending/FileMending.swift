/// What has to be done so that a file whose process was killed is whole. A value; who has the file does it.
///
/// Nothing that plays is taken away: a tail goes that was cut in the midst, and a length is said where the container has
/// a place for it.
package struct FileMending: Hashable, Sendable {
    /// Bytes to write in the place of others.
    package struct Patch: Hashable, Sendable {
        package var offset: Int
        package var bytes: [UInt8]
    }

    /// How much of it stays.
    package var length: Int
    package var patches: [Patch] = []

    init(length: Int, patches: [Patch] = []) {
        self.length = length
        self.patches = patches
    }

    /// What becomes of a file.
    package enum Outcome: Hashable, Sendable {
        case whole(FileMending)
        /// Nothing in it plays yet.
        case empty
        /// It is none that a recorder leaves: it stays as it is.
        case foreign
    }

    /// Looks what a file needs.
    ///
    /// - Parameters:
    ///   - container: nil for JPEGs back to back.
    ///   - length: How many bytes there are.
    ///   - read: The bytes from an offset on, so many or as many as there are.
    package static func look(
        _ container: Container?, length: Int, read: (_ offset: Int, _ count: Int) throws -> [UInt8]
    ) rethrows -> Outcome {
        switch container {
        case .mp4: return try MP4Boxes.look(length, read: read)
        case .mkv: return try MatroskaTail.look(length, read: read)
        case .ts:
            // Packets of 188 bytes, each of which begins with 0x47 (ISO/IEC 13818-1, 2.4.3); the first ones are tables.
            guard try read(0, 1) == [0x47] else { return .foreign }
            let whole = length / 188 * 188
            return whole > 3 * 188 ? .whole(FileMending(length: whole)) : .empty
        case nil:
            guard try read(0, 2) == [0xFF, 0xD8] else { return .foreign }
            return try lastPicture(length, read: read).map { .whole(FileMending(length: $0)) } ?? .empty
        }
    }

    /// Behind the last end-of-image mark (ITU-T T.81, B.1.1.3).
    private static func lastPicture(_ length: Int, read: (Int, Int) throws -> [UInt8]) rethrows -> Int? {
        let step = 1 << 16
        var end = length
        while end > 0 {
            let start = max(0, end - step)
            // One more, since a mark may lie over the border.
            let bytes = try read(start, min(length, end + 1) - start)
            for index in bytes.indices.dropLast().reversed() where bytes[index] == 0xFF && bytes[index + 1] == 0xD9 {
                return start + index + 2
            }
            end = start
        }
        return nil
    }
}

/// The boxes of an MP4 on its uppermost level (ISO/IEC 14496-12, 4.2).
enum MP4Boxes {
    /// What becomes of a fragmented file: it is whole up to its last whole fragment.
    static func look(_ length: Int, read: (Int, Int) throws -> [UInt8]) rethrows -> FileMending.Outcome {
        var offset = 0
        var whole: Int?
        var isFragmented = false
        var isInFragment = false
        while offset + 8 <= length {
            let head = try read(offset, 16)
            if offset == 0, !head.dropFirst(4).starts(with: Array("ftyp".utf8)) { return .foreign }
            guard let (type, size) = box(head), size > 0, size <= length - offset else { break }
            switch type {
            // It says that fragments follow.
            case Array("moov".utf8): isFragmented = contains(Array("mvex".utf8), try read(offset, size))
            case Array("moof".utf8): isInFragment = true
            case Array("mdat".utf8):
                if isInFragment { whole = offset + size }
                isInFragment = false
            // What stands behind the last fragment tells where the others are.
            default: if whole != nil { whole = offset + size }
            }
            offset += size
            if type == Array("moov".utf8), !isFragmented { return .foreign }
        }
        if let whole { return .whole(FileMending(length: whole)) }
        return isFragmented || offset < 64 ? .empty : .foreign
    }

    /// A box by its head of 8 or 16 bytes; one of no size goes to the end of the file.
    static func box(_ head: [UInt8]) -> (type: [UInt8], size: Int)? {
        guard head.count >= 8 else { return nil }
        var size = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
        if size == 1 {
            guard head.count >= 16, head[8] < 0x40 else { return nil }
            size = head[8..<16].reduce(0) { $0 << 8 | Int($1) }
        }
        return size == 0 || size >= 8 ? (Array(head[4..<8]), size) : nil
    }

    private static func contains(_ word: [UInt8], _ bytes: [UInt8]) -> Bool {
        bytes.indices.dropLast(word.count - 1).contains { bytes[$0..<($0 + word.count)].elementsEqual(word) }
    }
}
